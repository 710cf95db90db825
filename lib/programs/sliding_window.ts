// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../ops/sliding_window.ts";

/**
 * Cores that tt-metal gives to so many units: the largest count at most `limit` that wastes less than one core's share
 * on padding (`find_closest_largest_divisor_with_num_padding`).
 */
export function coresWithLittlePadding(work: number, limit: number): number {
  for (let cores = Math.min(limit, Math.max(1, work)); cores > 1; cores--) {
    const share = Math.ceil(work / cores);
    if (share * cores - work < share) return cores;
  }
  return 1;
}

/**
 * Bytes per core of the halo: the rows of padded input that the output pixels of one core look at.
 *
 * @param pixels output pixels per core
 * @param channelBytes bytes of all channels of one pixel that the core holds
 */
export function haloBytes(window: SlidingWindow, pixels: number, channelBytes: number): number {
  const outputRows = Math.min(
    window.outputHeight * window.batch,
    Math.ceil(pixels / window.outputWidth) + (pixels % window.outputWidth === 0 ? 0 : 1),
  );
  const inputRows = (outputRows - 1) * window.strideHeight +
    window.dilationHeight * (window.kernelHeight - 1) + 1;
  return inputRows * (window.inputWidth + window.padWidth) * channelBytes;
}
