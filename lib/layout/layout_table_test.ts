// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { canonicalLayout, layoutKey, layoutsEqual, LayoutTable } from "./layout_table.ts";
import { makeLayout } from "./make_layout.ts";
import { placeLayout } from "./ttnn/placement.ts";
import { arbitraryReshard } from "./testing/reference_placement.ts";
import type { TtnnLayout } from "./ttnn_layout.ts";

const GRID = { rows: 8, columns: 8 };

function numberedLayout(number: number): TtnnLayout {
  return makeLayout({
    shape: [32 * (1 + number % 100), 32 * (1 + Math.floor(number / 100))],
    dataType: "bf16",
    bufferType: "dram",
    memoryLayout: "interleaved",
  }, GRID);
}

Deno.test("LayoutTable.intern() gives dense ids in order of first sight, equal for equal layouts", () => {
  const table = new LayoutTable();
  assertEquals([0, 1, 0, 2, 1].map((number) => table.intern(numberedLayout(number))), [0, 1, 0, 2, 1]);
  assertEquals(table.size, 3);
  assertEquals(table.get(table.id(2)), numberedLayout(2));
  assertThrows(() => table.id(3), RangeError);
  assertThrows(() => table.id(-1), RangeError);
  assertThrows(() => table.id(0.5), RangeError);
  const other = new LayoutTable();
  assertThrows(() => other.get(table.id(2)), RangeError);
});

Deno.test("LayoutTable.intern() keeps ten thousand distinct layouts apart, however often they come", () => {
  const table = new LayoutTable();
  for (let round = 0; round < 3; round++) {
    for (let number = 0; number < 10_000; number++) {
      assertEquals(table.intern(numberedLayout(number)), number);
    }
  }
  assertEquals(table.size, 10_000);
});

Deno.test("layoutsEqual() and layoutKey() agree", () => {
  fc.assert(
    fc.property(arbitraryReshard(), ({ from, to }) => {
      assertEquals(layoutsEqual(from, to), layoutKey(from) === layoutKey(to));
      const copy = structuredClone(from);
      assert(layoutsEqual(from, copy));
      const table = new LayoutTable();
      assertEquals(table.intern(from), table.intern(copy));
    }),
    { numRuns: 200, seed: 9 },
  );
});

Deno.test("layoutsEqual() sees a change of any field", () => {
  const layout = makeLayout(
    { shape: [64, 64], dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [2, 2] },
    GRID,
  );
  const changes: Partial<TtnnLayout>[] = [
    { bufferType: "l1_small" },
    { memoryLayout: "nd_sharded" },
    { dataType: "f32" },
    { tile: { height: 16, width: 32 } },
    { tile: undefined },
    { gridShape: [2, 1] },
    { shardShape: [1, 2] },
    { coreRanges: [{ start: { x: 1, y: 0 }, end: { x: 2, y: 1 } }] },
    { shardOrientation: "col_major" },
    { ignorePhysicalLayout: true },
  ];
  const table = new LayoutTable();
  table.intern(layout);
  for (const change of changes) {
    const changed = { ...layout, ...change };
    assert(!layoutsEqual(layout, changed));
    assertNotEquals(layoutKey(layout), layoutKey(changed));
    assertNotEquals(table.intern(changed), 0);
  }
});

Deno.test("canonicalLayout() merges core ranges and keeps the place of every shard", () => {
  const layout = makeLayout(
    {
      shape: [32 * 20, 32],
      dataType: "bf16",
      bufferType: "l1",
      memoryLayout: "height_sharded",
      grid: [20, 1],
    },
    GRID,
  );
  const split: TtnnLayout = {
    ...layout,
    coreRanges: [
      { start: { x: 0, y: 0 }, end: { x: 7, y: 0 } },
      { start: { x: 0, y: 1 }, end: { x: 2, y: 1 } },
      { start: { x: 3, y: 1 }, end: { x: 7, y: 1 } },
      { start: { x: 0, y: 2 }, end: { x: 3, y: 2 } },
    ],
  };
  assertEquals(canonicalLayout(split), layout);
  fc.assert(
    fc.property(arbitraryReshard(), ({ shape, from, chip }) => {
      assertEquals(placeLayout(shape, canonicalLayout(from), chip), placeLayout(shape, from, chip));
    }),
    { numRuns: 100, seed: 13 },
  );
});
