// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../ops/sliding_window.ts";
import type { SlicedAxis, WindowPart } from "./sliced_window.ts";

/** An axis of a transposed window, in pixels. */
interface SpreadAxis {
  /** Of the image, and of the result. */
  readonly size: number;
  readonly output: number;
  readonly stride: number;
  /** Pixels of the spread image between the first and the last one that a result is made of. */
  readonly reach: number;
  /** `padding`: what is left out of the result on either side. */
  readonly before: number;
  readonly after: number;
}

/** What a slice is made of along one axis. */
interface SpreadReads {
  /** Pixels of the image, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Padding of the op that makes the slice; below zero where the spread image needs more than its kernel reaches. */
  readonly before: number;
  readonly after: number;
  /** Extent of what that op makes. */
  readonly output: number;
}

/**
 * The part of a transposed convolution that makes results from `begin` to before `end` along an axis: the pixels of the
 * image that its windows meet in the spread image, and what lies between them and the ends as padding
 * (`ttnn:backend-0-81-1`, tt-metal:conv2d). `undefined` if its windows meet no pixel.
 *
 * @param rounds multiple of the result's width: tiles are written whole. The cores and the halo count with it, the kernel's
 * L1 is foreseen without.
 */
export function transposedPart(
  window: SlidingWindow,
  axis: SlicedAxis,
  [begin, end]: readonly [number, number],
  rounds: number,
): WindowPart | undefined {
  const { outputHeight, outputWidth, inputHeight, inputWidth } = window;
  const [top, bottom] = axis === "height" ? [begin, end] : [0, outputHeight];
  const [left, right] = axis === "width" ? [begin, end] : [0, outputWidth];
  const rows = readBy(
    {
      size: inputHeight,
      output: outputHeight,
      stride: window.strideHeight,
      reach: window.dilationHeight * (window.kernelHeight - 1),
      before: window.padding.top,
      after: window.padding.bottom,
    },
    top,
    bottom,
  );
  const columns = readBy(
    {
      size: inputWidth,
      output: outputWidth,
      stride: window.strideWidth,
      reach: window.dilationWidth * (window.kernelWidth - 1),
      before: window.padding.left,
      after: window.padding.right,
    },
    left,
    right,
  );
  const height = rows.to - rows.from;
  const width = columns.to - columns.from;
  if (height <= 0 || width <= 0) return undefined;
  const isWhole = height === inputHeight && width === inputWidth;
  const rest = (right - left) % rounds;
  const added = rest !== 0 && !isWhole ? rounds - rest : 0;
  const padding = { top: rows.before, bottom: rows.after, left: columns.before, right: columns.after };
  const part: SlidingWindow = {
    ...window,
    inputHeight: height,
    inputWidth: width,
    padding,
    padHeight: padding.top + padding.bottom,
    padWidth: padding.left + padding.right,
    outputHeight: rows.output,
    outputWidth: columns.output + added,
  };
  return {
    window: part,
    wanted: { ...part, outputHeight: bottom - top, outputWidth: right - left + added },
    foreseen: { ...part, outputHeight: bottom - top, outputWidth: right - left },
  };
}

function readBy(axis: SpreadAxis, begin: number, end: number): SpreadReads {
  const { size, output, stride, reach } = axis;
  // Pixels of the spread image are counted from the first pixel of the image.
  const first = begin - (reach - axis.before);
  const last = end - 1 + axis.before;
  const isFirst = begin === 0;
  const isLast = end === output;
  const from = isFirst ? 0 : Math.max(0, Math.ceil(first / stride));
  const to = isLast ? size : Math.min(size, Math.floor(last / stride) + 1);
  const apart = Math.max(0, first) % stride;
  const front = Math.max(0, -first, apart === 0 ? 0 : stride - apart);
  const behind = Math.max(0, last + 1 - output, last % stride);
  const before = isFirst ? axis.before : reach - front;
  const after = isLast ? axis.after : reach - behind;
  const made = (pixels: number, padding: number) => (pixels - 1) * stride + reach + 1 - padding;
  const outputPadding = isLast ? output - made(size, axis.before + axis.after) : 0;
  return { from, to, before, after, output: made(to - from, before + after) + outputPadding };
}
