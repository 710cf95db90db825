// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { coreBounds, haloSticks } from "./sliding_window.ts";

/** A square window of one channel, undilated. */
function square(
  image: readonly [batch: number, height: number, width: number],
  [kernel, stride, pad]: readonly [number, number, number],
): SlidingWindow {
  const [batch, inputHeight, inputWidth] = image;
  const out = (extent: number): number => Math.floor((extent + 2 * pad - kernel) / stride) + 1;
  return {
    batch,
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
    outputHeight: out(inputHeight),
    outputWidth: out(inputWidth),
  };
}

/** Sticks of the fullest of so many cores. */
function sticks(window: SlidingWindow, cores: number): number {
  return haloSticks(coreBounds({ window, transposed: false }, cores, 1));
}

Deno.test("a halo reaches from a core's first read pixel to its last, not over whole rows (tt-metal:sliding-window)", () => {
  // 2,400 outputs are 7.5 rows of 320: from the first pixel of row 0 to pixel 319 of row 15 of 640.
  assertEquals(sticks(square([2, 480, 640], [2, 2, 0]), 64), 15 * 640 + 320);
  // 28 whole rows of 56 outputs: 57 padded rows of 114 pixels without the last one.
  assertEquals(sticks(square([32, 112, 112], [3, 2, 1]), 64), 57 * 114 - 1);
});

Deno.test("a halo counts the padding between two images that a core works on", () => {
  const window = square([2, 3, 4], [3, 1, 1]);
  // A row of outputs looks at three padded rows of six pixels.
  assertEquals(sticks(window, 6), 3 * 6);
  // The second core has the last row of the first image and the first row of the second: three padded rows of each.
  assertEquals(sticks(window, 3), (3 + 3) * 6);
});
