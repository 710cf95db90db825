// SPDX-License-Identifier: Apache-2.0
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import { normalDim, sameExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { madeBelowReshape, madeBy } from "../matching.ts";
import { SOFTMAX } from "../../../ops/attributes/normalization.ts";

/**
 * `exp(x − max(x)) / sum(exp(x − max(x)))` → numerically stable `softmax`; without the maximum, a plain one
 * (tt-mlir: `SoftmaxFusionPattern`, `NumericStableSoftmaxFusionPattern`).
 */
export const fuseSoftmax: RewritePattern = replacing({
  name: "fuse-softmax",
  upstream: "level-0",
  roots: ["ttnn.divide"],
  replace: (op, site, result) => {
    const [numerator, denominator] = [op.tensorOperand(0), op.tensorOperand(1)];
    const exponent = madeBy(numerator, "exp")?.tensorOperand(0);
    const sum = madeBelowReshape(denominator, "sum");
    if (sum === undefined || exponent === undefined || numerator === undefined) return undefined;
    const dim = keptDimension(sum, numerator, denominator);
    if (dim === undefined) return undefined;
    const subtract = madeBy(exponent, "subtract");
    const input = subtract?.tensorOperand(0);
    const max = madeBelowReshape(subtract?.tensorOperand(1), "max");
    const isStable = input !== undefined && max !== undefined &&
      keptDimension(max, input, subtract?.tensorOperand(1)) === dim;
    const source = isStable ? input : exponent;
    if (!sameType(source.type, result.type)) return undefined;
    return site.op("ttnn.softmax", [source], result.type, {
      compute_config: sum.properties.get("compute_config"),
      dimension: dim,
      numericStable: isStable,
    });
  },
});

/** The dimension that a reduction of `input` reduces to one in `reduced`. */
function keptDimension(
  reduction: TtnnOp,
  input: TensorValue,
  reduced: TensorValue | undefined,
): number | undefined {
  const [given, ...others] = reduction.read(REDUCE).dim_arg ?? [];
  const { shape } = input.type;
  if (given === undefined || others.length > 0 || reduction.operands[0] !== input) return undefined;
  const dim = normalDim(given, shape.length);
  return reduced !== undefined && sameExtents(reduced.type.shape, shape.with(dim, 1)) ? dim : undefined;
}

/**
 * Decomposes an f32 softmax over few long rows into its formula if that is predicted faster: its kernel
 * assigns whole tile rows to cores, of which a batch of logits has few, while most ops of the formula use all
 * tiles in parallel. In other formats the kernel keeps more intermediate bits than the formula.
 */
export const spellOutSoftmax: RewritePattern = replacing({
  name: "spell-out-softmax",
  upstream: "none",
  roots: ["ttnn.softmax"],
  pays: (after, before) => after < before,
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
    let exponent: TensorValue = input;
    if (op.read(SOFTMAX).numericStable) {
      exponent = site.binary("subtract", input, site.op("ttnn.max", [input], row, reduction));
    }
    const power = site.unary("exp", exponent);
    const sum = site.op("ttnn.sum", [power], row, reduction);
    return site.op("ttnn.divide", [power, sum], result.type);
  },
});
