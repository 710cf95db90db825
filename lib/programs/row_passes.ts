// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { roundUp } from "../layout/make_layout.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import type { ResidentProgram, StreamProgram } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { residentProgram, streamProgram, wholeTensor } from "./stream.ts";

/** Tiles that norm and softmax kernels read, and keep in the destination register, at once. */
export const BLOCK_TILES: number = 8;

/**
 * Tiles of a row that norm and softmax kernels take together: the largest divisor, but neither five nor seven (tt-metal
 * `find_max_divisor`).
 */
export function rowBlock(length: number, most: number): number {
  for (let block = Math.min(length, most); block > 1; block--) {
    if (length % block === 0 && block !== 5 && block !== 7) return block;
  }
  return 1;
}

/** Work of a kernel that goes over each row (or column) of tiles several times. */
export interface RowPasses {
  /** Tiles of one row. */
  readonly length: number;
  /** Tiles of it that the threads hand one another together. */
  readonly block: number;
  /** Times that each tile is unpacked, computed on and packed. */
  readonly passes: number;
  /** Whether a row stays where it was read until its last pass: norms take it, softmax its exponentials. */
  readonly holdsRow: boolean;
  /** Sums, means or maxima of a row that its further passes wait for. */
  readonly handOvers: number;
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
  { length, block, passes, holdsRow, handOvers, wide, readings, buffers }: RowPasses,
  chip: ChipDescription,
): StreamProgram {
  const barriers = Math.max(1, length / (wide ? BLOCK_TILES / 2 : BLOCK_TILES));
  const units = Math.max(1, input.tiles / Math.max(1, length));
  // Rows of weights are read once by every core, or again with every row that is read again.
  const copies = readings > 1 ? units : Math.min(units, workerCores(chip));
  return streamProgram({
    units,
    reads: [
      { tensor: input, bytes: readings * input.bytes },
      ...further.map((tensor) => ({ tensor, bytes: copies * tensor.bytes, oncePerCore: readings === 1 })),
    ],
    writes: [wholeTensor(output)],
    compute: {
      work: [{ operation: "reduce_row", count: handOvers }, {
        operation: wide ? "pass_wide" : "pass",
        count: length * passes,
      }, { operation: "pass_block", count: Math.ceil(length / block) * passes }],
      passes: { count: passes, holdsUnit: holdsRow },
    },
    parts: barriers,
    reader: { barriers: readings * barriers },
    writer: { barriers },
    flops: input.tiles * 1024 * passes,
    circularBuffers: buffers,
  }, chip);
}

/**
 * The same over the shards that the cores hold. Cores that share rows hand the sums of their parts to one another: each
 * adds up all parts of its share of the rows (published:ops-2, rms_norm of one row of tiles on 16, 30 and 88 cores). Its
 * passes go tile by tile, and are none the shorter where the destination register does not accumulate in f32.
 */
export function shardPasses(
  input: ProgramTensor,
  { passes, handOvers, buffers }: Pick<RowPasses, "passes" | "handOvers" | "buffers">,
): ResidentProgram {
  const rows = Math.max(1, Math.ceil((input.shardShape[0] ?? 1) / (input.tiled ? 1 : 32)));
  const tiles = Math.ceil(input.tiles / Math.max(1, input.shardCores));
  const sharers = Math.max(1, input.gridShape[1] ?? 1);
  return residentProgram(input.shardCores, [
    { operation: "reduce_row", count: rows * handOvers },
    { operation: "add_part", count: sharers > 1 ? roundUp(rows, sharers) * handOvers : 0 },
    { operation: "pass_wide", count: tiles * passes },
  ], { flops: input.tiles * 1024 * passes, circularBuffers: buffers });
}
