// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../layout/make_layout.ts";
import type { SlidingWindow } from "../ops/sliding_window.ts";

/** A window as it moves over an image that lies in L1 with its padding. */
export interface MovedWindow {
  readonly window: SlidingWindow;
  /**
   * Whether it belongs to a transposed convolution: the image is spread by the stride, and the window then moves by
   * one.
   */
  readonly transposed: boolean;
}

/** Extents of the padded image `[rows, columns]` that the windows move over. */
export function paddedImage({ window, transposed }: MovedWindow): readonly [number, number] {
  return transposed
    ? [
      window.outputHeight + window.dilationHeight * (window.kernelHeight - 1),
      window.outputWidth + window.dilationWidth * (window.kernelWidth - 1),
    ]
    : [window.inputHeight + window.padHeight, window.inputWidth + window.padWidth];
}

/** Distance between the windows of neighbouring pixels of the output `[down, across]`. */
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

/** Index, in the padded images row after row, of the pixel at which the window of an output pixel begins. */
function windowStart(moved: MovedWindow, output: number): number {
  const { outputHeight, outputWidth } = moved.window;
  const [height, width] = paddedImage(moved);
  const [down, across] = steps(moved);
  const row = Math.floor(output / outputWidth);
  return Math.floor(row / outputHeight) * height * width + row % outputHeight * down * width +
    output % outputWidth * across;
}

/** Output pixels of a core, and the pixels of the padded images that their windows read; bounds are inclusive. */
export interface CoreBounds {
  readonly firstOutput: number;
  readonly lastOutput: number;
  readonly firstInput: number;
  /** Below `firstInput` on a core that has nothing to read. */
  readonly lastInput: number;
}

/**
 * What each of the cores along the pixels makes and reads (tt-metal:sliding-window, `generate_shard_boundaries`).
 *
 * @param rowUnit multiple of output pixels that each core makes: a tile's rows, or 1
 */
export function coreBounds(moved: MovedWindow, cores: number, rowUnit: 1 | 32): readonly CoreBounds[] {
  const { window } = moved;
  const pixels = outputPixels(window);
  const perCore = roundUp(pixels, cores * rowUnit) / cores;
  const reach = window.dilationHeight * (window.kernelHeight - 1) * paddedImage(moved)[1] +
    window.dilationWidth * (window.kernelWidth - 1);
  const bounds: CoreBounds[] = [];
  let firstOutput = 0;
  for (let core = 0; core < cores; core++) {
    const lastOutput = Math.min(firstOutput + perCore, pixels) - 1;
    const last = windowStart(moved, Math.min(lastOutput, pixels - 1));
    const firstInput = windowStart(moved, Math.min(firstOutput, pixels - 1));
    // The backend's mark for a core behind the last pixel.
    bounds.push(
      firstInput === 0 && firstOutput !== 0
        ? { firstOutput, lastOutput, firstInput: last + 1, lastInput: last }
        : { firstOutput, lastOutput, firstInput, lastInput: last + reach },
    );
    firstOutput = lastOutput + 1;
  }
  return bounds;
}

/** Sticks of the halo's result on the core that needs most of them. */
export function haloSticks(bounds: readonly CoreBounds[]): number {
  return bounds.reduce((most, { firstInput, lastInput }) => Math.max(most, lastInput - firstInput + 1), 0);
}

/** Half-words of a table's head and of one entry, in the config tensors that kernels read. */
const HEAD = 2;
const ENTRY = 2;

/**
 * Bytes of the table that tells a core's readers where their windows begin: per activation block a head and an entry per
 * run of windows that follow one another (tt-metal:sliding-window, `generate_sliding_window_op_config`).
 *
 * @param blocks output pixels of the blocks that the readers take in turn; `undefined` for one block per core
 */
export function readerIndexBytes(
  moved: MovedWindow,
  bounds: readonly CoreBounds[],
  blocks: readonly number[] | undefined,
): number {
  const pixels = outputPixels(moved.window);
  const runs = new RunCounter(moved);
  let most = 0;
  for (const { firstOutput, lastOutput } of bounds) {
    if (firstOutput >= pixels) continue;
    let words = 0;
    let turn = 0;
    for (let first = firstOutput; first <= lastOutput;) {
      const size = blocks?.[turn % blocks.length] ?? lastOutput - first + 1;
      const last = Math.min(first + size - 1, lastOutput);
      words += HEAD + ENTRY * runs.between(first, last);
      first = last + 1;
      turn++;
    }
    most = Math.max(most, words);
  }
  return 2 * roundUp(most, 2);
}

/** Counts runs of windows that follow one another by the stride. */
class RunCounter {
  readonly #columns: number;
  readonly #pixels: number;
  /** Whether a run ends at the end of a row of the image, and at the end of an image. */
  readonly #endsAtRow: boolean;
  readonly #endsAtImage: boolean;

  constructor(moved: MovedWindow) {
    const { outputHeight, outputWidth } = moved.window;
    const across = steps(moved)[1];
    this.#columns = outputWidth;
    this.#pixels = outputHeight * outputWidth;
    const stepInto = (output: number) => windowStart(moved, output) - windowStart(moved, output - 1);
    this.#endsAtRow = outputHeight > 1 && stepInto(outputWidth) !== across;
    this.#endsAtImage = stepInto(this.#pixels) !== across;
  }

  between(first: number, last: number): number {
    const images = Math.floor(last / this.#pixels) - Math.floor(first / this.#pixels);
    const rows = Math.floor(last / this.#columns) - Math.floor(first / this.#columns) - images;
    return 1 + (this.#endsAtRow ? rows : 0) + (this.#endsAtImage ? images : 0);
  }
}
