// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import {
  type DeviceProgram,
  inOrder,
  NO_PROGRAMS,
  type OpLaunch,
  type OpPrograms,
  type StreamProgram,
  unknownPrograms,
} from "./program.ts";
import { isPresent, type ProgramTensor } from "./program_tensor.ts";
import { residentProgram, streamProgram, wholeTensor } from "./stream.ts";
import { permutationOf, permuteSharesBuffer, reshapeSharesBuffer } from "./view.ts";

/** Rows of 16 elements in a tile: two in each row of its faces. */
const HALF_ROWS = 64;

/** Bytes of rows that a slice reads before it waits (tt-metal slice program factory, `max_read_size`). */
const SLICE_BUFFER_BYTES = 4096;

/** Ops that copy pages without changing them inside: concat, slice, pad, repeat, copies, heads. */
export function pageCopyPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const writes = op.outputs.filter(isPresent);
  const [first] = writes;
  if (first === undefined) return NO_PROGRAMS;
  const reads = op.inputs.filter(isPresent);
  const moved = writes.reduce((sum, tensor) => sum + tensor.bytes, 0);
  const available = reads.reduce((sum, tensor) => sum + tensor.bytes, 0);
  // Slices of rows wait once for as many rows as fit a buffer.
  const barriers = op.name.includes("slice") && !first.tiled
    ? Math.min(1, first.pageBytes / SLICE_BUFFER_BYTES)
    : 1;
  return inOrder(streamProgram({
    units: writes.reduce((sum, tensor) => sum + tensor.pages, 0),
    // A slice reads only what it keeps; a repeat reads its input again.
    reads: reads.map((tensor) => ({ tensor, bytes: moved * tensor.bytes / Math.max(1, available) })),
    writes: writes.map(wholeTensor),
    readBarriers: barriers,
    shortCopies: barriers < 1 ? 1 : 0,
    writeBarriers: barriers,
  }, chip));
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
  }, chip);
}

/** `permute` and `transpose`: whole tiles or rows where the last dimensions stay, turned tiles where they swap. */
export function permutePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const rank = input.shape.length;
  const order = permutationOf(op, rank);
  if (order === undefined) return unknownPrograms(op.name, "its dimensions are no permutation");
  if (permuteSharesBuffer(input, output, order)) return NO_PROGRAMS;
  const last = order.at(-1);
  const before = order.at(-2);
  if (last === rank - 1 && before === rank - 2) return pageCopyPrograms(op, chip);
  if (last === rank - 2 && before === rank - 1) return inOrder(transposeTiles(input, output, chip));
  if (!input.tiled && last === rank - 1) return pageCopyPrograms(op, chip);
  return inOrder(rowShuffle(input, output, chip));
}

/** `reshape`: nothing when it is a view; otherwise rows of elements find new tiles. */
export function reshapePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (reshapeSharesBuffer(input, output)) return NO_PROGRAMS;
  return input.tiled || output.tiled
    ? inOrder(reshapeTiles(input, output, chip))
    : pageCopyPrograms(op, chip);
}

/** `reshape` of tiles: the reader copies every half row of 16 elements from its old tile to its new one. */
export function reshapeTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const volume = (tensor: ProgramTensor) => tensor.shape.reduce((product, extent) => product * extent, 1);
  const filled = Math.min(1, volume(input) / Math.max(1, output.tiles * 1024));
  return streamProgram({
    units: output.tiles,
    reads: [{ tensor: input, bytes: Math.max(input.bytes, output.bytes) }],
    writes: [wholeTensor(output)],
    shortCopies: HALF_ROWS * filled,
  }, chip);
}

/** Rows picked by index: embedding, gather. Each index is one read of a row; tiled results are tilized on the way. */
export function rowGatherPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const output = op.outputs[0];
  const table = op.inputs.find((tensor, index) => index > 0 && tensor !== undefined) ?? op.inputs[0];
  if (output === undefined || table === undefined) {
    return unknownPrograms(op.name, "needs a table and a result");
  }
  const rowBytes = table.tiled ? Math.max(1, table.bytes / Math.max(1, table.extent[0])) : table.pageBytes;
  return inOrder(streamProgram({
    units: output.tiled ? Math.ceil(output.extent[0] / 32) : output.pages,
    reads: [{ tensor: table, bytes: output.bytes, transactionBytes: rowBytes }],
    writes: [wholeTensor(output)],
    compute: output.tiled ? [{ operation: "tilize", count: Math.ceil(output.extent[1] / 32) }] : [],
  }, chip));
}

/** `upsample`: every input stick is written as often as it is repeated. */
export function upsamplePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const program = { units: input.pages, reads: [wholeTensor(input)], writes: [wholeTensor(output)] };
  return inOrder(streamProgram(program, chip));
}

/**
 * `move`: a buffer copied to another address of the same memory, to close gaps. Shards stay in their core and are
 * copied by the data movement threads.
 */
export function moveProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  if (input.placement === "l1_sharded" && output.placement === "l1_sharded") {
    return residentProgram(output.shardCores, [], { copiedBytes: output.shardBytes });
  }
  const program = { units: output.pages, reads: [wholeTensor(input)], writes: [wholeTensor(output)] };
  return streamProgram(program, chip);
}
