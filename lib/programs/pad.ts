// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { pageCopy } from "./page_copy.ts";
import {
  type DeviceProgram,
  inOrder,
  NO_PROGRAMS,
  type OpLaunch,
  type OpPrograms,
  unknownPrograms,
} from "./program.ts";
import { bytesPerTile, type ProgramTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { padSharesBuffer } from "./view.ts";

/** `pad`: nothing where the tiles hold the padding anyway; else two pages in flight and one of the padding value. */
export function padPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (padSharesBuffer(op, input, output)) return NO_PROGRAMS;
  return inOrder(input.tiled ? padTiles(input, output, chip) : padRows(input, output, chip));
}

/** Each core makes a tile of the padding value word by word, then copies tiles of the input and of padding. */
function padTiles(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const cores = Math.min(workerCores(chip), output.tiles);
  return streamProgram({
    units: output.tiles,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: [{ operation: "fill_word", count: bytesPerTile(input) / 4 / Math.ceil(output.tiles / cores) }],
    circularBuffers: [pageBuffer("in0", 2, input), pageBuffer("padding_value", 1, input)],
  }, chip);
}

/** Copies that put the padding around a row: before, behind, and the row between them. */
const COPIES_PER_ROW = 4;

/** Each row is read, put between its padding and written, one after the other. */
function padRows(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  return pageCopy([input], [output], {
    shortCopies: COPIES_PER_ROW,
    circularBuffers: [pageBuffer("in0", 2, output), pageBuffer("padding_value", 1, output)],
  }, chip);
}
