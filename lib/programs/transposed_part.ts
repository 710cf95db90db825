// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../ops/sliding_window.ts";
import type { SlicedAxis, SliceGrain, WindowPart } from "./sliced_window.ts";

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

/** Results from `begin` to before `end`. */
interface ResultSpan {
  readonly begin: number;
  readonly end: number;
}

/**
 * The parts of a transposed convolution in order (`ttnn:backend-0-81-1`, tt-metal:conv2d): the pixels of the image that the windows
 * of a slice meet in the spread image, and what lies between them and the ends as padding. A slice that meets no pixel is
 * left out, and the next one begins where it would have.
 *
 * @param axes the one that is cut, and the other
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

/**
 * The parts of a cut of which others are copies: those near the borders, and as many of either size as begin differently
 * between two pixels. All of them where slices are so small that some may meet no pixel.
 */
export function* differentTransposedParts(
  window: SlidingWindow,
  axes: readonly [CutAxis, CutAxis],
  cut: AxisCut,
): Generator<WindowPart> {
  const [along, across] = axes;
  const { count, share, more } = cut;
  if (along.unit * share < along.stride - along.reach) {
    yield* transposedParts(window, axes, cut);
    return;
  }
  const [first, last] = transposedBorders(along);
  const front = Math.ceil(first / along.unit) + along.stride;
  const back = Math.ceil((along.output - last) / along.unit) + 1 + along.stride;
  const whole = readBy(across, { begin: 0, end: across.output });
  for (const [from, to] of [[0, front], [more, more + front], [count - back, count]] as const) {
    for (let index = Math.max(0, from); index < Math.min(count, to); index++) {
      const span = { begin: beginOf(along, cut, index), end: beginOf(along, cut, index + 1) };
      yield partOf(window, along, span, readBy(along, span), whole);
    }
  }
}

/** First position of the result before which nothing is read of the border, and last behind which nothing is. */
export function transposedBorders(
  { size, output, stride, reach, before }: CutAxis,
): readonly [number, number] {
  return [
    Math.max(1, reach - before),
    Math.max(0, Math.min(output - 1, output - before, size * stride - before)),
  ];
}

/** Where the windows of a result begin, in pixels of the spread image from the first pixel of the image. */
function firstOf({ reach, before }: CutAxis, begin: number): number {
  return begin - (reach - before);
}

/** Cores and halo count the columns with which tiles are written whole; the L1 of the kernel is foreseen without. */
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

function readBy(axis: CutAxis, { begin, end }: ResultSpan): SpreadReads {
  const { size, output, stride, reach } = axis;
  const first = firstOf(axis, begin);
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
export interface AxisCut {
  readonly count: number;
  readonly share: number;
  readonly more: number;
}

/** So many slices of an axis. */
export function cutInto({ units }: CutAxis, count: number): AxisCut {
  return { count, share: Math.floor(units / count), more: units % count };
}

/** Position of the result at which a slice begins: where the one before ends. */
export function beginOf({ output, unit }: CutAxis, { share, more }: AxisCut, index: number): number {
  return Math.min(output, unit * (index * share + Math.min(index, more)));
}
