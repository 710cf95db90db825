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
 * Most bytes per core of the halo: the pixels of the padded images, row after row, from the first that the windows of a
 * core look at to the last (tt-metal:sliding-window, `generate_shard_boundaries`).
 *
 * @param pixels output pixels per core
 * @param channelBytes bytes of all channels of one pixel that the core holds
 */
export function haloBytes(window: SlidingWindow, pixels: number, channelBytes: number): number {
  const rowPixels = window.inputWidth + window.padWidth;
  const imagePixels = (window.inputHeight + window.padHeight) * rowPixels;
  const firstSeen = (output: number): number => {
    const row = Math.floor(output / window.outputWidth);
    return Math.floor(row / window.outputHeight) * imagePixels +
      (row % window.outputHeight) * window.strideHeight * rowPixels +
      (output % window.outputWidth) * window.strideWidth;
  };
  const seenPast = (window.kernelHeight - 1) * window.dilationHeight * rowPixels +
    (window.kernelWidth - 1) * window.dilationWidth + 1;
  const all = window.batch * window.outputHeight * window.outputWidth;
  let most = 0;
  for (let first = 0; first < all; first += Math.max(1, pixels)) {
    const last = Math.min(all, first + pixels) - 1;
    most = Math.max(most, firstSeen(last) - firstSeen(first) + seenPast);
  }
  return most * channelBytes;
}
