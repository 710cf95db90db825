// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import type { SlicedAxis, SliceGrain, WindowPart } from "./sliced_window.ts";

/**
 * Reads of a slice along one axis. The spread image, over which the kernel of a transposed convolution slides
 * with stride 1, has stride − 1 zeros between two pixels of the image.
 */
interface SpreadReads {
  /** Pixels of the image; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Padding of the slice's op; negative if the gap of zeros exceeds the kernel's `reach`. */
  readonly before: number;
  readonly after: number;
  /** Result extent of that op. */
  readonly output: number;
}

/** Result positions from `begin` to `end`, exclusive. */
interface ResultSpan {
  readonly begin: number;
  readonly end: number;
}

/**
 * The slices of a transposed convolution in order (`ttnn:backend-0-81-1`, tt-metal:conv2d): the image pixels
 * in the slice's windows; the zeros on both ends become padding. A slice with no pixel is skipped; the next
 * one begins at its begin.
 *
 * @param axes the sliced axis, and the other
 */
export function* transposedParts(
  window: SlidingWindow,
  [along, across]: readonly [CutAxis, CutAxis],
  { count, share, more }: AxisCut,
): Generator<WindowPart> {
  const whole = readBy(across, { begin: 0, end: across.output });
  let begin = 0;
  for (let index = 0; index < count; index++) {
    const end = Math.min(along.output, begin + along.unit * (share + (index < more ? 1 : 0)));
    const reads = readBy(along, { begin, end });
    if (end === begin || reads.to <= reads.from) continue;
    yield partOf(window, along, { begin, end }, reads, whole);
    begin = end;
  }
}

/** A slice: cores and halo count the columns that complete tiles; the L1 estimate omits them. */
function partOf(
  window: SlidingWindow,
  { axis, rounds }: CutAxis,
  { begin, end }: ResultSpan,
  along: SpreadReads,
  across: SpreadReads,
): WindowPart {
  const [rows, columns] = axis === "height" ? [along, across] : [across, along];
  const outputHeight = axis === "height" ? end - begin : window.outputHeight;
  const outputWidth = axis === "width" ? end - begin : window.outputWidth;
  const [inputHeight, inputWidth] = [rows.to - rows.from, columns.to - columns.from];
  const isWhole = inputHeight === window.inputHeight && inputWidth === window.inputWidth;
  const rest = outputWidth % rounds;
  const added = rest !== 0 && !isWhole ? rounds - rest : 0;
  const padding = { top: rows.before, bottom: rows.after, left: columns.before, right: columns.after };
  const part: SlidingWindow = {
    ...window,
    inputHeight,
    inputWidth,
    padding,
    padHeight: padding.top + padding.bottom,
    padWidth: padding.left + padding.right,
    outputHeight: rows.output,
    outputWidth: columns.output + added,
  };
  return {
    window: part,
    wanted: { ...part, outputHeight, outputWidth: outputWidth + added },
    foreseen: { ...part, outputHeight, outputWidth },
  };
}

/** The pixels that a span of result positions reads, and what the slice's op pads them with. */
function readBy(axis: CutAxis, { begin, end }: ResultSpan): SpreadReads {
  const { size, output, stride, reach } = axis;
  // Of the window in the spread image, whose pixel 0 is the image's first.
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

/** One axis of a window that is sliced along this or the other axis. */
export interface CutAxis {
  readonly axis: SlicedAxis;
  /** Pixels of the image, and positions of the result. */
  readonly size: number;
  readonly output: number;
  readonly stride: number;
  /** `dilation * (kernel − 1)` pixels. */
  readonly reach: number;
  readonly before: number;
  readonly after: number;
  /** Extent that `ceil_mode` adds after the padding. */
  readonly beyond: number;
  /** Positions per unit: 32 in the width of tiled results, else 1. */
  readonly unit: number;
  readonly units: number;
  /** Alignment of a slice's result width: 32 for tiled results, else 1. */
  readonly rounds: number;
}

/** One axis of a window. @param grain alignment of slices of the result */
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
export interface AxisCut {
  readonly count: number;
  readonly share: number;
  readonly more: number;
}

/** The cut of an axis into `count` slices. */
export function cutInto({ units }: CutAxis, count: number): AxisCut {
  return { count, share: Math.floor(units / count), more: units % count };
}

/** First result position of a slice. */
export function beginOf({ output, unit }: CutAxis, { share, more }: AxisCut, index: number): number {
  return Math.min(output, unit * (index * share + Math.min(index, more)));
}
