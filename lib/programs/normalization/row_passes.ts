// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import type { ResidentProgram, StreamProgram } from "../program.ts";
import type { ProgramTensor } from "../program_tensor.ts";
import { residentProgram, streamProgram, wholeTensor } from "../stream.ts";

/** Tiles that norm and softmax kernels read, and hold in the destination register, at once. */
export const BLOCK_TILES: number = 8;

/**
 * Tiles of a row that norm and softmax kernels process together: the largest divisor ≤ `most` other than 5
 * and 7 (tt-metal `find_max_divisor`).
 */
export function rowBlock(length: number, most: number): number {
  for (let block = Math.min(length, most); block > 1; block--) {
    if (length % block === 0 && block !== 5 && block !== 7) return block;
  }
  return 1;
}

/** Work of a kernel with several passes over each tile row (or column). */
export interface RowPasses {
  /** Tiles of one row. */
  readonly length: number;
  /** Tiles that the threads pass on together. */
  readonly block: number;
  /** Times that each tile is unpacked, computed and packed. */
  readonly passes: number;
  /**
   * Whether a row stays in its buffer until the last pass: the input for norms, the exponentials for softmax.
   */
  readonly holdsRow: boolean;
  /** Sums, means or maxima of a row that later passes wait for. */
  readonly handOvers: number;
  /** Whether the destination register accumulates in f32, which halves its tiles. */
  readonly wide: boolean;
  /** Times that a row is read: above 1 if it does not fit L1. */
  readonly readings: number;
  readonly buffers: readonly CircularBuffer[];
}

/**
 * Tile rows are distributed over the cores: every pass unpacks, computes and packs each tile of a row, and
 * passes scalars to the next pass at a fixed time per row (derived:cost-model).
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
 * {@linkcode rowPasses} over the shards of the cores. Cores that share rows exchange partial sums: each adds
 * all parts of its share of the rows (published:ops-2, rms_norm of one tile row on 16, 30 and 88 cores).
 * Passes go tile by tile and are not shorter without f32 accumulation.
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
