// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readIntegers } from "../dialect/attribute_values.ts";
import { elementBytes } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import { pageCopy } from "./page_copy.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS, type OpPrograms, unknownPrograms } from "./program.ts";
import { alignmentOf, bytesPerTile, type ProgramTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { padSharesBuffer } from "./view.ts";

/**
 * `pad`: no program if the padding fits in the tiles' own padding; otherwise pages in flight and one page of the
 * padding value.
 */
export function padPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (padSharesBuffer(op, input, output)) return NO_PROGRAMS;
  const before = readIntegers(op.attributes, "padding")?.at(-2) ?? 0;
  return inOrder(input.tiled ? padTiles(input, output, chip) : padRows(input, output, before, chip));
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

/** Short copies that a row of padding takes, which every row of the result begins as and is waited for. */
const COPIES_PER_ROW = 4;

/** Likewise the row of the input, where it cannot be read to its place: it is staged, waited for and copied. */
const STAGED_COPIES = 3;

/** Bytes of rows that are read before the reader waits. */
const BARRIER_BYTES = 2048;

/** As many barriers' rows are in flight, however wide they are (tt-metal:pad, `buffer_reader_writer_async_factor`). */
const BARRIERS_IN_FLIGHT = 16;

/**
 * Every row of the result is a copy of a row of padding first, then the row of the input is read into it; where that does
 * not begin, or the result does not end, on a word of the memory, through a staging buffer (tt-metal:pad,
 * `reader_pad_dims_rm_interleaved_v2`).
 */
function padRows(
  input: ProgramTensor,
  output: ProgramTensor,
  before: number,
  chip: ChipDescription,
): DeviceProgram {
  const alignment = alignmentOf(output, chip);
  const isStaged = before > 0 || output.pageBytes % alignment !== 0;
  return pageCopy([input], [output], {
    shortCopies: COPIES_PER_ROW + (isStaged ? STAGED_COPIES : 0),
    circularBuffers: rowBuffers(output, chip),
  }, chip);
}

/** Rows of the result in flight, a row of the padding value, and one to stage rows in. */
function rowBuffers(output: ProgramTensor, chip: ChipDescription): readonly CircularBuffer[] {
  const bytes = (output.shape.at(-1) ?? 1) * elementBytes(output.dataType);
  const row = roundUp(bytes, chip.l1Alignment);
  const perBarrier = Math.ceil(BARRIER_BYTES / row);
  const inDram = roundUp(bytes, chip.dramAlignment);
  return [
    { name: "in0", bytes: BARRIERS_IN_FLIGHT * perBarrier * row },
    { name: "padding_value", bytes: inDram },
    { name: "staging", bytes: inDram },
  ];
}
