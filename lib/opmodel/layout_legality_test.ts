// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { layoutMisfit } from "./layout_checks.ts";

const SHAPE = [1, 2, 96, 128];
const CHIP = TEST_WORMHOLE;
const BLOCK = makeLayout(
  { shape: SHAPE, dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [6, 4] },
  CHIP.workerGrid,
);

Deno.test("layoutMisfit() accepts the layouts of makeLayout(), in every memory", () => {
  const layouts: TtnnLayout[] = [BLOCK];
  for (const bufferType of ["dram", "l1"] as const) {
    layouts.push(
      makeLayout(
        { shape: SHAPE, dataType: "bf16", bufferType, memoryLayout: "interleaved" },
        CHIP.workerGrid,
      ),
    );
  }
  const host = {
    shape: SHAPE,
    dataType: "f32",
    bufferType: "system_memory",
    memoryLayout: undefined,
  } as const;
  layouts.push(makeLayout({ ...host, tile: null }, CHIP.workerGrid));
  assertEquals(layouts.map((layout) => layoutMisfit(SHAPE, layout, CHIP)), layouts.map(() => undefined));
});

Deno.test("layoutMisfit() names cores off the grid, shards that do not cover, formats without rows", () => {
  const small = { ...CHIP, workerGrid: { rows: 4, columns: 8 } };
  assertMatch(String(layoutMisfit(SHAPE, BLOCK, small)), /core \(3,5\) outside of the 8x4/);
  assertMatch(String(layoutMisfit([1, 2, 96, 160], BLOCK, CHIP)), /takes 5 shards, there are 4 columns/);
  assertMatch(
    String(layoutMisfit(SHAPE, { ...BLOCK, tile: undefined, dataType: "bfp_bf8" }, CHIP)),
    /in tiles/,
  );
  // A sharding that leaves grid and shard to the backend says nothing that could be wrong.
  assertEquals(layoutMisfit([1, 2, 96, 160], { ...BLOCK, ignorePhysicalLayout: true }, CHIP), undefined);
});
