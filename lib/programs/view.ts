// SPDX-License-Identifier: Apache-2.0
import { readInteger, readIntegers } from "../dialect/attribute_values.ts";
import type { OpLaunch } from "./program.ts";
import { isSharded, memoryOf, type ProgramTensor, sameShards } from "./program_tensor.ts";

/**
 * Whether a reshape between these tensors shares its input's buffer: the last dimension stays, in tiles the second-last
 * stays too or both are whole tiles, and memory and format are the same (tt-metal reshape.cpp).
 */
export function reshapeSharesBuffer(input: ProgramTensor, output: ProgramTensor): boolean {
  return input.tiled === output.tiled && input.dataType === output.dataType &&
    keepsRows(input.shape, output.shape, input.tiled) && sharesMemory(input, output);
}

/** Whether a reshape of extents leaves every page where it is. */
export function keepsRows(from: readonly number[], to: readonly number[], tiled: boolean): boolean {
  if ((from.at(-1) ?? 1) !== (to.at(-1) ?? 1)) return false;
  if (!tiled) return true;
  const rowsFrom = from.length < 2 ? 1 : from.at(-2) ?? 1;
  const rowsTo = to.length < 2 ? 1 : to.at(-2) ?? 1;
  return rowsFrom === rowsTo || (rowsFrom % 32 === 0 && rowsTo % 32 === 0);
}

/**
 * Whether a permutation between these tensors shares its input's buffer: only dimensions of extent 1 move, and the
 * memory is the same.
 */
export function permuteSharesBuffer(
  input: ProgramTensor,
  output: ProgramTensor,
  permutation: readonly number[],
): boolean {
  return input.memoryLayout === output.memoryLayout && input.dataType === output.dataType &&
    keepsOrder(input.shape, permutation, input.tiled) && sharesMemory(input, output);
}

/** Whether a permutation moves dimensions of extent 1 only, the last two (tiled) or the last (row-major) staying. */
export function keepsOrder(
  shape: readonly number[],
  permutation: readonly number[],
  tiled: boolean,
): boolean {
  const rank = shape.length;
  if (rank <= 1) return true;
  for (let dim = rank - (tiled ? 2 : 1); dim < rank; dim++) if (permutation[dim] !== dim) return false;
  const moved = permutation.filter((dim) => shape[dim] !== 1);
  return moved.every((dim, index) => index === 0 || (moved[index - 1] ?? 0) < dim);
}

/**
 * Order of the input's dimensions in the output of a `permute` or `transpose`; `undefined` when `permutation` or `dim0`
 * and `dim1` name none.
 */
export function permutationOf(
  op: Pick<OpLaunch, "attributes">,
  rank: number,
): readonly number[] | undefined {
  const wrap = (dim: number) => dim < 0 ? dim + rank : dim;
  const permutation = readIntegers(op.attributes, "permutation");
  if (permutation !== undefined) {
    const normal = permutation.map(wrap);
    const sorted = [...normal].sort((a, b) => a - b);
    return normal.length === rank && sorted.every((dim, index) => dim === index) ? normal : undefined;
  }
  const dims = [readInteger(op.attributes, "dim0"), readInteger(op.attributes, "dim1")];
  const [first, second] = dims.map((dim) => dim === undefined ? undefined : wrap(dim));
  if (first === undefined || second === undefined) return undefined;
  if (first < 0 || second < 0 || first >= rank || second >= rank) return undefined;
  return Array.from({ length: rank }, (_, dim) => dim === first ? second : dim === second ? first : dim);
}

/** Whether a pad between these tensors shares its input's buffer: it adds nothing but what the tiles hold anyway. */
export function padSharesBuffer(
  op: Pick<OpLaunch, "attributes">,
  input: ProgramTensor,
  output: ProgramTensor,
): boolean {
  return input.dataType === output.dataType && sharesMemory(input, output) &&
    padsInsideTiles(op, input.shape, output.shape, input.tiled);
}

/** Whether a pad of extents adds nothing, or (tiled) only behind the last elements of tiles that are there. */
export function padsInsideTiles(
  op: Pick<OpLaunch, "attributes">,
  from: readonly number[],
  to: readonly number[],
  tiled: boolean,
): boolean {
  const padding = readIntegers(op.attributes, "padding");
  if (padding === undefined) return false;
  if (padding.every((amount) => amount === 0) || sameExtents(from, to)) return true;
  if (!tiled || from.length !== to.length) return false;
  if (padding.some((amount, index) => index % 2 === 0 && amount !== 0)) return false;
  return from.every((extent, dim) => {
    const padded = to[dim] ?? 1;
    return dim < from.length - 2 ? extent === padded : Math.ceil(extent / 32) === Math.ceil(padded / 32);
  });
}

/** Whether a repeat between these tensors shares its input's buffer: nothing is repeated. */
export function repeatSharesBuffer(
  op: Pick<OpLaunch, "attributes">,
  input: ProgramTensor,
  output: ProgramTensor,
): boolean {
  return repeatsNothing(op) && input.dataType === output.dataType && sharesMemory(input, output);
}

/** Whether every dimension is repeated once. */
export function repeatsNothing(op: Pick<OpLaunch, "attributes">): boolean {
  return readIntegers(op.attributes, "repeat_dims")?.every((factor) => factor === 1) === true;
}

/** Whether two shapes are equal but for leading extents of 1. */
function sameExtents(a: readonly number[], b: readonly number[]): boolean {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, index) => -1 - index)
    .every((axis) => (a.at(axis) ?? 1) === (b.at(axis) ?? 1));
}

/**
 * Whether a tensor that is brought from one layout to the other is there already: same form, and the same banks or
 * shards.
 */
export function keepsPlace(input: ProgramTensor, output: ProgramTensor): boolean {
  return input.tiled === output.tiled && input.dataType === output.dataType &&
    input.placement === output.placement && (!isSharded(input) || sameShards(input, output));
}

/** Whether a result may lie where the input lies: same buffer type, both interleaved or sharded alike. */
function sharesMemory(input: ProgramTensor, output: ProgramTensor): boolean {
  if (memoryOf(input) !== memoryOf(output) || isSharded(input) !== isSharded(output)) return false;
  return !isSharded(input) || respreadsToItself(input, output);
}

/** Whether the shards of a sharded input, cut anew for the output, are the ones that are there. */
function respreadsToItself(input: ProgramTensor, output: ProgramTensor): boolean {
  const unit = output.tiled ? 32 : 1;
  const expected = output.extent.map((extent, axis) =>
    Math.ceil(Math.ceil(extent / unit) / (input.gridShape[axis] ?? 1))
  );
  return input.memoryLayout === output.memoryLayout &&
    input.gridShape.join("x") === output.gridShape.join("x") &&
    expected.join("x") === input.shardShape.join("x") &&
    output.shardShape.join("x") === input.shardShape.join("x");
}
