// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../layout/make_layout.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { MOST_PAGES } from "../circular_buffer.ts";
import { remember } from "../remember.ts";

/** A window that moves over a padded image in L1. */
export interface MovedWindow {
  readonly window: SlidingWindow;
  /**
   * Whether it is of a transposed convolution: the image is spread by the stride, and the window moves by 1.
   */
  readonly transposed: boolean;
  /** Output pixels per image pixel `[down, across]`, for windows of a bilinear upsample. */
  readonly scale?: readonly [down: number, across: number];
}

/** The padding of a window without any. */
export const NO_PADDING: Pick<SlidingWindow, "padHeight" | "padWidth" | "padding"> = {
  padHeight: 0,
  padWidth: 0,
  padding: { top: 0, left: 0, bottom: 0, right: 0 },
};

/** Extents of the padded image `[rows, columns]` that the windows move over. */
export function paddedImage({ window, transposed }: MovedWindow): readonly [number, number] {
  return transposed
    ? [
      window.outputHeight + window.dilationHeight * (window.kernelHeight - 1),
      window.outputWidth + window.dilationWidth * (window.kernelWidth - 1),
    ]
    : [window.inputHeight + window.padHeight, window.inputWidth + window.padWidth];
}

/** Distance between the windows of adjacent output pixels `[down, across]`. */
function steps({ window, transposed }: MovedWindow): readonly [number, number] {
  return transposed ? [1, 1] : [window.strideHeight, window.strideWidth];
}

/** Output pixels of all images. */
export function outputPixels({ batch, outputHeight, outputWidth }: SlidingWindow): number {
  return batch * outputHeight * outputWidth;
}

/** Input pixels of all images, without padding. */
export function inputPixels({ batch, inputHeight, inputWidth }: SlidingWindow): number {
  return batch * inputHeight * inputWidth;
}

/** Index, in the row-major padded images, of the first pixel of an output pixel's window, as a function of that pixel. */
function windowStarts(moved: MovedWindow): (output: number) => number {
  const { outputHeight, outputWidth } = moved.window;
  const [height, width] = paddedImage(moved);
  const [down, across] = steps(moved);
  return (output) => {
    const row = Math.floor(output / outputWidth);
    return Math.floor(row / outputHeight) * height * width + row % outputHeight * down * width +
      output % outputWidth * across;
  };
}

/** Output pixels of a core, and the padded-image pixels that their windows read; inclusive bounds. */
export interface CoreBounds {
  readonly firstOutput: number;
  readonly lastOutput: number;
  readonly firstInput: number;
  /** Less than `firstInput` on a core without reads. */
  readonly lastInput: number;
}

/**
 * Output and input range of each core along the pixels (tt-metal:sliding-window,
 * `generate_shard_boundaries`).
 *
 * @param rowUnit alignment of output pixels per core: a tile's rows, or 1
 */
export function coreBounds(moved: MovedWindow, cores: number, rowUnit: 1 | 32): readonly CoreBounds[] {
  const { window, scale } = moved;
  if (scale !== undefined) return interpolatedBounds(moved, scale, cores);
  const pixels = outputPixels(window);
  const perCore = roundUp(pixels, cores * rowUnit) / cores;
  const reach = window.dilationHeight * (window.kernelHeight - 1) * paddedImage(moved)[1] +
    window.dilationWidth * (window.kernelWidth - 1);
  const startOf = windowStarts(moved);
  const bounds: CoreBounds[] = [];
  let firstOutput = 0;
  for (let core = 0; core < cores; core++) {
    const lastOutput = Math.min(firstOutput + perCore, pixels) - 1;
    const last = startOf(Math.min(lastOutput, pixels - 1));
    const firstInput = startOf(Math.min(firstOutput, pixels - 1));
    // The backend's marker for a core after the last pixel.
    bounds.push(
      firstInput === 0 && firstOutput !== 0
        ? { firstOutput, lastOutput, firstInput: last + 1, lastInput: last }
        : { firstOutput, lastOutput, firstInput, lastInput: last + reach },
    );
    firstOutput = lastOutput + 1;
  }
  return bounds;
}

/**
 * {@linkcode coreBounds} of 2x2 windows of a bilinear upsample: result rows restart in the image, so the
 * first and last window of a core need not be the outermost ones (`ttnn:backend-0-81-1`).
 */
function interpolatedBounds(
  moved: MovedWindow,
  [down, across]: readonly [number, number],
  cores: number,
): readonly CoreBounds[] {
  const { outputHeight, outputWidth } = moved.window;
  const [height, width] = paddedImage(moved);
  const pixels = outputPixels(moved.window);
  const perCore = Math.ceil(pixels / cores);
  const [rows, columns] = [interpolatedStarts(outputHeight, down), interpolatedStarts(outputWidth, across)];
  const start = (row: number, column: number) =>
    (Math.floor(row / outputHeight) * height + (rows[row % outputHeight] ?? 0)) * width +
    (columns[column] ?? 0);
  return Array.from({ length: cores }, (_, core): CoreBounds => {
    const firstOutput = Math.min(core * perCore, pixels);
    const lastOutput = Math.min(firstOutput + perCore, pixels) - 1;
    // The backend's marker for a core after the last pixel.
    if (firstOutput > lastOutput) return { firstOutput, lastOutput, firstInput: 1, lastInput: 0 };
    const [firstRow, lastRow] = [Math.floor(firstOutput / outputWidth), Math.floor(lastOutput / outputWidth)];
    let [firstInput, last] = [Infinity, 0];
    for (let row = firstRow; row <= lastRow; row++) {
      firstInput = Math.min(firstInput, start(row, row === firstRow ? firstOutput % outputWidth : 0));
      last = Math.max(last, start(row, row === lastRow ? lastOutput % outputWidth : outputWidth - 1));
    }
    return { firstOutput, lastOutput, firstInput, lastInput: last + width + 1 };
  });
}

/**
 * Rows (or columns) of the padded image at which windows of an upsample begin, accumulated in f32 like in the
 * backend.
 */
function interpolatedStarts(extent: number, scale: number): readonly number[] {
  const step = Math.fround(1 / scale);
  const starts: number[] = [];
  let at = Math.fround(Math.fround(0.5 * step) + 0.5);
  for (let output = 0; output < extent; output++) {
    starts.push(Math.floor(at));
    at = Math.fround(at + step);
  }
  return starts;
}

/** Sticks of a halo's result on the core with the most. */
export function haloSticks(bounds: readonly CoreBounds[]): number {
  return bounds.reduce((most, { firstInput, lastInput }) => Math.max(most, lastInput - firstInput + 1), 0);
}

/** The properties of a window that a halo and its readers depend on. */
export function geometryKey({ window, transposed, scale }: MovedWindow): string {
  const { padding } = window;
  return [
    transposed,
    scale,
    window.batch,
    window.inputHeight,
    window.inputWidth,
    window.kernelHeight,
    window.kernelWidth,
    window.strideHeight,
    window.strideWidth,
    window.dilationHeight,
    window.dilationWidth,
    window.padHeight,
    window.padWidth,
    padding.top,
    padding.left,
    window.outputHeight,
    window.outputWidth,
  ].join();
}

/** Half-words of a table's header and of an entry, in the config tensors that kernels read. */
const HEAD = 2;
const ENTRY = 2;

/** Bytes of reader tables; a search repeats the same windows and blocks. */
const READER_TABLE_CACHE: Map<string, number> = new Map();

/**
 * Bytes of a core's reader table of window begins: per activation block a header and an entry per run of
 * consecutive windows (tt-metal:sliding-window, `generate_sliding_window_op_config`).
 *
 * @param blocks output pixels of the blocks that readers take alternately; `undefined` for one block per core
 */
export function readerIndexBytes(
  moved: MovedWindow,
  bounds: readonly CoreBounds[],
  blocks: readonly number[] | undefined,
): number {
  // The number of cores and the first core's bounds determine all others.
  const key = `${geometryKey(moved)} ${bounds.length} ${bounds[0]?.lastOutput} ${blocks?.join()}`;
  return remember(READER_TABLE_CACHE, key, () => countReaderBytes(moved, bounds, blocks));
}

function countReaderBytes(
  moved: MovedWindow,
  bounds: readonly CoreBounds[],
  blocks: readonly number[] | undefined,
): number {
  const pixels = outputPixels(moved.window);
  const runsBetween = runCounter(moved);
  let most = 0;
  for (const { firstOutput, lastOutput } of bounds) {
    if (firstOutput >= pixels) continue;
    let words = 0;
    let block = 0;
    for (let first = firstOutput; first <= lastOutput;) {
      const size = blocks?.[block % blocks.length] ?? lastOutput - first + 1;
      const last = Math.min(first + size - 1, lastOutput);
      words += HEAD + ENTRY * runsBetween(first, last);
      first = last + 1;
      block++;
    }
    most = Math.max(most, words);
  }
  return 2 * roundUp(most, 2);
}

/**
 * Counts runs of windows that follow each other by the stride, from a first to a last output pixel. A run may end at the
 * end of an image row, and of an image.
 */
function runCounter(moved: MovedWindow): (first: number, last: number) => number {
  const { outputHeight, outputWidth } = moved.window;
  const pixels = outputHeight * outputWidth;
  const across = steps(moved)[1];
  const startOf = windowStarts(moved);
  const stepInto = (output: number) => startOf(output) - startOf(output - 1);
  const endsAtRow = outputHeight > 1 && stepInto(outputWidth) !== across;
  const endsAtImage = stepInto(pixels) !== across;
  const crossed = (first: number, last: number, unit: number) =>
    Math.floor(last / unit) - Math.floor(first / unit);
  return (first, last) => {
    const images = crossed(first, last, pixels);
    const rows = crossed(first, last, outputWidth) - images;
    return 1 + (endsAtRow ? rows : 0) + (endsAtImage ? images : 0);
  };
}

/** The backend's refusal of a convolution: rule name without family, and the reason. */
export interface ConvolutionRefusal {
  readonly refused: string;
  readonly reason: string;
}

export function refused(rule: string, reason: string): ConvolutionRefusal {
  return { refused: rule, reason };
}

export function isRefused(value: object): value is ConvolutionRefusal {
  return "refused" in value;
}

/** The refusal of shards that no circular buffer can hold. */
export function tooManyRows(rows: number): ConvolutionRefusal {
  return refused("pages", `a shard of ${rows} rows exceeds the ${MOST_PAGES} pages of a circular buffer`);
}
