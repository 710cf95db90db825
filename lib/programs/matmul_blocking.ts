// SPDX-License-Identifier: Apache-2.0
import type { ComputeKernelConfig, MatmulProgramConfig } from "../op_config/op_config.ts";
import { divisorsUpTo } from "./divisors.ts";
import type { CircularBuffer } from "./circular_buffer.ts";

/** Largest divisor of `value` that is at most `limit`; 1 when there is no larger one. */
export function largestDivisor(value: number, limit: number): number {
  for (let divisor = Math.min(value, limit); divisor > 1; divisor--) {
    if (value % divisor === 0) return divisor;
  }
  return 1;
}

/**
 * Order in which tt-metal tries output subblocks, `[height, width]` in tiles (tt-metal
 * `SUBBLOCK_HW_CHOICES`; tt-metal:matmul-auto-config).
 */
const SUBBLOCK_CHOICES: readonly (readonly [number, number])[] = [
  [4, 2],
  [2, 4],
  [8, 1],
  [1, 8],
  [7, 1],
  [1, 7],
  [3, 2],
  [2, 3],
  [6, 1],
  [1, 6],
  [5, 1],
  [1, 5],
  [2, 2],
  [4, 1],
  [1, 4],
  [3, 1],
  [1, 3],
  [2, 1],
  [1, 2],
  [1, 1],
];

/** What one core computes at a time, in tiles. */
export interface MatmulBlock {
  readonly height: number;
  readonly width: number;
  /** Tiles of the inner dimension per step. */
  readonly in0BlockW: number;
}

/** Tiles of the destination register that a subblock may fill (tt-metal `get_dest_reg_count`). */
export function subblockRegisterTiles(compute: ComputeKernelConfig | undefined): number {
  const half = compute?.fp32DestAccEn === true ? 4 : 8;
  return compute?.dstFullSyncEn === true ? half * 2 : half;
}

/**
 * First subblock of tt-metal's list that divides a block and fits the destination register; 1x1 when none does
 * (`get_matmul_subblock_params`).
 *
 * @param registerTiles tiles of the destination register that a subblock may fill
 * @param constraint what a sharded output asks for: `whole_rows` one row as wide as the block, `flat` one row
 */
export function chooseSubblock(
  blockHeight: number,
  blockWidth: number,
  registerTiles: number,
  constraint: "any" | "flat" | "whole_rows" = "any",
): readonly [number, number] {
  for (const [height, width] of SUBBLOCK_CHOICES) {
    if (height * width > registerTiles) continue;
    if (blockHeight % height !== 0 || blockWidth % width !== 0) continue;
    if (constraint !== "any" && height !== 1) continue;
    if (constraint === "whole_rows" && width !== blockWidth) continue;
    return [height, width];
  }
  return [1, 1];
}

/** Bytes of a tile of each circular buffer in tt-metal's estimate of a block. */
export interface BlockTileBytes {
  readonly in0: number;
  readonly in1: number;
  readonly out: number;
  readonly partials: number;
  /** 0 without a bias that counts. */
  readonly bias: number;
}

/**
 * tt-metal's own estimate of a block's circular buffers, by which it chooses blocks (`get_estimated_size_of_cbs`):
 * both inputs double-buffered, output and partials apart.
 */
function estimateBlockBytes({ height, width, in0BlockW }: MatmulBlock, tile: BlockTileBytes): number {
  return 2 * height * in0BlockW * tile.in0 + 2 * width * in0BlockW * tile.in1 +
    height * width * (tile.out + tile.partials) + width * tile.bias;
}

/** Largest of 16, 8, 4, 2, 1 whose square block fits (`get_per_core_factor`). */
export function perCoreFactor(in0BlockW: number, tile: BlockTileBytes, limit: number): number {
  for (const factor of [16, 8, 4, 2]) {
    if (estimateBlockBytes({ height: factor, width: factor, in0BlockW }, tile) < limit) return factor;
  }
  return 1;
}

/**
 * Cuts a core's output block until the estimate fits: the largest area wins, among equal areas the squarest
 * (`get_multi_dim_per_core_factor`). When no block fits, one tile at a time.
 *
 * @param shrinksK try smaller divisors of the K block, but only after all output blocks
 */
export function fitBlock(
  whole: MatmulBlock,
  tile: BlockTileBytes,
  limit: number,
  shrinksK: boolean,
): MatmulBlock {
  if (estimateBlockBytes(whole, tile) < limit) return whole;
  // Whole, 1, then downwards, as tt-metal collects them: of equally square blocks the last one wins.
  const squarest = new Map<number, readonly [number, number]>();
  const widths = [whole.width, 1, ...innerDivisors(whole.width)];
  for (const height of [whole.height, 1, ...innerDivisors(whole.height)]) {
    for (const width of widths) {
      const known = squarest.get(height * width);
      if (known === undefined || elongation(known[0], known[1]) >= elongation(height, width)) {
        squarest.set(height * width, [height, width]);
      }
    }
  }
  const areas = [...squarest.keys()].sort((a, b) => b - a);
  for (
    const in0BlockW of shrinksK ? [whole.in0BlockW, ...innerDivisors(whole.in0BlockW), 1] : [whole.in0BlockW]
  ) {
    for (const area of areas) {
      const [height, width] = squarest.get(area) ?? [1, 1];
      const block = { height, width, in0BlockW };
      if (estimateBlockBytes(block, tile) < limit) return block;
    }
  }
  return { height: 1, width: 1, in0BlockW: shrinksK ? 1 : whole.in0BlockW };
}

/** Divisors except the number itself and 1, descending. */
function innerDivisors(value: number): readonly number[] {
  return divisorsUpTo(value, value).slice(1, -1);
}

function elongation(a: number, b: number): number {
  return Math.max(a, b) / Math.min(a, b);
}

/** What the circular buffers of a matmul depend on besides its block. */
export interface MatmulBuffers {
  /** Sharding of A in L1. */
  readonly a: "interleaved" | "height" | "block_or_width";
  readonly outputSharded: boolean;
}

/**
 * Circular buffers of a blocked matmul program (fitted on the recorded rows, derived:circular-buffers): inputs are
 * double-buffered only when there is more than one K block, a height-sharded A and a sharded output alias their
 * buffers, block- and width-sharded A keep 64 bytes of scratch.
 *
 * @param kt tiles of the inner dimension
 */
export function matmulCircularBuffers(
  kt: number,
  { height, width, in0BlockW }: MatmulBlock,
  tile: BlockTileBytes,
  { a, outputSharded }: MatmulBuffers,
): readonly CircularBuffer[] {
  const depth = Math.ceil(kt / in0BlockW) > 1 ? 2 : 1;
  const area = height * width;
  const buffers: readonly CircularBuffer[] = [
    { name: "in0", bytes: a === "height" ? 0 : height * in0BlockW * depth * tile.in0 },
    { name: "in1", bytes: width * in0BlockW * depth * tile.in1 },
    { name: "out", bytes: outputSharded ? 0 : area * tile.out },
    { name: "partials", bytes: tile.partials === tile.out ? 0 : area * tile.partials },
    { name: "bias", bytes: width * tile.bias },
    { name: "scratch", bytes: a === "block_or_width" ? 64 : 0 },
  ];
  return buffers.filter(({ bytes }) => bytes > 0);
}

/** Block of a program config: what one core computes at a time. */
export function blockOf(config: MatmulProgramConfig): MatmulBlock {
  switch (config.kind) {
    case "matmul_multi_core_reuse":
    case "matmul_multi_core_reuse_multi_cast_dram_sharded":
      return { height: config.perCoreM, width: config.perCoreN, in0BlockW: config.in0BlockW };
    case "matmul_multi_core_reuse_multi_cast":
    case "matmul_multi_core_reuse_multi_cast_1d":
      return { height: config.outBlockH, width: config.outBlockW, in0BlockW: config.in0BlockW };
  }
}
