// SPDX-License-Identifier: Apache-2.0
import { permutationKeepsPages, reshapeKeepsPages } from "../ops/view_shapes.ts";
import { isInShards, memoryOf, type ProgramTensor, sameShards } from "./program_tensor.ts";

/**
 * Whether a reshape between these tensors shares its input's buffer: the last dimension stays, in tiles the second-last
 * stays too or both are whole tiles, and the result lies where the input lies; on the host only the shape is written anew
 * (`ttnn:backend-0-81-1`).
 */
export function reshapeSharesBuffer(input: ProgramTensor, output: ProgramTensor): boolean {
  if (input.tiled !== output.tiled || input.dataType !== output.dataType) return false;
  if (memoryOf(input) === "host" && memoryOf(output) === "host") return true;
  return reshapeKeepsPages(input.shape, output.shape, input.tiled) && keepsPlace(input, output);
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
  return permutationKeepsPages(input.shape, permutation, input.tiled) && keepsPlace(input, output);
}

/**
 * Whether a tensor that is brought from one layout to the other is there already: same form, and the same banks or
 * shards.
 */
export function keepsPlace(input: ProgramTensor, output: ProgramTensor): boolean {
  return input.tiled === output.tiled && input.dataType === output.dataType &&
    input.placement === output.placement && (!isInShards(input) || sameShards(input, output));
}
