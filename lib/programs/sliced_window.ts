// SPDX-License-Identifier: Apache-2.0
import type { SlidingWindow } from "../ops/sliding_window.ts";
import type { MovedWindow } from "./sliding_window.ts";
import { transposedPart } from "./transposed_part.ts";

/** Axis of the result that is cut. */
export type SlicedAxis = "height" | "width";

/** How a sliding window over an operand in DRAM is cut: one slice runs as if it were not cut. */
export interface Slicing {
  readonly axis: SlicedAxis;
  readonly count: number;
}

/** What slices are cut along: whole tiles of a row of the result, or pixels. */
export type SliceGrain = "tile" | "row_major";

/** A part of the result. */
export interface WindowPart {
  /** What the kernel runs on: whole tiles of a row, with the padding that this takes. */
  readonly window: SlidingWindow;
  /** What is wanted of it, with the padding of the whole image; by it cores are chosen. */
  readonly wanted: SlidingWindow;
  /** What the L1 of the kernel is foreseen for. */
  readonly foreseen: SlidingWindow;
}

/**
 * The smallest number of slices whose largest one fits, as the backend chooses it (`ttnn:backend-0-81-1`): along the axis that it
 * prefers, else along the other; `undefined` if none does.
 *
 * @param bytesOf L1 per core that a part needs
 * @param freeBytes L1 per core that is free beside the live tensors
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

/** The smallest number of slices along an axis that fits; 0 if none does. */
export function fewestSlices<Stop extends object>(
  moved: MovedWindow,
  axis: SlicedAxis,
  grain: SliceGrain,
  bytesOf: (part: WindowPart) => number | Stop,
  freeBytes: number,
): number | Stop {
  const known = new Map<string, number>();
  for (let count = 1; count <= mostSlices(moved.window, axis, grain); count++) {
    let most = 0;
    for (const part of partsOf(moved, { axis, count }, grain)) {
      const key = partKey(part);
      let bytes = known.get(key);
      if (bytes === undefined) {
        const needed = bytesOf(part);
        if (typeof needed !== "number") return needed;
        known.set(key, bytes = needed);
      }
      most = Math.max(most, bytes);
      if (most > freeBytes) break;
    }
    if (most <= freeBytes) return count;
  }
  return 0;
}

/** Equal parts need equally much. */
function partKey({ window, wanted, foreseen }: WindowPart): string {
  const { inputHeight, inputWidth, padHeight, padWidth, padding: { top, left } } = window;
  const results = [window, wanted, foreseen].flatMap(({ outputHeight, outputWidth }) => [
    outputHeight,
    outputWidth,
  ]);
  return [inputHeight, inputWidth, padHeight, padWidth, top, left, ...results].join(" ");
}

/** What is cut of an axis: pixels, or whole tiles of a row. */
function unitOf(axis: SlicedAxis, grain: SliceGrain): number {
  return axis === "width" && grain === "tile" ? 32 : 1;
}

/** The largest number of slices along an axis: one of each row or column of the result, or of each column of tiles. */
export function mostSlices(
  { outputHeight, outputWidth }: SlidingWindow,
  axis: SlicedAxis,
  grain: SliceGrain,
): number {
  return Math.ceil((axis === "height" ? outputHeight : outputWidth) / unitOf(axis, grain));
}

/** Parts by window and cut: equal questions share the windows, by which others remember what they derive. */
const KNOWN_PARTS: WeakMap<SlidingWindow, Map<string, readonly WindowPart[]>> = new WeakMap();

/** The windows of the slices: what each reads of the image, and the padding that is left at its borders. */
export function partsOf(
  { window, transposed }: MovedWindow,
  slicing: Slicing,
  grain: SliceGrain,
): readonly WindowPart[] {
  let known = KNOWN_PARTS.get(window);
  if (known === undefined) KNOWN_PARTS.set(window, known = new Map());
  const key = `${slicing.axis} ${slicing.count} ${grain} ${transposed}`;
  let parts = known.get(key);
  if (parts === undefined) known.set(key, parts = cutWindow({ window, transposed }, slicing, grain));
  return parts;
}

/** A part that reads nothing is left out, and the next one begins where it would have. */
function cutWindow(
  { window, transposed }: MovedWindow,
  { axis, count }: Slicing,
  grain: SliceGrain,
): readonly WindowPart[] {
  const unit = unitOf(axis, grain);
  const units = mostSlices(window, axis, grain);
  const output = axis === "height" ? window.outputHeight : window.outputWidth;
  const rounds = grain === "tile" ? 32 : 1;
  const parts: WindowPart[] = [];
  let begin = 0;
  for (let index = 0; index < count; index++) {
    const share = Math.floor(units / count) + (index < units % count ? 1 : 0);
    const end = Math.min(output, begin + unit * share);
    if (end === begin) continue;
    const part = transposed
      ? transposedPart(window, axis, [begin, end], rounds)
      : plainPart(window, axis, [begin, end], rounds);
    if (part === undefined) continue;
    parts.push(part);
    begin = end;
  }
  return parts;
}

/** Part of a window that is not transposed, for results from `begin` to before `end`. */
function plainPart(
  window: SlidingWindow,
  axis: SlicedAxis,
  [begin, end]: readonly [number, number],
  rounds: number,
): WindowPart {
  const along = axis === "height"
    ? {
      size: window.inputHeight,
      output: window.outputHeight,
      stride: window.strideHeight,
      reach: window.dilationHeight * (window.kernelHeight - 1),
      before: window.padding.top,
      after: window.padding.bottom,
      beyond: window.padHeight - window.padding.top - window.padding.bottom,
    }
    : {
      size: window.inputWidth,
      output: window.outputWidth,
      stride: window.strideWidth,
      reach: window.dilationWidth * (window.kernelWidth - 1),
      before: window.padding.left,
      after: window.padding.right,
      beyond: window.padWidth - window.padding.left - window.padding.right,
    };
  return partOf(window, axis, end - begin, readBy(along, begin, end), rounds);
}

/** Pixels of an axis that a slice reads, and padding before and after them. */
interface PartReads {
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly after: number;
  /** What `ceil_mode` adds behind the padding. */
  readonly beyond: number;
}

function readBy(
  { size, output, stride, reach, before, after, beyond }: Readonly<
    Record<"size" | "output" | "stride" | "reach" | "before" | "after" | "beyond", number>
  >,
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

/** @param rounds multiple of the result's width: tiles are written whole, so that a slice reads padding beside it */
function partOf(
  window: SlidingWindow,
  axis: SlicedAxis,
  outputs: number,
  { from, to, before, after, beyond }: PartReads,
  rounds: number,
): WindowPart {
  const { strideWidth, padding } = window;
  const size = axis === "height" ? window.inputHeight : window.inputWidth;
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

/** A window with the result that it has over its image. */
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
