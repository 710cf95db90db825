// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type BlockEstimate, fitBlock } from "./matmul_blocking.ts";

/** Operands in bf16, partial sums in f32, no bias. */
const ESTIMATE: BlockEstimate = { heightAndK: 4096, widthAndK: 4096, area: 6144, width: 0, height: 0 };

function bytesOf(height: number, width: number, in0BlockW: number): number {
  return 4096 * in0BlockW * (height + width) + 6144 * height * width;
}

function divisorsOf(value: number): readonly number[] {
  return Array.from({ length: value }, (_, index) => index + 1).filter((divisor) => value % divisor === 0);
}

Deno.test("fitBlock() takes the largest output block that fits with some K block, and then the largest K block", () => {
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
        const block = fitBlock(whole, ESTIMATE, limit, shrinksK ? "k_first" : "result_only");
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
        const area = Math.max(...fitting.map(({ height, width }) => height * width));
        assertEquals(block.height * block.width, area);
        const steps = fitting.filter(({ height, width }) => height === block.height && width === block.width);
        assertEquals(block.in0BlockW, Math.max(...steps.map(({ in0BlockW }) => in0BlockW)));
      },
    ),
    { numRuns: 200, seed: 20261122 },
  );
});

Deno.test("huge extents are divided quickly: divisors are found up to the square root", () => {
  const whole = { height: 1, width: 2 ** 40, in0BlockW: 2 ** 40 };
  // 64 output tiles and 2 x 4 KiB x (1 + 64) fit; 128 output tiles, or 4 tiles of K, do not.
  assertEquals(fitBlock(whole, ESTIMATE, 1_000_000, "k_first"), { height: 1, width: 64, in0BlockW: 2 });
});

Deno.test("fitBlock() of 2025 keeps K as long as some output block fits beside it", () => {
  const whole = { height: 16, width: 16, in0BlockW: 16 };
  // Today 256 output tiles fail with K of 16 and of 8, and fit with 4; 2025 halved the result first.
  const room = bytesOf(16, 16, 6);
  assertEquals(fitBlock(whole, ESTIMATE, room, "k_first"), { height: 16, width: 16, in0BlockW: 4 });
  const { in0BlockW, height, width } = fitBlock(whole, ESTIMATE, room, "result_first");
  assertEquals(in0BlockW, 16);
  assertEquals(bytesOf(height, width, 16) < room, true);
});
