// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { fewestSlices, partsOf, type SlicedAxis, type WindowPart, withPositions } from "./sliced_window.ts";

const side = fc.integer({ min: 0, max: 3 });

const windows: fc.Arbitrary<SlidingWindow> = fc.record({
  inputHeight: fc.integer({ min: 9, max: 70 }),
  inputWidth: fc.integer({ min: 9, max: 150 }),
  kernel: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
  stride: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
  dilation: fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 })),
  padding: fc.record({ top: side, left: side, bottom: side, right: side }),
  ceiling: fc.tuple(side, side),
}).map(({ inputHeight, inputWidth, kernel, stride, dilation, padding, ceiling }) =>
  withPositions({
    batch: 1,
    inputHeight,
    inputWidth,
    inChannels: 32,
    outChannels: 32,
    kernelHeight: kernel[0],
    kernelWidth: kernel[1],
    strideHeight: stride[0],
    strideWidth: stride[1],
    dilationHeight: dilation[0],
    dilationWidth: dilation[1],
    padHeight: padding.top + padding.bottom + ceiling[0],
    padWidth: padding.left + padding.right + ceiling[1],
    padding,
    groups: 1,
    outputHeight: 0,
    outputWidth: 0,
  })
);

/** The transposed window, of an image that is not larger. */
function spread(window: SlidingWindow): SlidingWindow {
  const { padding, dilationHeight, dilationWidth, kernelHeight, kernelWidth } = window;
  const reach = [dilationHeight * (kernelHeight - 1), dilationWidth * (kernelWidth - 1)] as const;
  const cut = (side: number, most: number) => Math.min(side, most);
  const sides = {
    top: cut(padding.top, reach[0]),
    bottom: cut(padding.bottom, reach[0]),
    left: cut(padding.left, reach[1]),
    right: cut(padding.right, reach[1]),
  };
  return {
    ...window,
    padding: sides,
    padHeight: sides.top + sides.bottom,
    padWidth: sides.left + sides.right,
    outputHeight: (window.inputHeight - 1) * window.strideHeight - sides.top - sides.bottom + reach[0] + 1,
    outputWidth: (window.inputWidth - 1) * window.strideWidth - sides.left - sides.right + reach[1] + 1,
  };
}

/** Grows with what a part reads, and differs a little between parts that differ in anything. */
function bytesOf(part: WindowPart): number {
  const noise =
    [...JSON.stringify(part)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7) % 10;
  return 10 * part.window.inputHeight * part.window.inputWidth + 40 * noise;
}

Deno.test("the smallest number of slices that fits is found without cutting every number of them", () => {
  fc.assert(
    fc.property(
      windows,
      fc.constantFrom<SlicedAxis>("height", "width"),
      fc.constantFrom("tile" as const, "row_major" as const),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      (plain, axis, grain, share, transposed) => {
        const window = transposed ? spread(plain) : plain;
        const moved = { window, transposed };
        const [whole] = partsOf(moved, { axis, count: 1 }, grain);
        const free = whole === undefined ? 0 : share * share * bytesOf(whole);
        const positions = axis === "height" ? window.outputHeight : window.outputWidth;
        const units = Math.ceil(positions / (axis === "width" && grain === "tile" ? 32 : 1));
        const fits = (count: number) =>
          partsOf(moved, { axis, count }, grain).every((part) => bytesOf(part) <= free);
        const fewest = Array.from({ length: units }, (_, index) => index + 1).find(fits) ?? 0;
        assertEquals(fewestSlices(moved, axis, grain, bytesOf, free), fewest);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("few slice sizes are queried, for any length of the axis", () => {
  const long = 1_000_003;
  const window = withPositions({
    batch: 1,
    inputHeight: long,
    inputWidth: 64,
    inChannels: 64,
    outChannels: 64,
    kernelHeight: 3,
    kernelWidth: 3,
    strideHeight: 1,
    strideWidth: 1,
    dilationHeight: 1,
    dilationWidth: 1,
    padHeight: 2,
    padWidth: 2,
    padding: { top: 1, left: 1, bottom: 1, right: 1 },
    groups: 1,
    outputHeight: 0,
    outputWidth: 0,
  });
  for (const moved of [{ window, transposed: false }, { window: spread(window), transposed: true }]) {
    let asked = 0;
    const tooMuch = () => {
      asked++;
      return 2;
    };
    assertEquals(fewestSlices(moved, "height", "tile", tooMuch, 1), 0);
    // As many as quotients of the length, of which there are two per divisor below its root.
    assertEquals(asked < 12 * Math.sqrt(long), true, `${asked} questions`);
  }
});
