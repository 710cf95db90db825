// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../layout/extents.ts";
import { PAD, PERMUTE, REPEAT, TRANSPOSE } from "./attributes/movement.ts";
import { type AttributedOp, readAttributes } from "./attributes/read_attributes.ts";
import type { OpSignature } from "./op_signature.ts";
import { sameButLeadingOnes, type Shape } from "./shapes.ts";

// When a result shares the pages of its operand, by shapes alone: layouts may still forbid it. `tiled` says whether the
// pages are tiles (else rows).

/**
 * Whether a reshape keeps its pages: the last dimension stays; in tiles the second-last stays too, or both are whole
 * tiles (tt-metal:reshape).
 */
export function reshapeIsView(op: OpSignature, tiled: boolean): boolean {
  const from = op.operands[0]?.shape;
  const to = op.results[0]?.shape;
  return from !== undefined && to !== undefined && reshapeKeepsPages(from, to, tiled);
}

/** {@linkcode reshapeIsView} of two shapes. */
export function reshapeKeepsPages(from: Shape, to: Shape, tiled: boolean): boolean {
  if ((from.at(-1) ?? 1) !== (to.at(-1) ?? 1)) return false;
  if (!tiled) return true;
  const [rowsFrom, rowsTo] = [from.at(-2) ?? 1, to.at(-2) ?? 1];
  return rowsFrom === rowsTo || (rowsFrom % 32 === 0 && rowsTo % 32 === 0);
}

/**
 * Whether a permutation moves dimensions of extent 1 only, which changes no extent, while the last two dimensions of
 * tiles stay in place (`ttnn:backend-0-81-1`).
 */
export function permuteIsView(op: OpSignature, tiled: boolean): boolean {
  const shape = op.operands[0]?.shape;
  const permutation = permutationOf(op, shape?.length ?? 0);
  return shape !== undefined && permutation !== undefined && permutationKeepsPages(shape, permutation, tiled);
}

/** {@linkcode permuteIsView} of a shape and an order of its dimensions. */
export function permutationKeepsPages(shape: Shape, permutation: readonly number[], tiled: boolean): boolean {
  const rank = shape.length;
  if (rank <= 1) return true;
  const fixed = tiled ? 2 : 0;
  return permutation.every((dim, index) => dim === index || (index < rank - fixed && shape[dim] === 1));
}

/**
 * Order of the input's dimensions in the result of a `permute` or `transpose`; `undefined` when the attributes give
 * none of this rank.
 */
export function permutationOf(op: AttributedOp, rank: number): readonly number[] | undefined {
  return op.name === "ttnn.transpose"
    ? swapOf(op, rank)
    : orderOf(readAttributes(op, PERMUTE).permutation, rank);
}

/** The dimensions counted from the front; `undefined` where they are no order of as many. */
export function orderOf(permutation: readonly number[], rank: number): readonly number[] | undefined {
  if (permutation.length !== rank) return undefined;
  const normal = permutation.map((dim) => normalDim(dim, rank));
  const sorted = [...normal].sort((a, b) => a - b);
  return sorted.every((dim, index) => dim === index) ? normal : undefined;
}

/** The order that a `transpose` gives; `undefined` if it swaps a dimension that is not there. */
export function swapOf(op: AttributedOp, rank: number): readonly number[] | undefined {
  const { dim0, dim1 } = readAttributes(op, TRANSPOSE);
  const [first, second] = [normalDim(dim0, rank), normalDim(dim1, rank)];
  if (Math.max(first, second) >= rank) return undefined;
  return Array.from({ length: rank }, (_, dim) => dim === first ? second : dim === second ? first : dim);
}

/** Whether a pad adds nothing, or only fills the padding of the tiles (tt-mlir:l1-spill-management). */
export function padIsView(op: OpSignature, tiled: boolean): boolean {
  const from = op.operands[0]?.shape;
  const to = op.results[0]?.shape;
  return from !== undefined && to !== undefined &&
    padKeepsPages(readAttributes(op, PAD).padding, from, to, tiled);
}

/** {@linkcode padIsView} of two shapes. */
export function padKeepsPages(padding: readonly number[], from: Shape, to: Shape, tiled: boolean): boolean {
  if (padding.every((amount) => amount === 0) || sameButLeadingOnes(from, to)) return true;
  if (!tiled || from.length !== to.length) return false;
  if (padding.some((amount, index) => index % 2 === 0 && amount !== 0)) return false;
  return from.every((extent, dim) => {
    const padded = to[dim] ?? 1;
    return dim < from.length - 2 ? extent === padded : Math.ceil(extent / 32) === Math.ceil(padded / 32);
  });
}

/** Whether a repeat changes nothing. */
export function repeatsNothing(op: AttributedOp): boolean {
  return readAttributes(op, REPEAT).repeat_dims.every((factor) => factor === 1);
}
