// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { pageCopy } from "./page_copy.ts";
import {
  type DeviceProgram,
  inOrder,
  NO_PROGRAMS,
  type OpLaunch,
  type OpPrograms,
  type StreamProgram,
  unknownPrograms,
} from "./program.ts";
import { circularBufferPage, interleavedCopy, type ProgramTensor } from "./program_tensor.ts";
import { relayout } from "./relayout.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { reshapeSharesBuffer } from "./view.ts";

/** Rows of 16 elements in a tile: two in each row of its faces. */
const HALF_ROWS = 64;

/** Bytes of the page map that the reshape program reads (derived:circular-buffers: 2 tiles and 1024 bytes). */
const MAP_BYTES = 1024;

/**
 * `reshape`: nothing when it is a view; otherwise rows of elements find new tiles. Shards go through interleaved L1 on
 * either side (tt-metal:reshape).
 */
export function reshapePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (reshapeSharesBuffer(input, output)) return NO_PROGRAMS;
  const [from, to] = [gathered(input), gathered(output)];
  return inOrder(
    ...from === input ? [] : relayout(input, from, chip).programs,
    input.tiled || output.tiled ? reshapeTiles(from, to, chip) : reshapeRows(from, to, chip),
    ...to === output ? [] : relayout(to, output, chip).programs,
  );
}

function gathered(tensor: ProgramTensor): ProgramTensor {
  return tensor.placement === "l1_sharded" ? interleavedCopy(tensor, "l1") : tensor;
}

function reshapeRows(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const page = Math.max(circularBufferPage(input), circularBufferPage(output));
  return pageCopy([input], [output], { circularBuffers: [{ name: "in0", bytes: 2 * page }] }, chip);
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
    circularBuffers: [
      pageBuffer("in0", 1, input),
      pageBuffer("out", 1, output),
      { name: "page_map", bytes: MAP_BYTES },
    ],
  }, chip);
}
