// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  checkCoreRanges,
  coreCount,
  type CoreRange,
  coreRangesOverlap,
  mergeCoreRanges,
  walkCores,
} from "./core_range.ts";
import { LayoutError } from "./layout_error.ts";

const range = (x0: number, y0: number, x1: number, y1: number): CoreRange => ({
  start: { x: x0, y: y0 },
  end: { x: x1, y: y1 },
});

Deno.test("walkCores() goes range by range, rows first, or columns first when column-major", () => {
  const ranges = [range(0, 0, 1, 1), range(3, 0, 3, 0)];
  const names = (columnMajor: boolean) => walkCores(ranges, columnMajor).map(({ x, y }) => `${x},${y}`);
  assertEquals(names(false), ["0,0", "1,0", "0,1", "1,1", "3,0"]);
  assertEquals(names(true), ["0,0", "0,1", "1,0", "1,1", "3,0"]);
});

Deno.test("mergeCoreRanges() keeps the walk and gives equal ranges for equal walks", () => {
  const rectangles = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 7 }),
      fc.integer({ min: 0, max: 7 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 3 }),
    ).map(([x, y, wide, high]) => range(x, y, x + wide, y + high)),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(rectangles, fc.boolean(), (ranges, columnMajor) => {
      const merged = mergeCoreRanges(ranges, columnMajor);
      const walk = walkCores(ranges, columnMajor);
      assertEquals(walkCores(merged, columnMajor), walk);
      if (ranges.length > 1) {
        const singles = walk.map((core) => ({ start: core, end: core }));
        assertEquals(mergeCoreRanges(singles, columnMajor), merged);
      }
    }),
    { numRuns: 200, seed: 1 },
  );
});

Deno.test("checkCoreRanges() names overlaps and swapped corners", () => {
  checkCoreRanges([range(0, 0, 7, 6), range(0, 7, 4, 7)]);
  assertEquals(coreCount([range(0, 0, 7, 6), range(0, 7, 4, 7)]), 61);
  const overlap = assertThrows(() => checkCoreRanges([range(0, 0, 3, 3), range(3, 3, 4, 4)]), LayoutError);
  assertEquals(overlap.rule, "core-ranges/overlap");
  assertEquals(
    assertThrows(() => checkCoreRanges([range(2, 0, 1, 0)]), LayoutError).rule,
    "core-ranges/corners",
  );
});

Deno.test("coreRangesOverlap() needs both axes to overlap, from either side", () => {
  const [left, right, below] = [range(0, 0, 1, 1), range(4, 0, 5, 1), range(0, 4, 1, 5)];
  assertEquals(
    [[left, right], [right, left], [left, below], [below, left]].map(([a, b]) =>
      a !== undefined && b !== undefined && coreRangesOverlap(a, b)
    ),
    [false, false, false, false],
  );
  assertEquals(coreRangesOverlap(range(0, 0, 3, 3), range(3, 3, 4, 4)), true);
  assertEquals(coreRangesOverlap(range(3, 3, 4, 4), range(0, 0, 3, 3)), true);
});
