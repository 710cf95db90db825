// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import type { MovedWindow } from "./sliding_window.ts";
import { axisOf, beginOf, type CutAxis, cutInto, transposedParts } from "./transposed_part.ts";

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
 * otherwise along the other; `undefined` if none fit.
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

function* slicesOf(
  { window, transposed }: MovedWindow,
  { axis, count }: Slicing,
  grain: SliceGrain,
): Generator<WindowPart> {
  const along = axisOf(window, axis, grain);
  const cut = cutInto(along, count);
  if (transposed) {
    yield* transposedParts(window, [along, axisOf(window, otherAxis(axis), grain)], cut);
    return;
  }
  for (let index = 0; index < count; index++) {
    const [begin, end] = [beginOf(along, cut, index), beginOf(along, cut, index + 1)];
    if (end > begin) yield partOf(window, along, end - begin, readBy(along, begin, end));
  }
}

/** Pixels of an axis that a slice reads, with padding before and after them. */
interface PartReads {
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly after: number;
  /** Extent that `ceil_mode` adds after the padding. */
  readonly beyond: number;
}

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
  };
}

/**
 * A slice of `outputs` positions of the result along the sliced axis. Its width is rounded up to whole tiles with
 * padding beside the image, except if it reads all pixels of the sliced axis.
 */
function partOf(
  window: SlidingWindow,
  { axis, size, rounds }: CutAxis,
  outputs: number,
  { from, to, before, after, beyond }: PartReads,
): WindowPart {
  const { strideWidth, padding } = window;
  const width = axis === "width" ? outputs : window.outputWidth;
  const rest = width % rounds;
  const added = rest !== 0 && to - from !== size ? rounds - rest : 0;
  const beside = added * strideWidth;
  const sides = axis === "height"
    ? { ...padding, top: before, bottom: after, right: padding.right + beside }
    : { ...padding, left: before, right: after + beside };
  const ceiling = axis === "height"
    ? { height: beyond, width: window.padWidth - padding.left - padding.right }
    : { height: window.padHeight - padding.top - padding.bottom, width: beyond };
  const image = axis === "height" ? { inputHeight: to - from } : { inputWidth: to - from };
  const whole = withPositions({
    ...window,
    ...image,
    padding: sides,
    padHeight: sides.top + sides.bottom + ceiling.height,
    padWidth: sides.left + sides.right + ceiling.width,
  });
  return {
    window: whole,
    foreseen: whole,
    wanted: {
      ...window,
      ...image,
      ...axis === "height" ? { outputHeight: outputs } : {},
      outputWidth: width + added,
    },
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
