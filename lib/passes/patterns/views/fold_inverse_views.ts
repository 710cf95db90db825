// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { sameType } from "../../../ttnn/value.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";

/**
 * Merges consecutive reshapes and consecutive permutes, and removes identities (tt-mlir: folders of
 * `ReshapeOp` and `PermuteOp`).
 */
export const foldInverseViews: RewritePattern = replacing({
  name: "fold-inverse-views",
  upstream: "level-0",
  roots: ["ttnn.reshape", "ttnn.permute"],
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    const isPermute = op.name === "ttnn.permute";
    const isInOrder = !isPermute || permutationOf(op).every((dim, index) => dim === index);
    if (input !== undefined && isInOrder && sameType(input.type, result.type)) return input;
    const inner = input?.producer;
    const source = inner?.name === op.name ? inner.tensorOperand(0) : undefined;
    // A view of a converted tensor is left alone, because the conversion is needed.
    if (inner === undefined || source?.type.dataType !== result.type.dataType) return undefined;
    const first = isPermute ? permutationOf(inner) : [];
    const properties = isPermute
      ? op.propertiesWith({ permutation: permutationOf(op).map((dim) => first[dim] ?? dim) })
      : { shape: result.type.shape };
    return site.op(op.name, [source], result.type, properties);
  },
});

function permutationOf(op: TtnnOp): readonly number[] {
  return op.read(PERMUTE).permutation;
}
