// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { pageCopy } from "./page_copy.ts";
import {
  type CircularBuffer,
  inOrder,
  NO_PROGRAMS,
  type OpLaunch,
  type OpPrograms,
  type StreamProgram,
  unknownPrograms,
} from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { permuteSharesBuffer } from "./view.ts";
import { permutationOf } from "../ops/view_shapes.ts";

/** `permute` and `transpose`: whole tiles or rows where the last dimensions stay, turned tiles where they swap. */
export function permutePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const rank = input.shape.length;
  const order = permutationOf(op.attributes, rank);
  if (order === undefined) return unknownPrograms(op.name, "its dimensions are no permutation");
  if (permuteSharesBuffer(input, output, order)) return NO_PROGRAMS;
  const last = order.at(-1);
  const before = order.at(-2);
  if (last === rank - 2 && before === rank - 1) return inOrder(transposeTiles(input, output, chip));
  const keepsPages = last === rank - 1 && (before === rank - 2 || !input.tiled);
  if (!keepsPages) return inOrder(rowShuffle(input, output, chip));
  return inOrder(pageCopy([input], [output], { circularBuffers: buffers(input, output) }, chip));
}

/** Transposition of the last two dimensions: every tile is turned by the unpacker and moved to its new place. */
export function transposeTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  return streamProgram({
    units: output.tiles,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: [{ operation: "transpose", count: 1 }],
    circularBuffers: buffers(input, output),
  }, chip);
}

/**
 * Elements that change tiles without order: permutations of the last two dimensions with others. Rows of 32 elements
 * move one by one; the reader issues one transaction for each.
 */
export function rowShuffle(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const bytesPerRow = Math.max(1, input.bytes / Math.max(1, input.tiles * 32));
  return streamProgram({
    units: output.tiled ? output.tiles : output.pages,
    reads: [{ tensor: input, bytes: Math.max(input.bytes, output.bytes), transactionBytes: bytesPerRow }],
    writes: [wholeTensor(output)],
    compute: [{ operation: "transpose", count: 1 }],
    circularBuffers: buffers(input, output),
  }, chip);
}

/** Two pages on either side (tt-metal:permute; recorded for a transpose: four tiles). */
function buffers(input: ProgramTensor, output: ProgramTensor): readonly CircularBuffer[] {
  return [pageBuffer("in0", 2, input), pageBuffer("out", 2, output)];
}
