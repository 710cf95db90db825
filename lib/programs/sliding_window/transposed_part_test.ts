// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { partsOf } from "./sliced_window.ts";

/** A transposed convolution of one channel, padded alike on all sides. */
function transposed(
  [inputHeight, inputWidth]: readonly [number, number],
  [kernel, stride, pad]: readonly [number, number, number],
): SlidingWindow {
  const made = (extent: number): number => (extent - 1) * stride - 2 * pad + kernel;
  return {
    batch: 1,
    inputHeight,
    inputWidth,
    inChannels: 1,
    outChannels: 1,
    kernelHeight: kernel,
    kernelWidth: kernel,
    strideHeight: stride,
    strideWidth: stride,
    dilationHeight: 1,
    dilationWidth: 1,
    padHeight: 2 * pad,
    padWidth: 2 * pad,
    padding: { top: pad, left: pad, bottom: pad, right: pad },
    groups: 1,
    outputHeight: made(inputHeight),
    outputWidth: made(inputWidth),
  };
}

const KERNELS = [[2, 2, 0], [3, 1, 1], [3, 2, 1], [4, 2, 1], [3, 3, 0], [4, 4, 0], [4, 1, 2]] as const;

Deno.test("slices of a transposed convolution make every row once, of the pixels that its kernel spreads there", () => {
  for (const [kernel, stride, pad] of KERNELS) {
    const window = transposed([20, 24], [kernel, stride, pad]);
    for (let count = 1; count <= 5; count++) {
      let begin = 0;
      for (
        const { window: part } of partsOf({ window, transposed: true }, { axis: "height", count }, "tile")
      ) {
        const name =
          `kernel ${kernel}, stride ${stride}, padding ${pad}, rows from ${begin} of ${count} slices`;
        // Result row r of the image is `source * stride - pad + tap`, in the slice as in the whole.
        const from = (begin + pad - part.padding.top) / stride;
        assert(Number.isInteger(from) && from >= 0, name);
        for (let row = begin; row < begin + part.outputHeight; row++) {
          for (let source = 0; source < window.inputHeight; source++) {
            const tap = row + pad - source * stride;
            if (tap < 0 || tap >= kernel) continue;
            assert(source >= from && source < from + part.inputHeight, name);
          }
        }
        begin += part.outputHeight;
      }
      assertEquals(begin, window.outputHeight);
    }
  }
});

Deno.test("columns are added where tiles would be broken, and not where nothing is cut", () => {
  const window = transposed([16, 35], [2, 2, 0]);
  const widths = (count: number) =>
    partsOf({ window, transposed: true }, { axis: "height", count }, "tile")
      .map(({ window: { outputWidth }, foreseen }) => [outputWidth, foreseen.outputWidth]);
  assertEquals(widths(2), [[96, 70], [96, 70]]);
  assertEquals(widths(1), [[70, 70]]);
});
