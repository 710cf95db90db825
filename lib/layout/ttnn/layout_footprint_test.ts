// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type AlignedChip, layoutFootprint } from "./layout_footprint.ts";
import { makeLayout } from "../make_layout.ts";
import { arbitraryReshard } from "../testing/reference_placement.ts";

const CHIP: AlignedChip = {
  workerGrid: { rows: 8, columns: 8 },
  dramBanks: 12,
  l1Alignment: 16,
  dramAlignment: 32,
};

Deno.test("layoutFootprint() deals tiles out to DRAM banks and counts the fullest bank everywhere", () => {
  const shape = [50, 70];
  const layout = makeLayout(
    { shape, dataType: "bfp_bf8", bufferType: "dram", memoryLayout: "interleaved" },
    CHIP.workerGrid,
  );
  const footprint = layoutFootprint(shape, layout, CHIP);
  assertEquals(footprint.pageBytes, 1088);
  assertEquals(footprint.pagesPerNode, 1);
  assertEquals(footprint.allocatedBytes, 12 * 1088);
  assertEquals(footprint.tensorBytes, 6 * 1088);
  assertAlmostEquals(footprint.wastedShare, 1 - 3500 / 1024 / 12);
});

Deno.test("layoutFootprint() pads row-major pages to the alignment of their memory", () => {
  const shape = [13, 9];
  const base = { shape, dataType: "bf16", tile: null } as const;
  const dram = makeLayout({ ...base, bufferType: "dram", memoryLayout: "interleaved" }, CHIP.workerGrid);
  const inDram = layoutFootprint(shape, dram, CHIP);
  assertEquals([inDram.pageBytes, inDram.alignedPageBytes, inDram.bytesPerNode], [18, 32, 64]);
  const l1 = makeLayout(
    { ...base, bufferType: "l1", memoryLayout: "block_sharded", grid: [2, 2] },
    CHIP.workerGrid,
  );
  const inL1 = layoutFootprint(shape, l1, CHIP);
  assertEquals([inL1.pageBytes, inL1.alignedPageBytes, inL1.bytesPerNode, inL1.nodes], [10, 16, 7 * 16, 4]);
});

Deno.test("layoutFootprint() bytes add up: logical <= tensor <= allocated, pages hold the tensor", () => {
  fc.assert(
    fc.property(arbitraryReshard(), ({ shape, from, chip }) => {
      const footprint = layoutFootprint(shape, from, { ...chip, l1Alignment: 16, dramAlignment: 32 });
      assert(footprint.logicalBytes <= footprint.tensorBytes);
      assert(footprint.tensorBytes <= footprint.allocatedBytes);
      assertEquals(footprint.allocatedBytes, footprint.nodes * footprint.bytesPerNode);
      assert(footprint.wastedShare >= 0 && footprint.wastedShare < 1);
    }),
    { numRuns: 200, seed: 11 },
  );
});
