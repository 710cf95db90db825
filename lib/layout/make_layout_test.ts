// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { LayoutError, type LayoutRule } from "./layout_error.ts";
import {
  canonicalCoreRanges,
  emptyAxes,
  type LayoutRequest,
  makeLayout,
  physicalExtent,
  shardBytes,
} from "./make_layout.ts";
import { arbitraryShape } from "./testing/reference_placement.ts";
import { verifyLayout } from "./verify_layout.ts";

const GRID = { rows: 8, columns: 8 };

function refusal(request: LayoutRequest, dramBanks = 12): LayoutRule {
  return assertThrows(() => makeLayout(request, GRID, dramBanks), LayoutError).rule;
}

Deno.test("makeLayout() gives interleaved DRAM the whole tensor on a 1x1 grid", () => {
  const layout = makeLayout(
    { shape: [2, 50, 70], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
    GRID,
  );
  // 50 rows pad to 64 per batch, 70 columns to 96.
  assertEquals(layout.gridShape, [1, 1]);
  assertEquals(layout.shardShape, [4, 3]);
  assertEquals(shardBytes(layout), 12 * 2048);
});

Deno.test("makeLayout() spreads interleaved L1 over the whole worker grid, rounded up", () => {
  const request = {
    shape: [1, 300, 32],
    dataType: "bf16",
    bufferType: "l1",
    memoryLayout: "interleaved",
  } as const;
  assertEquals(makeLayout(request, { rows: 10, columns: 11 }).gridShape, [10, 11]);
  assertEquals(makeLayout(request, { rows: 2, columns: 2 }).shardShape, [1, 3]);
});

Deno.test("makeLayout() pads vectors and scalars to one tile", () => {
  const request = { dataType: "f32", bufferType: "dram", memoryLayout: "interleaved" } as const;
  assertEquals(makeLayout({ ...request, shape: [33] }, GRID).shardShape, [1, 2]);
  assertEquals(makeLayout({ ...request, shape: [] }, GRID).shardShape, [1, 1]);
  assertEquals(makeLayout({ ...request, shape: [33], tile: null }, GRID).shardShape, [1, 33]);
});

Deno.test("makeLayout() divides tiles among height shards and fills rows of cores, then a tail strip", () => {
  const layout = makeLayout(
    {
      shape: [1, 1, 25088, 64],
      dataType: "bf16",
      bufferType: "l1",
      memoryLayout: "height_sharded",
      grid: [61, 1],
    },
    GRID,
  );
  assertEquals(layout.shardShape, [13, 2]);
  assertEquals(layout.coreRanges, [
    { start: { x: 0, y: 0 }, end: { x: 7, y: 6 } },
    { start: { x: 0, y: 7 }, end: { x: 4, y: 7 } },
  ]);
});

Deno.test("canonicalCoreRanges() is one strip when the shards fit one row, one rectangle when they fill rows", () => {
  const place = (cores: number, columns: number) =>
    canonicalCoreRanges("l1", "width_sharded", [1, cores], { rows: 10, columns }, undefined);
  assertEquals(place(5, 11), [{ start: { x: 0, y: 0 }, end: { x: 4, y: 0 } }]);
  assertEquals(place(22, 11), [{ start: { x: 0, y: 0 }, end: { x: 10, y: 1 } }]);
  assertEquals(place(12, 11), [
    { start: { x: 0, y: 0 }, end: { x: 10, y: 0 } },
    { start: { x: 0, y: 1 }, end: { x: 0, y: 1 } },
  ]);
});

Deno.test("makeLayout() places column-major blocks transposed", () => {
  const layout = makeLayout(
    {
      shape: [64, 160],
      dataType: "bf16",
      bufferType: "l1",
      memoryLayout: "block_sharded",
      grid: [2, 5],
      shardOrientation: "col_major",
    },
    GRID,
  );
  assertEquals(layout.coreRanges, [{ start: { x: 0, y: 0 }, end: { x: 1, y: 4 } }]);
});

Deno.test("makeLayout() folds leading dimensions into the first sharded one of an nd layout", () => {
  const request = { dataType: "bf16", bufferType: "l1", memoryLayout: "nd_sharded" } as const;
  const layout = makeLayout({ ...request, shape: [2, 3, 40, 96], grid: [3, 2, 1] }, GRID);
  // Dimensions [6, 2, 3] in tiles, divided by [3, 2, 1].
  assertEquals(layout.shardShape, [2, 1, 3]);
  assertEquals(refusal({ ...request, shape: [2, 3, 40], grid: [1, 1, 1, 1] }), "grid/rank");
});

Deno.test("makeLayout() names the rule that bad input breaks", () => {
  const base = {
    shape: [64, 64],
    dataType: "bf16",
    bufferType: "l1",
    memoryLayout: "block_sharded",
  } as const;
  const rules: [LayoutRequest, LayoutRule][] = [
    [{ ...base, shape: [64, -1], grid: [1, 1] }, "shape/extents"],
    [{ ...base, shape: [64.5], grid: [1, 1] }, "shape/extents"],
    [base, "grid/required"],
    [{ ...base, grid: [0, 1] }, "grid/positive-dimensions"],
    [{ ...base, grid: [1, 1, 1] }, "grid/rank"],
    [{ ...base, grid: [9, 1] }, "grid/exceeds-worker-grid"],
    [{ ...base, memoryLayout: "height_sharded", grid: [65, 1] }, "grid/exceeds-worker-grid"],
    [{ ...base, memoryLayout: "height_sharded", grid: [2, 2] }, "grid/line"],
    [{ ...base, memoryLayout: "width_sharded", grid: [2, 2] }, "grid/line"],
    [{ ...base, bufferType: "dram", grid: [2, 2] }, "memory-layout/dram-block-sharded"],
    [
      { ...base, bufferType: "dram", memoryLayout: "width_sharded", grid: [1, 13] },
      "grid/exceeds-dram-banks",
    ],
    [{ ...base, bufferType: "system_memory", grid: [1, 1] }, "memory-layout/on-system-memory"],
    [{ ...base, memoryLayout: undefined }, "memory-layout/required"],
    [{ ...base, tile: { height: 8, width: 32 }, grid: [1, 1] }, "tile/supported-shape"],
    [{ ...base, tile: null, dataType: "bfp_bf8", grid: [1, 1] }, "tile/block-float-needs-tiles"],
    [
      { ...base, grid: [1, 1], coreRanges: [{ start: { x: 1, y: 0 }, end: { x: 0, y: 0 } }] },
      "core-ranges/corners",
    ],
    [
      {
        ...base,
        memoryLayout: "height_sharded",
        grid: [3, 1],
        coreRanges: [{ start: { x: 0, y: 0 }, end: { x: 1, y: 0 } }, {
          start: { x: 1, y: 0 },
          end: { x: 1, y: 0 },
        }],
      },
      "core-ranges/overlap",
    ],
    [
      { ...base, grid: [2, 2], coreRanges: [{ start: { x: 0, y: 0 }, end: { x: 2, y: 0 } }] },
      "core-ranges/shard-count",
    ],
  ];
  for (const [request, rule] of rules) assertEquals(refusal(request), rule);
});

Deno.test("makeLayout() makes only layouts that the verifier takes, whose shards cover the tensor", () => {
  fc.assert(
    fc.property(
      arbitraryShape(),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      (shape, rows, columns) => {
        const layout = makeLayout(
          { shape, dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [rows, columns] },
          GRID,
        );
        verifyLayout(layout);
        const elements = shape.reduce((volume, extent) => volume * extent, 1);
        const held = layout.shardShape.reduce((volume, extent) => volume * extent, 1) * rows * columns * 1024;
        assertEquals(held >= elements, true);
      },
    ),
    { numRuns: 100, seed: 3 },
  );
});

Deno.test("every matrix of a batch is padded to whole tiles by itself", () => {
  // tensor-layout: 3 matrices of 40 rows are 3 * 64 rows, not 128.
  assertEquals(physicalExtent([3, 40, 70], { height: 32, width: 32 }), [192, 96]);
  assertEquals(physicalExtent([2, 3, 40, 70], undefined), [240, 70]);
});

Deno.test("axes of a grid with more cores than tiles have empty cores", () => {
  const request = {
    dataType: "bf16",
    bufferType: "l1",
    memoryLayout: "block_sharded",
    grid: [2, 4],
  } as const;
  const layout = makeLayout({ ...request, shape: [64, 128] }, GRID);
  assertEquals([[64, 128], [64, 96], [32, 1], [3]].map((shape) => emptyAxes(shape, layout)), [
    [],
    [1],
    [0, 1],
    [0, 1],
  ]);
  assertEquals(emptyAxes([1, 1], makeLayout({ ...request, shape: [64, 128], tile: null }, GRID)), []);
});

Deno.test("makeLayout() gives interleaved L1 a whole unit where one more than the cores is left over", () => {
  const request = { dataType: "bf16", bufferType: "l1", memoryLayout: "interleaved" } as const;
  // 65 tiles over 64 cores: one core holds two.
  assertEquals(makeLayout({ ...request, shape: [65 * 32, 32] }, GRID).shardShape, [1, 2]);
});
