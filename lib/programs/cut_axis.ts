// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../ops/sliding_window.ts";
import type { SlicedAxis, SliceGrain } from "./sliced_window.ts";

/** An axis of a window that is cut. */
export interface CutAxis {
  readonly axis: SlicedAxis;
  /** Pixels of the image, positions of the result. */
  readonly size: number;
  readonly output: number;
  readonly stride: number;
  /** Pixels that a position reads beside its own. */
  readonly reach: number;
  readonly before: number;
  readonly after: number;
  /** What `ceil_mode` adds behind the padding. */
  readonly beyond: number;
  /** Positions that are not cut apart: those of a tile in a row, or one. */
  readonly unit: number;
  readonly units: number;
  /** Multiple of the width of results of parts: tiles are written whole. */
  readonly rounds: number;
}

/** The axis along which a window is cut. */
export function axisOf(window: SlidingWindow, axis: SlicedAxis, grain: SliceGrain): CutAxis {
  const { padding, padHeight, padWidth } = window;
  const rounds = grain === "tile" ? 32 : 1;
  const unit = axis === "width" ? rounds : 1;
  const along = axis === "height"
    ? {
      size: window.inputHeight,
      output: window.outputHeight,
      stride: window.strideHeight,
      reach: window.dilationHeight * (window.kernelHeight - 1),
      before: padding.top,
      after: padding.bottom,
      beyond: padHeight - padding.top - padding.bottom,
    }
    : {
      size: window.inputWidth,
      output: window.outputWidth,
      stride: window.strideWidth,
      reach: window.dilationWidth * (window.kernelWidth - 1),
      before: padding.left,
      after: padding.right,
      beyond: padWidth - padding.left - padding.right,
    };
  return { ...along, axis, unit, units: Math.ceil(along.output / unit), rounds };
}

/** Units per slice; the first `more` slices have one more. */
export interface Cut {
  readonly count: number;
  readonly share: number;
  readonly more: number;
}

/** So many slices of an axis. */
export function cutInto({ units }: CutAxis, count: number): Cut {
  return { count, share: Math.floor(units / count), more: units % count };
}

/** Position of the result at which a slice begins: where the one before ends. */
export function beginOf({ output, unit }: CutAxis, { share, more }: Cut, index: number): number {
  return Math.min(output, unit * (index * share + Math.min(index, more)));
}
