// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { LayoutTable } from "../layout/layout_table.ts";
import { gridVolume, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { testChipWithGrid } from "../../testing/chips.ts";
import { LegalTensorLayoutAnalysis } from "./legal_tensor_layouts.ts";

function describe(layout: TtnnLayout): string {
  return `${layout.bufferType}/${layout.memoryLayout}/${layout.gridShape.join("x")}/${
    layout.shardShape.join("x")
  }`;
}

function enumerate(
  shape: readonly number[],
  rows: number,
  columns: number,
  rowMajorEnabled = false,
): { rowMajor: TtnnLayout[]; tiled: TtnnLayout[] } {
  const table = new LayoutTable();
  const analysis = new LegalTensorLayoutAnalysis(testChipWithGrid(rows, columns), table, { rowMajorEnabled });
  const pages = analysis.layoutsOf({ shape, dataType: "bf16" });
  const all = (page: "row_major" | "tiled") =>
    [...pages[page].interleaved, ...pages[page].sharded].map((id) => table.get(id));
  return { rowMajor: all("row_major"), tiled: all("tiled") };
}

Deno.test("LegalTensorLayoutAnalysis lists interleaved first, then shards by count when all tie rules apply", () => {
  // 2x3 tiles on a 2x2 grid. Of the widths 1..4 the shard shapes are 2x3, 2x2, 2x1, 2x1: the fourth repeats.
  assertEquals(enumerate([64, 96], 2, 2).tiled.map(describe), [
    "dram/interleaved/1x1/2x3",
    "l1/interleaved/2x2/1x2",
    "l1/block_sharded/2x2/1x2",
    "l1/width_sharded/1x3/2x1",
    "l1/block_sharded/1x2/2x2",
    "l1/block_sharded/2x1/1x3",
    "l1/height_sharded/2x1/1x3",
    "l1/width_sharded/1x2/2x2",
    "l1/block_sharded/1x1/2x3",
    "l1/height_sharded/1x1/2x3",
    "l1/width_sharded/1x1/2x3",
  ]);
});

Deno.test("LegalTensorLayoutAnalysis offers row-major pages only when they are enabled", () => {
  assertEquals(enumerate([64, 96], 2, 2, false).rowMajor, []);
  const { rowMajor } = enumerate([64, 96], 2, 2, true);
  assertEquals(rowMajor.slice(0, 1).map(describe), ["dram/interleaved/1x1/64x96"]);
  assert(rowMajor.every((layout) => layout.tile === undefined));
  assert(!rowMajor.some((layout) => layout.bufferType === "l1" && !isSharded(layout)));
});

Deno.test("LegalTensorLayoutAnalysis drops row-major shards whose rows are no whole alignment units", () => {
  // 12 bf16 per row are 24 bytes: only shards of 8 columns (16 bytes) would be aligned, but 12 columns only
  // allow an uneven 8+4.
  const { rowMajor } = enumerate([4, 12], 1, 4, true);
  for (const layout of rowMajor.filter(isSharded)) assertEquals(((layout.shardShape[1] ?? 0) * 2) % 16, 0);
  assert(rowMajor.filter(isSharded).length === 0);
});

Deno.test("LegalTensorLayoutAnalysis fills every bucket for upstream's shapes and grids", () => {
  // test/unittests/Optimizer/TestLegalTensorLayoutAnalysis.cpp in tt-mlir.
  for (const shape of [[256, 512, 32], [128, 256, 64], [512, 1024, 128]]) {
    for (const side of [4, 8, 6]) {
      for (const dataType of ["f32", "bf16"] as const) {
        const analysis = new LegalTensorLayoutAnalysis(testChipWithGrid(side, side), new LayoutTable(), {
          rowMajorEnabled: true,
        });
        const pages = analysis.layoutsOf({ shape, dataType });
        assert(pages.row_major.interleaved.length > 0 && pages.row_major.sharded.length > 0);
        assert(pages.tiled.interleaved.length > 0 && pages.tiled.sharded.length > 0);
      }
    }
  }
});

Deno.test("LegalTensorLayoutAnalysis keeps the smallest grid of equal shards, so no shard is empty", () => {
  for (const shape of [[1, 32, 224, 224], [7, 1000], [1], [17, 5, 3]]) {
    const { tiled } = enumerate(shape, 8, 8);
    const sharded = tiled.filter(isSharded);
    const keys = sharded.map((layout) => `${layout.memoryLayout}:${layout.shardShape.join("x")}`);
    assertEquals(new Set(keys).size, keys.length);
    const volumes = sharded.map(gridVolume);
    assertEquals(volumes, volumes.toSorted((a, b) => b - a));
  }
});

Deno.test("LegalTensorLayoutAnalysis offers no more shards in a direction than there are tiles", () => {
  // One row of 64 tiles: blocks of one row only, a single height shard, all 64 distinct widths.
  const { tiled } = enumerate([32, 2048], 8, 8);
  const grids = tiled.filter(isSharded).map(({ gridShape }) => gridShape);
  assert(grids.every(([rows = 0, columns = 0]) => rows === 1 && columns <= 64));
  const column = enumerate([2048, 32], 8, 8).tiled.filter(isSharded).map(({ gridShape }) => gridShape);
  assert(column.every(([rows = 0, columns = 0]) => columns === 1 && rows <= 64));
});
