// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import type { MovedWindow } from "./sliding_window.ts";

/** Axis of the result that is sliced. */
export type SlicedAxis = "height" | "width";

/** The slicing of a sliding window op over a DRAM operand; a single slice runs like an unsliced op. */
export interface Slicing {
  readonly axis: SlicedAxis;
  readonly count: number;
}

/** Granularity of slices: whole tiles of a result row, or pixels. */
export type SliceGrain = "tile" | "row_major";

/** A part of the result. */
export interface WindowPart {
  /** The window that the kernel runs on: rows of whole tiles unless it reads the whole axis, with the padding for that. */
  readonly window: SlidingWindow;
  /**
   * The window of the requested result; determines the cores. Its padding is the whole image's, for a transposed
   * window the slice's.
   */
  readonly wanted: SlidingWindow;
  /** The window for the kernel's L1 estimate. */
  readonly foreseen: SlidingWindow;
}

/**
 * The fewest slices that fit, as the backend chooses them (`ttnn:backend-0-81-1`): along its preferred axis,
 * otherwise along the other; `undefined` if none fit. It prefers the height of images more than three times as high as
 * wide where results are row-major, and of images that are less than 200 wide or higher than wide where they are tiled.
 *
 * @param bytesOf L1 bytes per core that a slice needs, or a `Stop`, which is returned at once
 * @param freeBytes L1 bytes per core beside the live tensors
 */
export function automaticSlices<Stop extends object>(
  moved: MovedWindow,
  grain: SliceGrain,
  bytesOf: (part: WindowPart) => number | Stop,
  freeBytes: number,
): Slicing | Stop | undefined {
  const { window } = moved;
  const first = grain === "row_major"
    ? window.inputHeight > 3 * window.inputWidth ? "height" : "width"
    : window.inputWidth < 200 || window.inputHeight > window.inputWidth
    ? "height"
    : "width";
  for (const axis of [first, first === "height" ? "width" : "height"] as const) {
    const count = fewestSlices(moved, axis, grain, bytesOf, freeBytes);
    if (typeof count !== "number") return count;
    if (count > 0) return { axis, count };
  }
  return undefined;
}

/**
 * The smallest number of slices along an axis that fits; 0 if none does. The first slice is the largest beside those at
 * the borders: where it does not fit, other numbers with such a slice are skipped, which leaves 2 √n of n numbers.
 */
export function fewestSlices<Stop extends object>(
  moved: MovedWindow,
  axis: SlicedAxis,
  grain: SliceGrain,
  bytesOf: (part: WindowPart) => number | Stop,
  freeBytes: number,
): number | Stop {
  const { units } = axisOf(moved.window, axis, grain);
  const known = new Map<string, number>();
  for (let count = 1; count <= units; count++) {
    let fitting = 0;
    let fits = true;
    for (const part of slicesOf(moved, { axis, count }, grain)) {
      const key = partKey(part);
      let bytes = known.get(key);
      if (bytes === undefined) {
        const needed = bytesOf(part);
        if (typeof needed !== "number") return needed;
        known.set(key, bytes = needed);
      }
      fits = bytes <= freeBytes;
      if (!fits) break;
      fitting++;
    }
    if (fits) return count;
    const largest = Math.ceil(units / count);
    if (fitting === 0 && largest > 1) count = Math.ceil(units / (largest - 1)) - 1;
  }
  return 0;
}

/** Equal for slices with equal needs. */
function partKey({ window, wanted, foreseen }: WindowPart): string {
  const { inputHeight, inputWidth, padHeight, padWidth, padding: { top, left } } = window;
  const results = [window, wanted, foreseen].flatMap(({ outputHeight, outputWidth }) => [
    outputHeight,
    outputWidth,
  ]);
  return [inputHeight, inputWidth, padHeight, padWidth, top, left, ...results].join(" ");
}

function otherAxis(axis: SlicedAxis): SlicedAxis {
  return axis === "height" ? "width" : "height";
}

/** The most slices along an axis: one per row or column of the result, or per tile column. */
export function mostSlices(window: SlidingWindow, axis: SlicedAxis, grain: SliceGrain): number {
  return axisOf(window, axis, grain).units;
}

/** Slices by window and cut: equal queries share the windows, which are cache keys elsewhere. */
const PART_CACHE: WeakMap<SlidingWindow, Map<string, readonly WindowPart[]>> = new WeakMap();

/**
 * The windows of the slices: the image region that each reads, and its remaining padding at the image's
 * borders.
 */
export function partsOf(
  { window, transposed }: MovedWindow,
  slicing: Slicing,
  grain: SliceGrain,
): readonly WindowPart[] {
  const key = `${slicing.axis} ${slicing.count} ${grain} ${transposed}`;
  return PART_CACHE.getOrInsertComputed(window, () => new Map())
    .getOrInsertComputed(key, () => [...slicesOf({ window, transposed }, slicing, grain)]);
}

/**
 * The first slices have one unit more. A slice of a transposed convolution with no pixel is skipped; the next one begins
 * at its begin.
 */
function* slicesOf(
  { window, transposed }: MovedWindow,
  { axis, count }: Slicing,
  grain: SliceGrain,
): Generator<WindowPart> {
  const [along, across] = [axisOf(window, axis, grain), axisOf(window, otherAxis(axis), grain)];
  const [share, more] = [Math.floor(along.units / count), along.units % count];
  const read = transposed ? readSpread : readBy;
  const whole = read(across, 0, across.output);
  let begin = 0;
  for (let index = 0; index < count; index++) {
    const end = Math.min(along.output, begin + along.unit * (share + (index < more ? 1 : 0)));
    const reads = read(along, begin, end);
    if (end === begin || (transposed && reads.to <= reads.from)) continue;
    yield partOf({ window, transposed }, along, end - begin, reads, whole);
    begin = end;
  }
}

/** Pixels of an axis that a slice reads, with padding before and after them. */
interface PartReads {
  /** Pixels of the image; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Of a transposed convolution negative if the gap of zeros between two pixels exceeds the kernel's reach. */
  readonly before: number;
  readonly after: number;
  /** Extent that `ceil_mode` adds after the padding. */
  readonly beyond: number;
  /** Result extent of the slice's op, of a transposed convolution. */
  readonly output: number;
}

/** The pixels that result positions from `begin` to `end` (exclusive) read. */
function readBy(
  { size, output, stride, reach, before, after, beyond }: CutAxis,
  begin: number,
  end: number,
): PartReads {
  const from = begin * stride - before;
  const to = (end - 1) * stride - before + reach + 1;
  return {
    from: begin === 0 ? 0 : Math.max(0, from),
    to: end === output ? size : Math.min(size, to),
    before: begin === 0 ? before : Math.max(0, -from),
    after: end === output ? after : Math.max(0, to - size),
    beyond: end === output ? beyond : 0,
    output: end - begin,
  };
}

/**
 * {@linkcode readBy} of a transposed convolution, whose kernel slides with stride 1 over the spread image, which has
 * stride − 1 zeros between two pixels; the zeros on both ends become padding (`ttnn:backend-0-81-1`, tt-metal:conv2d).
 */
function readSpread(axis: CutAxis, begin: number, end: number): PartReads {
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
  return { from, to, before, after, beyond: 0, output: made(to - from, before + after) + outputPadding };
}

/**
 * A slice of `outputs` positions of the result along an axis. Its width is rounded up to whole tiles with padding beside
 * the image, except if it reads all pixels of the sliced axis. Of a transposed convolution, cores and halo count the
 * columns that complete tiles; the L1 estimate omits them.
 */
function partOf(
  { window, transposed }: MovedWindow,
  { axis, size, rounds }: CutAxis,
  outputs: number,
  along: PartReads,
  across: PartReads,
): WindowPart {
  const [rows, columns] = axis === "height" ? [along, across] : [across, along];
  const [outputHeight, width] = axis === "height"
    ? [outputs, window.outputWidth]
    : [window.outputHeight, outputs];
  const rest = width % rounds;
  const added = rest === 0 || along.to - along.from === size ? 0 : rounds - rest;
  const outputWidth = width + added;
  if (transposed) {
    const part = { ...imageOf(window, rows, columns), outputHeight: rows.output };
    const made = { ...part, outputWidth: columns.output + added };
    return {
      window: made,
      wanted: { ...part, outputHeight, outputWidth },
      foreseen: { ...part, outputHeight, outputWidth: width },
    };
  }
  const after = columns.after + added * window.strideWidth;
  const made = withPositions(imageOf(window, rows, { ...columns, after }));
  const { inputHeight, inputWidth } = made;
  return {
    window: made,
    foreseen: made,
    wanted: { ...window, inputHeight, inputWidth, outputHeight, outputWidth },
  };
}

/** The window over the pixels that a slice reads. */
function imageOf(window: SlidingWindow, rows: PartReads, columns: PartReads): SlidingWindow {
  const padding = { top: rows.before, bottom: rows.after, left: columns.before, right: columns.after };
  return {
    ...window,
    inputHeight: rows.to - rows.from,
    inputWidth: columns.to - columns.from,
    padding,
    padHeight: padding.top + padding.bottom + rows.beyond,
    padWidth: padding.left + padding.right + columns.beyond,
  };
}

/** A window with its result extents over its image. */
export function withPositions(window: SlidingWindow): SlidingWindow {
  const positions = (extent: number, reach: number, stride: number) =>
    Math.floor((extent - reach - 1) / stride) + 1;
  return {
    ...window,
    outputHeight: positions(
      window.inputHeight + window.padHeight,
      window.dilationHeight * (window.kernelHeight - 1),
      window.strideHeight,
    ),
    outputWidth: positions(
      window.inputWidth + window.padWidth,
      window.dilationWidth * (window.kernelWidth - 1),
      window.strideWidth,
    ),
  };
}

/** One axis of a window that is sliced along this or the other axis. */
interface CutAxis {
  readonly axis: SlicedAxis;
  /** Pixels of the image, and positions of the result. */
  readonly size: number;
  readonly output: number;
  readonly stride: number;
  /** `dilation * (kernel − 1)` pixels. */
  readonly reach: number;
  readonly before: number;
  readonly after: number;
  readonly beyond: number;
  /** Positions per unit: 32 in the width of tiled results, else 1. */
  readonly unit: number;
  readonly units: number;
  /** Alignment of a slice's result width: 32 for tiled results, else 1. */
  readonly rounds: number;
}

/** One axis of a window. @param grain alignment of slices of the result */
function axisOf(window: SlidingWindow, axis: SlicedAxis, grain: SliceGrain): CutAxis {
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
