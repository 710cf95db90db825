// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type BlockTileBytes, fitBlock } from "./matmul_blocking.ts";

const TILE: BlockTileBytes = { in0: 2048, in1: 2048, out: 2048, partials: 4096, bias: 0 };

/** Bytes of a block by the formula of `get_estimated_size_of_cbs`, without a bias. */
function bytesOf(height: number, width: number, in0BlockW: number): number {
  return 2 * in0BlockW * (height * TILE.in0 + width * TILE.in1) + height * width * (TILE.out + TILE.partials);
}

function divisorsOf(value: number): readonly number[] {
  return Array.from({ length: value }, (_, index) => index + 1).filter((divisor) => value % divisor === 0);
}

Deno.test("fitBlock() takes the largest K block that has a fitting output block, and of those the largest area", () => {
  fc.assert(
    fc.property(
      fc.record({
        height: fc.integer({ min: 1, max: 48 }),
        width: fc.integer({ min: 1, max: 48 }),
        in0BlockW: fc.integer({ min: 1, max: 24 }),
      }),
      fc.integer({ min: 10_000, max: 1_400_000 }),
      fc.boolean(),
      (whole, limit, shrinksK) => {
        const block = fitBlock(whole, TILE, limit, shrinksK);
        const fitting = divisorsOf(whole.in0BlockW)
          .filter((in0BlockW) => shrinksK || in0BlockW === whole.in0BlockW)
          .flatMap((in0BlockW) =>
            divisorsOf(whole.height).flatMap((height) =>
              divisorsOf(whole.width).map((width) => ({ height, width, in0BlockW }))
            )
          )
          .filter(({ height, width, in0BlockW }) => bytesOf(height, width, in0BlockW) < limit);
        if (fitting.length === 0) {
          assertEquals(block, { height: 1, width: 1, in0BlockW: shrinksK ? 1 : whole.in0BlockW });
          return;
        }
        const in0BlockW = Math.max(...fitting.map((found) => found.in0BlockW));
        const best = fitting.filter((found) => found.in0BlockW === in0BlockW);
        assertEquals(block.in0BlockW, in0BlockW);
        assertEquals(
          block.height * block.width,
          Math.max(...best.map(({ height, width }) => height * width)),
        );
        assertEquals(
          best.some(({ height, width }) => height === block.height && width === block.width),
          true,
        );
      },
    ),
    { numRuns: 200, seed: 20261122 },
  );
});

Deno.test("extents that no memory holds are cut at once: divisors are found up to the square root", () => {
  const whole = { height: 1, width: 2 ** 40, in0BlockW: 2 ** 40 };
  // 64 x 4 KiB x (1 + 2) and two output tiles fit; 128 x 4 KiB x (1 + 1) or four tiles of width do not.
  assertEquals(fitBlock(whole, TILE, 1_000_000, true), { height: 1, width: 2, in0BlockW: 64 });
});
