// SPDX-License-Identifier: Apache-2.0
import type { MatmulProgramConfig } from "../op_config.ts";

/** Largest divisor of `value` that is at most `limit`; 1 when there is no larger one. */
export function largestDivisor(value: number, limit: number): number {
  for (let divisor = Math.min(value, limit); divisor > 1; divisor--) {
    if (value % divisor === 0) return divisor;
  }
  return 1;
}

/** Greatest common divisor of two positive integers. */
export function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/**
 * Order in which tt-metal tries output subblocks, `[height, width]` in tiles (tt-metal `SUBBLOCK_HW_CHOICES`; specs 03
 * §B2).
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

/**
 * First subblock that divides the block and fits the destination register.
 *
 * @param sharedOutput the output is sharded: only `1×w` with `w` the block's width, or `h×1` with the block's height
 * @param registerTiles tiles of the destination register that a subblock may fill
 */
export function chooseSubblock(
  blockHeight: number,
  blockWidth: number,
  shardedOutput: boolean,
  registerTiles: number,
): readonly [number, number] {
  for (const [height, width] of SUBBLOCK_CHOICES) {
    if (height * width > registerTiles) continue;
    if (blockHeight % height !== 0 || blockWidth % width !== 0) continue;
    if (shardedOutput && width !== blockWidth && height !== 1) continue;
    return [height, width];
  }
  return [1, 1];
}

/** Bytes of a tile of each circular buffer of a matmul. */
export interface MatmulTileBytes {
  readonly in0: number;
  readonly in1: number;
  readonly out: number;
  readonly partials: number;
  /** 0 without a fused bias. */
  readonly bias: number;
}

/**
 * tt-metal's own estimate of a block's circular buffers, by which it chooses blocks (`get_estimated_size_of_cbs`):
 * both inputs double-buffered, output and partials apart.
 */
export function estimateBlockBytes(
  height: number,
  width: number,
  in0BlockW: number,
  tile: MatmulTileBytes,
): number {
  return 2 * height * in0BlockW * tile.in0 + 2 * width * in0BlockW * tile.in1 +
    height * width * (tile.out + tile.partials) + width * tile.bias;
}

/** Largest of 16, 8, 4, 2, 1 whose square block fits (`get_per_core_factor`). */
export function perCoreFactor(in0BlockW: number, tile: MatmulTileBytes, limit: number): number {
  for (const factor of [16, 8, 4, 2]) {
    if (estimateBlockBytes(factor, factor, in0BlockW, tile) < limit) return factor;
  }
  return 1;
}

/**
 * Shrinks a per-core block to divisors of it until the estimate fits: the largest block wins, the wider one among
 * equals. When not even one tile fits, the K block shrinks to 1 (`get_multi_dim_per_core_factor`).
 */
export function shrinkBlock(
  perCoreM: number,
  perCoreN: number,
  in0BlockW: number,
  tile: MatmulTileBytes,
  limit: number,
): { readonly height: number; readonly width: number; readonly in0BlockW: number } {
  if (estimateBlockBytes(perCoreM, perCoreN, in0BlockW, tile) < limit) {
    return { height: perCoreM, width: perCoreN, in0BlockW };
  }
  for (const k of in0BlockW > 1 ? [in0BlockW, 1] : [1]) {
    let best: { height: number; width: number; in0BlockW: number } | undefined;
    for (const height of divisors(perCoreM)) {
      for (const width of divisors(perCoreN)) {
        if (estimateBlockBytes(height, width, k, tile) >= limit) continue;
        const better = best === undefined || height * width > best.height * best.width ||
          (height * width === best.height * best.width && width > best.width);
        if (better) best = { height, width, in0BlockW: k };
      }
    }
    if (best !== undefined) return best;
  }
  return { height: 1, width: 1, in0BlockW: 1 };
}

/**
 * Bytes of the circular buffers of a matmul program (fitted on the recorded rows, specs 03 §B2): inputs are double-
 * buffered only when there is more than one K block, a height-sharded A and a sharded output alias their buffers,
 * block- and width-sharded A keep 64 bytes of scratch.
 */
export function matmulCbBytes(
  kt: number,
  block: { readonly height: number; readonly width: number; readonly in0BlockW: number },
  tile: MatmulTileBytes,
  sharding: { readonly a: "interleaved" | "height" | "block_or_width"; readonly outputSharded: boolean },
): number {
  const blocks = Math.max(1, Math.ceil(kt / block.in0BlockW));
  const depth = blocks > 1 ? 2 : 1;
  let bytes = sharding.a === "height" ? 0 : block.height * block.in0BlockW * depth * tile.in0;
  bytes += block.width * block.in0BlockW * depth * tile.in1;
  const area = block.height * block.width;
  if (!sharding.outputSharded) bytes += area * tile.out;
  if (tile.partials !== tile.out) bytes += area * tile.partials;
  bytes += block.width * tile.bias;
  return sharding.a === "block_or_width" ? bytes + 64 : bytes;
}

/** Block of a program config: what one core computes at a time. */
export function blockOf(
  config: MatmulProgramConfig,
): { readonly height: number; readonly width: number; readonly in0BlockW: number } {
  switch (config.kind) {
    case "matmul_multi_core_reuse":
    case "matmul_multi_core_reuse_multi_cast_dram_sharded":
      return { height: config.perCoreM, width: config.perCoreN, in0BlockW: config.in0BlockW };
    case "matmul_multi_core_reuse_multi_cast":
    case "matmul_multi_core_reuse_multi_cast_1d":
      return { height: config.outBlockH, width: config.outBlockW, in0BlockW: config.in0BlockW };
  }
}

function divisors(value: number): readonly number[] {
  const found: number[] = [];
  for (let divisor = 1; divisor <= value; divisor++) if (value % divisor === 0) found.push(divisor);
  return found;
}
