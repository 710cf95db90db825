// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { CircularBuffer, ResidentProgram, StreamProgram } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { residentProgram, streamProgram, wholeTensor } from "./stream.ts";

/** Tiles that norm and softmax kernels read, and keep in the destination register, at once. */
export const BLOCK_TILES: number = 8;

/** Work of a kernel that goes over each row (or column) of tiles several times. */
export interface RowPasses {
  /** Tiles of one row. */
  readonly length: number;
  /** Times that each tile is unpacked, computed on and packed. */
  readonly passes: number;
  readonly buffers: readonly CircularBuffer[];
}

/**
 * Rows of tiles go over the cores: every pass unpacks, computes and packs each tile of a row, and hands scalars to the
 * next pass, which costs a fixed time per row (derived:cost-model).
 */
export function rowPasses(
  input: ProgramTensor,
  further: readonly ProgramTensor[],
  output: ProgramTensor,
  { length, passes, buffers }: RowPasses,
  chip: ChipDescription,
): StreamProgram {
  const barriers = Math.max(1, length / BLOCK_TILES);
  return streamProgram({
    units: input.tiles / length,
    reads: [input, ...further].map(wholeTensor),
    writes: [wholeTensor(output)],
    compute: [{ operation: "reduce_row", count: 1 }, { operation: "reduce", count: length * passes }],
    readBarriers: barriers,
    writeBarriers: barriers,
    flops: input.tiles * 1024 * passes,
    circularBuffers: buffers,
  }, chip);
}

/** The same over the shards that the cores hold. */
export function shardPasses(
  input: ProgramTensor,
  { passes, buffers }: Omit<RowPasses, "length">,
): ResidentProgram {
  const rows = Math.max(1, Math.ceil(input.shardShape[0] ?? 1));
  const tiles = Math.ceil(input.tiles / Math.max(1, input.shardCores));
  return residentProgram(input.shardCores, [
    { operation: "reduce_row", count: rows },
    { operation: "reduce", count: tiles * passes },
  ], { flops: input.tiles * 1024 * passes, circularBuffers: buffers });
}
