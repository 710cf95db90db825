// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { rowElementBytes, tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { type CircularBuffer, circularBuffer } from "../circular_buffer.ts";
import { copyProgram } from "../data_movement/memory_move.ts";
import { largestDivisor } from "../matmul/matmul_blocking.ts";
import type { StreamProgram } from "../program.ts";
import type { ProgramTensor } from "../program_tensor.ts";
import { elementShard } from "../shard_spec.ts";
import { streamProgram } from "../stream.ts";

/** Tile rows that the program holds. */
const HELD_ROWS = 4;

/**
 * Reads a convolution slice of a DRAM operand into row-major shards: tiles are untilized, rows that do not
 * begin on a DRAM word are copied (`ttnn:backend-0-81-1`).
 */
export function paddedSlice(
  input: ProgramTensor,
  slice: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const rows = slice.extent[0];
  const units = input.tiled ? Math.ceil(rows / 32) : rows;
  return streamProgram({
    units,
    maxCores: slice.shardCores,
    reads: [{
      tensor: input,
      bytes: Math.min(input.bytes, rows * slice.extent[1] * rowElementBytes(input.dataType)),
    }],
    writes: [],
    compute: {
      work: input.tiled
        ? [{ operation: "untilize_row", count: 1 }, { operation: "untilize", count: tilesOfRow(slice) }]
        : [],
    },
    // Tiled reads have a barrier per tile row; row-major reads are issued without waiting.
    reader: { barriers: input.tiled ? 1 : slice.shardCores / Math.max(1, units) },
    circularBuffers: input.tiled ? tileBuffers(input, slice, chip) : rowBuffers(input, slice, chip),
  }, chip);
}

/** Bytes of rows that a core reads per barrier. */
const READ_BYTES = 4096;

/**
 * Writes interleaved rows of a slice to their place in DRAM (`ttnn:backend-0-81-1`, tt-metal `slice_write`).
 */
export function writtenRows(
  slice: ProgramTensor,
  place: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const page = roundUp(slice.pageBytes, chip.dramAlignment);
  const rowsOfCore = roundUp(Math.ceil(slice.pages / workerCores(chip)), 32);
  const rows = largestDivisor(rowsOfCore, Math.max(1, Math.floor(READ_BYTES / page)));
  return { ...copyProgram(slice, place, chip), circularBuffers: [circularBuffer("in0", 2 * rows * page)] };
}

/** Bytes of a row of a shard. */
function shardRow(slice: ProgramTensor, { l1Alignment }: ChipDescription): number {
  return roundUp(elementShard(slice)[1] * rowElementBytes(slice.dataType), l1Alignment);
}

/** Tiles that the channels of a shard span, on the core with the most. */
function tilesOfRow(slice: ProgramTensor): number {
  const [, width] = elementShard(slice);
  const columns = slice.gridShape.at(-1) ?? 1;
  let most = 0;
  for (let column = 0; column < columns; column++) {
    const begin = column * width;
    most = Math.max(most, Math.ceil((begin + width) / 32) - Math.floor(begin / 32));
  }
  return most;
}

function tileBuffers(
  input: ProgramTensor,
  slice: ProgramTensor,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const tiles = HELD_ROWS * tilesOfRow(slice);
  return [
    circularBuffer("in0", tiles * tileBytes(input.dataType)),
    circularBuffer("untilized", tiles * tileBytes(slice.dataType)),
    circularBuffer("row", shardRow(slice, chip)),
  ];
}

/**
 * A row if shards are padded beyond the operand's channels, and two DRAM pages if rows begin inside DRAM
 * words.
 */
function rowBuffers(
  input: ProgramTensor,
  slice: ProgramTensor,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const row = shardRow(slice, chip);
  const channels = slice.shape.at(-1) ?? 1;
  const page = channels * rowElementBytes(input.dataType);
  const share = Math.floor(page / (slice.gridShape.at(-1) ?? 1));
  return [
    ...row > share ? [circularBuffer("padding", row)] : [],
    ...row % chip.dramAlignment === 0
      ? []
      : [circularBuffer("staging", 2 * roundUp(page + chip.dramAlignment, chip.dramAlignment))],
  ];
}
