// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../ops/attributes/movement.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { cutOf, isPlain, madeBy } from "./matching.ts";

/**
 * Slices one of several tensors directly from the matmul that computed them side by side, instead of from its
 * permuted view `[…, 3, heads, size]`: from `[…, 3 · heads · size]` a slice takes whole columns, and the
 * permute only moves heads, which the head-splitting patterns match (tt-mlir:
 * `SplitQueryKeyValueAndSplitHeads` fusing). The permuted tensor stays if it has other users.
 */
export const raiseSlices: RewritePattern = replacing({
  name: "raise-slices",
  upstream: "none",
  roots: ["ttnn.slice_static"],
  replace: (op, site, result) => {
    const cut = cutOf(op);
    const permute = madeBy(op.operands[0], "permute");
    const view = madeBy(permute?.operands[0], "reshape");
    const source = view?.tensorOperand(0);
    const [permuted, split] = [permute?.tensorResult, view?.tensorResult];
    if (cut === undefined || permute === undefined || source === undefined) return undefined;
    if (permuted === undefined || split === undefined || cut.to - cut.from !== 1) return undefined;
    if (![result, permuted, split, source].every(({ type }) => isPlain(type))) return undefined;
    // Only such slices may read the permuted tensor, so that it is erased with the last of them.
    if ([...permuted.uses.keys()].some((user) => cutOf(user)?.dim !== cut.dim)) return undefined;
    const order = permute.read(PERMUTE).permutation;
    const dim = order[cut.dim] ?? 0;
    const rows = source.type.shape.slice(0, -1);
    const isColumns = dim === rows.length && sameExtents(split.type.shape.slice(0, dim), rows) &&
      split.type.dataType === source.type.dataType;
    if (!isColumns) return undefined;
    const width = volume(split.type.shape.slice(dim + 1));
    const columns = site.slice(source, -1, { from: cut.from * width, to: cut.to * width });
    const alone = site.reshape(columns, split.type.shape.toSpliced(dim, 1));
    const kept = order.filter((from) => from !== dim).map((from) => (from > dim ? from - 1 : from));
    const reordered = site.permute(alone, kept);
    return site.reshape(reordered, result.type.shape);
  },
});
