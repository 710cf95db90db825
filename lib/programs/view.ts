// SPDX-License-Identifier: Apache-2.0
import {
  padKeepsPages,
  permutationKeepsPages,
  repeatsNothing,
  reshapeKeepsPages,
} from "../ops/view_shapes.ts";
import type { OpLaunch } from "./op_launch.ts";
import { isInShards, memoryOf, type ProgramTensor, sameShards } from "./program_tensor.ts";

/**
 * Whether a reshape between these tensors shares its input's buffer: the last dimension stays, in tiles the second-last
 * stays too or both are whole tiles, and the result lies where the input lies; on the host only the shape is written anew
 * (`ttnn-0.81.1`).
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

/** Whether a pad between these tensors shares its input's buffer: it adds nothing but what the tiles hold anyway. */
export function padSharesBuffer(
  op: Pick<OpLaunch, "attributes">,
  input: ProgramTensor,
  output: ProgramTensor,
): boolean {
  return input.dataType === output.dataType && sharesMemory(input, output) &&
    padKeepsPages(op.attributes, input.shape, output.shape, input.tiled);
}

/** Whether a repeat between these tensors shares its input's buffer: nothing is repeated. */
export function repeatSharesBuffer(
  op: Pick<OpLaunch, "attributes">,
  input: ProgramTensor,
  output: ProgramTensor,
): boolean {
  return repeatsNothing(op.attributes) && input.dataType === output.dataType && sharesMemory(input, output);
}

/**
 * Whether a tensor that is brought from one layout to the other is there already: same form, and the same banks or
 * shards.
 */
export function keepsPlace(input: ProgramTensor, output: ProgramTensor): boolean {
  return input.tiled === output.tiled && input.dataType === output.dataType &&
    input.placement === output.placement && (!isInShards(input) || sameShards(input, output));
}

/** Whether a result may lie where the input lies: same buffer type, both interleaved or sharded alike. */
function sharesMemory(input: ProgramTensor, output: ProgramTensor): boolean {
  if (memoryOf(input) !== memoryOf(output) || isInShards(input) !== isInShards(output)) return false;
  return !isInShards(input) || respreadsToItself(input, output);
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
