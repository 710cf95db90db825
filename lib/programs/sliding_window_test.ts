// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { SlidingWindow } from "../ops/sliding_window.ts";
import { haloBytes } from "./sliding_window.ts";

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
    groups: 1,
    outputHeight: out(inputHeight),
    outputWidth: out(inputWidth),
  };
}

Deno.test("haloBytes() counts from the first pixel that a core looks at to the last, not whole rows (tt-metal:sliding-window)", () => {
  // 2,400 outputs are 7.5 rows of 320: from the first pixel of row 0 to pixel 319 of row 15 of 640.
  assertEquals(haloBytes(square([2, 480, 640], [2, 2, 0]), 2400, 1), 15 * 640 + 320);
  // 28 whole rows of 56 outputs: 57 padded rows of 114 pixels without the last one.
  assertEquals(haloBytes(square([32, 112, 112], [3, 2, 1]), 1568, 1), 57 * 114 - 1);
});

Deno.test("haloBytes() counts the padding between two images that a core works on", () => {
  const window = square([2, 3, 4], [3, 1, 1]);
  // A row of outputs looks at three padded rows of six pixels.
  assertEquals(haloBytes(window, 4, 2), 3 * 6 * 2);
  // The second core has the last row of the first image and the first row of the second: three padded rows of each.
  assertEquals(haloBytes(window, 8, 2), (3 + 3) * 6 * 2);
});
