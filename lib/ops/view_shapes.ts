// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../layout/extents.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { readInteger, readIntegers } from "../dialect/attribute_values.ts";
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
  const permutation = permutationOf(op.attributes, shape?.length ?? 0);
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
 * Order of the input's dimensions in the result of a `permute` or `transpose`; `undefined` when the properties give
 * none.
 */
export function permutationOf(attributes: AttributeMap, rank: number): readonly number[] | undefined {
  const permutation = readIntegers(attributes, "permutation") ?? swapOf(attributes, rank);
  if (permutation === undefined || permutation.length !== rank) return undefined;
  const normal = permutation.map((dim) => normalDim(dim, rank));
  const sorted = [...normal].sort((a, b) => a - b);
  return sorted.every((dim, index) => dim === index) ? normal : undefined;
}

function swapOf(attributes: AttributeMap, rank: number): readonly number[] | undefined {
  const dims = [readInteger(attributes, "dim0"), readInteger(attributes, "dim1")];
  const [first, second] = dims.map((dim) => dim === undefined ? undefined : normalDim(dim, rank));
  if (first === undefined || second === undefined || Math.max(first, second) >= rank) return undefined;
  return Array.from({ length: rank }, (_, dim) => dim === first ? second : dim === second ? first : dim);
}

/** Whether a pad only fills the padding of the tiles (tt-mlir:l1-spill-management). */
export function padIsView(op: OpSignature, tiled: boolean): boolean {
  const from = op.operands[0]?.shape;
  const to = op.results[0]?.shape;
  return from !== undefined && to !== undefined && padKeepsPages(op.attributes, from, to, tiled);
}

/** {@linkcode padIsView} of two shapes. */
export function padKeepsPages(attributes: AttributeMap, from: Shape, to: Shape, tiled: boolean): boolean {
  const padding = readIntegers(attributes, "padding");
  if (padding === undefined) return false;
  if (padding.every((amount) => amount === 0) || sameButLeadingOnes(from, to)) return true;
  if (!tiled || from.length !== to.length) return false;
  if (padding.some((amount, index) => index % 2 === 0 && amount !== 0)) return false;
  return from.every((extent, dim) => {
    const padded = to[dim] ?? 1;
    return dim < from.length - 2 ? extent === padded : Math.ceil(extent / 32) === Math.ceil(padded / 32);
  });
}

/** Whether a repeat changes nothing. */
export function repeatsNothing(attributes: AttributeMap): boolean {
  return readIntegers(attributes, "repeat_dims")?.every((factor) => factor === 1) === true;
}
