// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
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
  /** Whether the destination register accumulates in f32, which halves its tiles. */
  readonly wide: boolean;
  /** Times that a row is read: more than once where it does not fit into L1. */
  readonly readings: number;
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
  { length, passes, wide, readings, buffers }: RowPasses,
  chip: ChipDescription,
): StreamProgram {
  const barriers = Math.max(1, length / (wide ? BLOCK_TILES / 2 : BLOCK_TILES));
  const units = Math.max(1, input.tiles / length);
  // Rows of weights are read once by every core, or again with every row that is read again.
  const copies = readings > 1 ? units : Math.min(units, workerCores(chip));
  return streamProgram({
    units,
    reads: [
      { tensor: input, bytes: readings * input.bytes },
      ...further.map((tensor) => ({ tensor, bytes: copies * tensor.bytes })),
    ],
    writes: [wholeTensor(output)],
    compute: [{ operation: "reduce_row", count: 1 }, {
      operation: wide ? "pass_wide" : "pass",
      count: length * passes,
    }],
    // Weights arrive while the row is worked on.
    parts: barriers + (further.length > 0 ? 1 : 0),
    readBarriers: readings * barriers,
    writeBarriers: barriers,
    flops: input.tiles * 1024 * passes,
    circularBuffers: buffers,
  }, chip);
}

/** The same over the shards that the cores hold. */
export function shardPasses(
  input: ProgramTensor,
  { passes, wide, buffers }: Omit<RowPasses, "length" | "readings">,
): ResidentProgram {
  const rows = Math.max(1, Math.ceil((input.shardShape[0] ?? 1) / (input.tiled ? 1 : 32)));
  const tiles = Math.ceil(input.tiles / Math.max(1, input.shardCores));
  return residentProgram(input.shardCores, [
    { operation: "reduce_row", count: rows },
    { operation: wide ? "pass_wide" : "pass", count: tiles * passes },
  ], { flops: input.tiles * 1024 * passes, circularBuffers: buffers });
}
