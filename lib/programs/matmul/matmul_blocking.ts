// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../layout/data_type.ts";
import type { ComputeKernelConfig } from "../../op_config/op_config.ts";
import type { MatmulProblem } from "./matmul_blocks.ts";
import { isInShards } from "../program_tensor.ts";
import { divisorsUpTo } from "../stream.ts";

/** Largest divisor of `value` that is at most `limit`; 1 when there is no larger one. */
export function largestDivisor(value: number, limit: number): number {
  for (let divisor = Math.min(value, limit); divisor > 1; divisor--) {
    if (value % divisor === 0) return divisor;
  }
  return 1;
}

/** A part of a block that fills the destination register, in tiles. */
export interface Subblock {
  readonly height: number;
  readonly width: number;
}

/** The backend's order of output subblocks (tt-metal `SUBBLOCK_HW_CHOICES`; tt-metal:matmul-auto-config). */
const SUBBLOCK_CHOICES: readonly Subblock[] =
  // Each before the one that is as much wider as it is higher.
  ([[4, 2], [8, 1], [7, 1], [3, 2], [6, 1], [5, 1], [2, 2], [4, 1], [3, 1], [2, 1], [1, 1]] as const)
    .flatMap(([more, less]) => [{ height: more, width: less }, { height: less, width: more }]);

/** The same with heights and widths swapped. */
const WIDE_SUBBLOCKS: readonly Subblock[] = SUBBLOCK_CHOICES.map(({ height, width }) => ({
  height: width,
  width: height,
}));

const ONE_TILE: Subblock = { height: 1, width: 1 };

/** The block that one core computes at a time, in tiles. */
export interface MatmulBlock {
  readonly height: number;
  readonly width: number;
  /** K tiles per step. */
  readonly in0BlockW: number;
}

/**
 * Destination register tiles available to a subblock, with full synchronization or not
 * (`ttnn:backend-0-81-1`).
 */
export function subblockRegisterTiles(
  compute: Pick<ComputeKernelConfig, "fp32DestAccEn"> | undefined,
): number {
  return compute?.fp32DestAccEn === true ? 4 : 8;
}

/**
 * The first subblock of the backend's list that divides a block and fits the destination register; 1x1 if
 * none does.
 *
 * @param registerTiles tiles of the destination register that a subblock may fill
 * @param constraint `flat`: one row; `whole_rows`: one row as wide as the block; `wide_first`: the list with width and height swapped;
 * `whole_width`: of that list those of one row, or as wide as the block
 */
export function chooseSubblock(
  blockHeight: number,
  blockWidth: number,
  registerTiles: number,
  constraint: "any" | "flat" | "whole_rows" | "wide_first" | "whole_width" = "any",
): Subblock {
  const isWide = constraint === "wide_first" || constraint === "whole_width";
  const choices = isWide ? WIDE_SUBBLOCKS : SUBBLOCK_CHOICES;
  // By index: a search asks this for every block of every matmul.
  for (let index = 0; index < choices.length; index++) {
    const choice = choices[index] ?? ONE_TILE;
    const { height, width } = choice;
    if (height * width > registerTiles) continue;
    if (blockHeight % height !== 0 || blockWidth % width !== 0) continue;
    if (constraint === "flat" && height !== 1) continue;
    if (constraint === "whole_rows" && (height !== 1 || width !== blockWidth)) continue;
    if (constraint === "whole_width" && height !== 1 && width !== blockWidth) continue;
    return choice;
  }
  return ONE_TILE;
}

/** The backend's estimate of a block's buffer bytes, as coefficients of products of its sides in tiles. */
export interface BlockEstimate {
  /** Per height × K: A, double-buffered, and its transposed copy. */
  readonly heightAndK: number;
  /** Per width × K: B, double-buffered. */
  readonly widthAndK: number;
  /** Per height × width: the result (in A's format) and partial sums. */
  readonly area: number;
  /** Per width: the bias. */
  readonly width: number;
  /** Per height: a sharded A's whole shard and its transposed copy. */
  readonly height: number;
}

/** The backend's estimate for the blocks of a matmul, bias included (`ttnn:backend-0-81-1`). */
export function blockEstimate(
  { in0, in0Transposed, in0TileBytes, in1TileBytes, outTileBytes, bias, compute }: MatmulProblem,
): BlockEstimate {
  const isSharded = isInShards(in0);
  const copies = in0Transposed ? 2 : 1;
  const partials = compute.fp32DestAccEn ? tileBytes("f32") : Math.max(tileBytes("bf16"), outTileBytes);
  return {
    heightAndK: 2 * in0TileBytes * (isSharded ? 1 : copies),
    widthAndK: 2 * in1TileBytes,
    area: in0TileBytes + partials,
    width: bias === undefined ? 0 : tileBytes(bias.dataType),
    height: isSharded ? (in0.shardShape[1] ?? 1) * in0TileBytes * copies : 0,
  };
}

function estimatedBytes(estimate: BlockEstimate, { height, width, in0BlockW }: MatmulBlock): number {
  return height * in0BlockW * estimate.heightAndK + width * in0BlockW * estimate.widthAndK +
    height * width * estimate.area + width * estimate.width + height * estimate.height;
}

/** Whether a block fits `room` bytes by the backend's estimate. */
export function blockFits(block: MatmulBlock, estimate: BlockEstimate, room: number): boolean {
  return estimatedBytes(estimate, block) < room;
}

/** The largest of 16, 8, 4, 2, 1 whose square block fits; 1 even if it does not. */
export function perCoreFactor(in0BlockW: number, estimate: BlockEstimate, room: number): number {
  return [16, 8, 4, 2].find((factor) =>
    blockFits({ height: factor, width: factor, in0BlockW }, estimate, room)
  ) ?? 1;
}

/**
 * Splits a core's output block until the estimate fits: the largest area wins, ties the most square one
 * (tt-metal:matmul-auto-config). If no block fits: one tile at a time.
 *
 * @param room bytes
 * @param order which sides may shrink: the output block only, or also the K block, tried before the next
 * smaller output block or after all of them
 */
export function fitBlock(
  whole: MatmulBlock,
  estimate: BlockEstimate,
  room: number,
  order: "result_only" | "k_first" | "result_first",
): MatmulBlock {
  if (blockFits(whole, estimate, room)) return whole;
  // Whole, 1, then descending, as tt-metal collects them: of equally square blocks the last one wins.
  const squarest = new Map<number, readonly [number, number]>();
  const widths = [whole.width, 1, ...innerDivisors(whole.width)];
  for (const height of [whole.height, 1, ...innerDivisors(whole.height)]) {
    for (const width of widths) {
      const cached = squarest.get(height * width);
      if (cached === undefined || elongation(cached[0], cached[1]) >= elongation(height, width)) {
        squarest.set(height * width, [height, width]);
      }
    }
  }
  const { in0BlockW } = whole;
  const steps = order === "result_only" ? [in0BlockW] : [in0BlockW, ...innerDivisors(in0BlockW), 1];
  const blocks = [...squarest].sort(([a], [b]) => b - a).map(([, [height, width]]) => ({ height, width }));
  // Iterators: most often one of the first blocks fits.
  const tried = order === "result_first"
    ? steps.values().flatMap((step) => blocks.map((block) => ({ ...block, in0BlockW: step })))
    : blocks.values().flatMap((block) => steps.map((step) => ({ ...block, in0BlockW: step })));
  return tried.find((block) => blockFits(block, estimate, room)) ??
    { height: 1, width: 1, in0BlockW: order === "result_only" ? in0BlockW : 1 };
}

/** Divisors other than the number itself and 1, descending. */
function innerDivisors(value: number): readonly number[] {
  return divisorsUpTo(value, value).slice(1, -1);
}

function elongation(a: number, b: number): number {
  return Math.max(a, b) / Math.min(a, b);
}
