// SPDX-License-Identifier: Apache-2.0
import { SOFTMAX } from "../../ops/attributes/normalization.ts";
import { normalDim } from "../../layout/extents.ts";
import { printedProperties, type Properties, readTexts } from "../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../ttnn/value.ts";
import type { PassContext } from "../graph_pass.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { predictedMicroseconds } from "./matching.ts";

/**
 * Decomposes an f32 softmax over few long rows into its formula if that is predicted faster: its kernel
 * assigns whole tile rows to cores, of which a batch of logits has few, while most ops of the formula use all
 * tiles in parallel. In other formats the kernel keeps more intermediate bits than the formula.
 */
export const spellOutSoftmax: RewritePattern = replacing({
  name: "spell-out-softmax",
  upstream: "none",
  roots: ["ttnn.softmax"],
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    if (input === undefined || input.type.dataType !== "f32") return undefined;
    const dim = normalDim(op.read(SOFTMAX).dimension, input.type.shape.length);
    const row = site.type(input.type.shape.with(dim, 1), "f32");
    const reduction = {
      compute_config: op.properties.get("compute_config"),
      dim_arg: [dim],
      keep_dim: true,
    };
    const together = predictedMicroseconds(op, site.context);
    if (together === undefined || together <= apart(input.type, row, reduction, site.context)) {
      return undefined;
    }
    let exponent: TensorValue = input;
    if (op.read(SOFTMAX).numericStable) {
      exponent = site.binary("subtract", input, site.op("ttnn.max", [input], row, reduction));
    }
    const power = site.unary("exp", exponent);
    const sum = site.op("ttnn.sum", [power], row, reduction);
    return site.op("ttnn.divide", [power, sum], result.type);
  },
});

/** Predicted µs of the formula; infinite if unknown. */
function apart(
  whole: TtnnTensorType,
  row: TtnnTensorType,
  reduction: Properties,
  context: PassContext,
): number {
  const time = (
    name: string,
    operands: readonly TtnnTensorType[],
    to: TtnnTensorType,
    properties: Properties = {},
  ): number => {
    const attributes = readTexts(context.module, new Map(), printedProperties(name, properties));
    return context.microseconds({ name, operands, results: [to], attributes }) ?? Infinity;
  };
  return time("ttnn.max", [whole], row, reduction) + time("ttnn.subtract", [whole, row], whole) +
    time("ttnn.exp", [whole], whole) + time("ttnn.sum", [whole], row, reduction) +
    time("ttnn.divide", [whole, row], whole);
}
