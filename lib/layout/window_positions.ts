// SPDX-License-Identifier: Apache-2.0

/** A window that moves along one dimension of an image. Elements. */
export interface MovingWindow {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** Padding in front of the dimension and behind it. */
  readonly padding: readonly [before: number, after: number];
  /** Whether a window that begins in the image or in the leading padding, and exceeds the trailing one, counts as well. */
  readonly ceilMode?: boolean;
}

/** Extent from the first to the last element of a window. */
export function windowReach({ kernel, dilation }: Pick<MovingWindow, "kernel" | "dilation">): number {
  return dilation * (kernel - 1) + 1;
}

/**
 * Number of positions of a window along a dimension, the extent of the result; below 1 if it does not fit.
 * With `ceilMode` the last window begins in the image or in the leading padding (tt-metal:sliding-window).
 */
export function windowPositions(extent: number, window: MovingWindow): number {
  const { stride, padding: [before, after], ceilMode = false } = window;
  const steps = (extent + before + after - windowReach(window)) / stride;
  if (!ceilMode) return Math.floor(steps) + 1;
  const positions = Math.ceil(steps) + 1;
  return (positions - 1) * stride >= extent + before ? positions - 1 : positions;
}
