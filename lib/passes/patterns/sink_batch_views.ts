// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../../layout/extents.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy } from "./matching.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import { PassBuilder } from "../pass_builder.ts";

/**
 * Multiplies two tensors directly if equal reshapes collapsed their leading dimensions for a batched matmul:
 * heads keep their own dimension, which attention patterns match.
 */
export const sinkBatchViews: RewritePattern = {
  name: "sink-batch-views",
  upstream: "none",
  roots: ["ttnn.matmul"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    const [left, right] = [0, 1].map((index) => unfolded(op.tensorOperand(index)));
    if (left === undefined || right === undefined || result === undefined || !isPlain(result.type)) {
      return false;
    }
    const leading = left.type.shape.slice(0, -2);
    const isEquivalent = sameExtents(leading, right.type.shape.slice(0, -2));
    if (!isEquivalent) return false;
    const type = tensorType(context.chip, [...leading, ...result.type.shape.slice(-2)], result.type.dataType);
    const site = new PassBuilder(body, op, context);
    const product = site.op(op.name, [left, right], type, op.properties);
    body.replaceAllUses(result, site.reshape(product, result.type.shape));
    return true;
  },
};

/** The operand of a reshape that collapses leading dimensions. */
function unfolded(value: TensorValue | undefined): TensorValue | undefined {
  const source = madeBy(value, "reshape")?.tensorOperand(0);
  if (value === undefined || source === undefined || !isPlain(value.type) || !isPlain(source.type)) {
    return undefined;
  }
  const [from, to] = [source.type.shape, value.type.shape];
  const isFolded = to.length === 3 && from.length > 3 && sameExtents(from.slice(-2), to.slice(-2)) &&
    source.type.dataType === value.type.dataType;
  return isFolded ? source : undefined;
}
