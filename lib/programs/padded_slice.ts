// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { rowElementBytes, tileBytes } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import type { StreamProgram } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { elementShard } from "./sharded_tensor.ts";
import { streamProgram } from "./stream.ts";

/** Rows of tiles that the program holds. */
const HELD_ROWS = 4;

/**
 * Reads the part of an operand in DRAM that a slice of a convolution needs into shards of rows: tiles are untilized, rows
 * that do not begin at whole words of DRAM are copied (`ttnn:backend-0-81-1`).
 */
export function paddedSlice(
  input: ProgramTensor,
  slice: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const [, width] = elementShard(slice);
  const row = roundUp(width * rowElementBytes(slice.dataType), chip.l1Alignment);
  const columns = Math.ceil(width / 32);
  const buffer = (name: string, bytes: number): CircularBuffer => ({ name, bytes, kind: "circular" });
  const isRealigned = input.tiled || input.pageBytes % chip.dramAlignment !== 0 ||
    row % chip.dramAlignment !== 0;
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
    compute: input.tiled
      ? [{ operation: "untilize_row", count: 1 }, { operation: "untilize", count: columns }]
      : [],
    // Tiles are waited for row by row; rows of elements are issued one after the other.
    readBarriers: input.tiled ? 1 : slice.shardCores / Math.max(1, units),
    circularBuffers: [
      ...input.tiled
        ? [
          buffer("in0", HELD_ROWS * columns * tileBytes(input.dataType)),
          buffer("untilized", HELD_ROWS * columns * tileBytes(slice.dataType)),
        ]
        : [],
      ...isRealigned ? [buffer("row", row)] : [],
    ],
  }, chip);
}
