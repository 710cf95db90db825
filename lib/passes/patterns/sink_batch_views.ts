// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../../layout/extents.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy } from "./matching.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";

/**
 * Multiplies two tensors directly if equal reshapes collapsed their leading dimensions for a batched matmul:
 * heads keep their own dimension, which attention patterns match.
 */
export const sinkBatchViews: RewritePattern = replacing({
  name: "sink-batch-views",
  upstream: "none",
  roots: ["ttnn.matmul"],
  replace: (op, site, result) => {
    const [left, right] = [0, 1].map((index) => unfolded(op.tensorOperand(index)));
    if (left === undefined || right === undefined || !isPlain(result.type)) return undefined;
    const leading = left.type.shape.slice(0, -2);
    const isEquivalent = sameExtents(leading, right.type.shape.slice(0, -2));
    if (!isEquivalent) return undefined;
    const type = tensorType(
      site.context.chip,
      [...leading, ...result.type.shape.slice(-2)],
      result.type.dataType,
    );
    const product = site.op(op.name, [left, right], type, op.properties);
    return site.reshape(product, result.type.shape);
  },
});

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
