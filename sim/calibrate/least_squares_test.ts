// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { fitParameters } from "./least_squares.ts";

/** Times of `startup + tiles × cost`, as residuals of their logarithms. */
function residualsOf(tiles: readonly number[], startup: number, cost: number) {
  const measured = tiles.map((count) => startup + count * cost);
  return ([a = 0, b = 0]: readonly number[]) =>
    Float64Array.from(tiles, (count, index) => Math.log((a + count * b) / (measured[index] ?? 1)));
}

Deno.test("fitParameters() finds the constants that made noiseless data", () => {
  const tiles = Array.from({ length: 60 }, (_, index) => 1 + index * 7);
  fc.assert(
    fc.property(fc.integer({ min: 500, max: 5000 }), fc.integer({ min: 50, max: 3000 }), (startup, cost) => {
      const parameters = [{ start: 1500, min: 100, max: 10_000 }, { start: 400, min: 10, max: 5000 }];
      const values = fitParameters(parameters, residualsOf(tiles, startup, cost), 100);
      // The prior pulls a little where the data says little: at the start-up time, not at the slope.
      assertAlmostEquals((values[1] ?? 0) / cost, 1, 0.03);
      assertAlmostEquals((values[0] ?? 0) / startup, 1, 0.25);
    }),
    { numRuns: 40 },
  );
});

Deno.test("fitParameters() is not moved by a few wild rows", () => {
  const tiles = Array.from({ length: 100 }, (_, index) => 1 + index);
  const clean = residualsOf(tiles, 1000, 200);
  const wild = (values: readonly number[]) =>
    clean(values).map((residual, row) => row % 20 === 0 ? residual - 3 : residual);
  const parameters = [{ start: 1000, min: 100, max: 10_000 }, { start: 100, min: 10, max: 5000 }];
  const values = fitParameters(parameters, wild, 100);
  assertAlmostEquals((values[1] ?? 0) / 200, 1, 0.05);
});

Deno.test("fitParameters() stays inside the bounds and keeps parameters without influence at their start", () => {
  const parameters = [{ start: 5, min: 1, max: 10 }, { start: 30, min: 20, max: 40 }];
  const values = fitParameters(parameters, ([a = 0]) => Float64Array.of(Math.log(a / 100)), 50);
  assert((values[0] ?? 0) > 8 && (values[0] ?? 0) <= 10);
  assertAlmostEquals(values[1] ?? 0, 30, 1e-6);
});

Deno.test("fitParameters() gives the same answer twice", () => {
  const parameters = [{ start: 1500, min: 100, max: 10_000 }, { start: 400, min: 10, max: 5000 }];
  const run = () => fitParameters(parameters, residualsOf([1, 5, 9, 40], 900, 70), 30);
  assertEquals(run(), run());
});
