// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { windowPositions } from "./window_positions.ts";

const WINDOWS = fc.record({
  kernel: fc.integer({ min: 1, max: 5 }),
  stride: fc.integer({ min: 1, max: 4 }),
  dilation: fc.integer({ min: 1, max: 3 }),
  padding: fc.tuple(fc.nat(2), fc.nat(2)),
}).map(({ padding: [before, after], ...window }) => {
  // Kernels pad by at most half a window.
  const most = Math.floor(window.kernel / 2);
  return { ...window, padding: [Math.min(before, most), Math.min(after, most)] as const };
});

Deno.test("windows fit the padded extent; with ceil_mode one more may reach beyond it that begins before its end", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 20 }), WINDOWS, (extent, window) => {
    const { kernel, stride, dilation, padding: [before, after] } = window;
    const ends: number[] = [];
    for (let from = 0; from + dilation * (kernel - 1) < extent + before + after; from += stride) {
      ends.push(from + dilation * (kernel - 1));
    }
    fc.pre(ends.length > 0);
    assertEquals(windowPositions(extent, window), ends.length);
    const isAllSeen = ends.at(-1) === extent + before + after - 1;
    const nextBegins = ends.length * stride;
    assertEquals(
      windowPositions(extent, { ...window, ceilMode: true }),
      !isAllSeen && nextBegins < extent + before ? ends.length + 1 : ends.length,
    );
  }));
});

Deno.test("pools of real networks, as the framework that they are from sizes them", () => {
  const ceilMode = true;
  const three = { kernel: 3, stride: 2, dilation: 1, padding: [0, 0] as const };
  // GoogLeNet: 112, 56, 28, 14; SSD300: 75.
  assertEquals([112, 56, 28].map((extent) => windowPositions(extent, { ...three, ceilMode })), [56, 28, 14]);
  assertEquals([112, 56, 28].map((extent) => windowPositions(extent, three)), [55, 27, 13]);
  const two = { ...three, kernel: 2, ceilMode };
  assertEquals([windowPositions(75, two), windowPositions(75, { ...two, ceilMode: false })], [38, 37]);
});
