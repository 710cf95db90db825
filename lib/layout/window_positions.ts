// SPDX-License-Identifier: Apache-2.0

/** A window that moves along one dimension of an image. Elements. */
export interface MovingWindow {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** Padding in front of the dimension and behind it. */
  readonly padding: readonly [before: number, after: number];
  /** Whether a window that begins in the image and reaches beyond its padding counts as well. */
  readonly ceilMode?: boolean;
}

/** Elements from the first to the last that a window looks at. */
export function windowReach({ kernel, dilation }: Pick<MovingWindow, "kernel" | "dilation">): number {
  return dilation * (kernel - 1) + 1;
}

/**
 * Positions of a window along a dimension, the extent of the result; less than one where it does not fit. With
 * `ceilMode` the last one begins in the image or in the padding in front of it (tt-metal:sliding-window).
 */
export function windowPositions(extent: number, window: MovingWindow): number {
  const { stride, padding: [before, after], ceilMode = false } = window;
  const steps = (extent + before + after - windowReach(window)) / stride;
  if (!ceilMode) return Math.floor(steps) + 1;
  const positions = Math.ceil(steps) + 1;
  return (positions - 1) * stride >= extent + before ? positions - 1 : positions;
}
