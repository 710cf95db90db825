// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { haloConfigBytes } from "./halo_config.ts";
import { type CoreBounds, coreBounds, type MovedWindow, paddedImage } from "./sliding_window.ts";

/** Where a pixel of the padded images comes from; `undefined` for padding. */
function sourceOf(moved: MovedWindow, padded: number): number | undefined {
  const { window, transposed } = moved;
  const [height, width] = paddedImage(moved);
  const image = Math.floor(padded / (height * width));
  const [row, column] = [Math.floor(padded / width) % height, padded % width];
  const [down, across] = transposed ? [window.strideHeight, window.strideWidth] : [1, 1];
  const top = transposed
    ? window.dilationHeight * (window.kernelHeight - 1) - window.padding.top
    : window.padding.top;
  const left = transposed
    ? window.dilationWidth * (window.kernelWidth - 1) - window.padding.left
    : window.padding.left;
  const [y, x] = [(row - top) / down, (column - left) / across];
  const isInside = Number.isInteger(y) && Number.isInteger(x) && y >= 0 && x >= 0 &&
    y < window.inputHeight && x < window.inputWidth && image < window.batch;
  return isInside ? (image * window.inputHeight + y) * window.inputWidth + x : undefined;
}

interface Transfer {
  readonly target: number;
  readonly from: number;
  readonly to: number;
  length: number;
}

/** Half-words of two threads that take transfers as `threadOf` says. */
function halfWords(
  transfers: readonly Transfer[],
  threadOf: (transfer: Transfer, index: number) => number,
): readonly number[] {
  const [words, last] = [[1, 1], [-1, -1]];
  transfers.forEach((transfer, index) => {
    const thread = threadOf(transfer, index);
    words[thread] = (words[thread] ?? 0) + (last[thread] === transfer.target ? 3 : 6);
    last[thread] = transfer.target;
  });
  return words;
}

/** The config tensors pixel by pixel. */
function oracle(
  moved: MovedWindow,
  bounds: readonly CoreBounds[],
  shardRows: number,
  tiled: boolean,
): readonly number[] {
  const lists = bounds.map(() => ({ own: [] as Transfer[], remote: [] as Transfer[] }));
  const padding = bounds.map(({ firstInput, lastInput }, core) => {
    let runs = 0;
    let isPadded = false;
    for (let padded = firstInput; padded <= lastInput; padded++) {
      const source = sourceOf(moved, padded);
      const [height, width] = paddedImage(moved);
      if (padded >= moved.window.batch * height * width) break;
      if (source === undefined) {
        if (!isPadded) runs++;
        isPadded = true;
        continue;
      }
      isPadded = false;
      const holder = Math.floor(source / shardRows);
      const list = lists[holder]?.[holder === core ? "own" : "remote"];
      const [from, to] = [source % shardRows, padded - firstInput];
      const last = list?.at(-1);
      if (
        last?.target === core && last.from + last.length === from && last.to + last.length === to
      ) last.length++;
      else list?.push({ target: core, from, to, length: 1 });
    }
    return runs;
  });
  const words = lists.map(({ own, remote }) => {
    const all = [...own, ...remote];
    if (!tiled) return halfWords(all, (_, index) => index % 2);
    const cut = all.flatMap(({ target, from, to, length }) => {
      const parts: Transfer[] = [];
      for (let at = from; at < from + length; at = 32 * (Math.floor(at / 32) + 1)) {
        parts.push({ target, from: at, to, length: 1 });
      }
      return parts;
    });
    return halfWords(
      cut.toSorted((a, b) => a.from - b.from || a.target - b.target),
      ({ from }) => Math.floor(from / 32) % 2,
    );
  });
  const most = (numbers: readonly number[]) => Math.max(1, ...numbers);
  const even = (count: number) => 2 * Math.ceil(count / 2);
  return [
    2 * Math.max(...padding.map((runs) => Math.floor(runs / 2))) + 2,
    2 * Math.max(...padding.map((runs) => Math.ceil(runs / 2))) + 2,
    even(most(words.map(([first = 0]) => first))),
    even(most(words.map(([, second = 0]) => second))),
  ].map((count) => 2 * count);
}

const extent = fc.integer({ min: 1, max: 12 });
const few = fc.integer({ min: 1, max: 4 });
const image = fc.record({
  height: extent,
  width: extent,
  kernel: fc.tuple(few, few),
  stride: fc.tuple(few, few),
  dilation: fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 })),
  padding: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2)),
  batch: fc.integer({ min: 1, max: 3 }),
  transposed: fc.boolean(),
});

type Image = ReturnType<typeof image["generate"]>["value"];

function movedWindow(
  { height, width, kernel, stride, dilation, padding, batch, transposed }: Image,
): MovedWindow {
  const [top, left, bottom, right] = padding.map((pixels, side) =>
    Math.min(pixels, (kernel[side % 2] ?? 1) - 1)
  );
  const along = (inputs: number, axis: 0 | 1, around: number): number => {
    const reach = dilation[axis] * (kernel[axis] - 1);
    return transposed
      ? (inputs - 1) * stride[axis] - around + reach + 1
      : Math.floor((inputs + around - reach - 1) / stride[axis]) + 1;
  };
  const [padHeight, padWidth] = [(top ?? 0) + (bottom ?? 0), (left ?? 0) + (right ?? 0)];
  const window: SlidingWindow = {
    batch,
    inChannels: 32,
    outChannels: 32,
    groups: 1,
    inputHeight: height,
    inputWidth: width,
    outputHeight: along(height, 0, padHeight),
    outputWidth: along(width, 1, padWidth),
    kernelHeight: kernel[0],
    kernelWidth: kernel[1],
    strideHeight: stride[0],
    strideWidth: stride[1],
    dilationHeight: dilation[0],
    dilationWidth: dilation[1],
    padHeight,
    padWidth,
    padding: { top: top ?? 0, left: left ?? 0, bottom: bottom ?? 0, right: right ?? 0 },
  };
  return { window, transposed };
}

Deno.test("config tensors of a halo are those that its pixels one by one make", () => {
  fc.assert(
    fc.property(image, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 60 }), fc.boolean(), (
      of,
      cores,
      rows,
      tiled,
    ) => {
      const moved = movedWindow(of);
      fc.pre(moved.window.outputHeight > 0 && moved.window.outputWidth > 0);
      const shardRows = tiled ? 32 * (1 + rows % 3) : rows;
      const bounds = coreBounds(moved, cores, tiled ? 32 : 1);
      const found = haloConfigBytes(moved, bounds, { shardRows, tiled, placeOf: (core) => [0, core] });
      assertEquals(found, oracle(moved, bounds, shardRows, tiled));
    }),
    { numRuns: 400 },
  );
});
