// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { DEFAULT_TILE, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { derivedShards, fillsShards, shardExtent, shardMisfit, shardsOverDevice } from "./shard_spec.ts";

const CHIP = TEST_WORMHOLE;

function sharded(
  shape: readonly number[],
  memoryLayout: "height_sharded" | "width_sharded" | "block_sharded",
  pages: { readonly tile?: null } = {},
): TtnnLayout {
  const grid = { height_sharded: [4, 1], width_sharded: [1, 4], block_sharded: [2, 2] }[memoryLayout];
  return makeLayout(
    { shape, dataType: "bf16", ...pages, bufferType: "l1", memoryLayout, grid },
    CHIP.workerGrid,
  );
}

Deno.test("shards of one kind of pages fit a tensor in the other where their elements do", () => {
  for (const memoryLayout of ["height_sharded", "width_sharded", "block_sharded"] as const) {
    const [tiles, rows] = [{}, { tile: null }].map((pages) => sharded([256, 512], memoryLayout, pages));
    for (const layout of [tiles, rows]) {
      for (const tile of [DEFAULT_TILE, undefined]) {
        assertEquals(layout && shardMisfit(layout, [256, 512], tile), undefined);
      }
    }
  }
});

Deno.test("shards that are too few, too narrow or too low do not fit, whichever pages they are in", () => {
  for (const pages of [{}, { tile: null }]) {
    for (const tile of [DEFAULT_TILE, undefined]) {
      const high = sharded([256, 512], "height_sharded", pages);
      assertMatch(shardMisfit(high, [256, 1024], tile) ?? "", /^height sharding needs shards as wide/);
      assertMatch(shardMisfit(high, [512, 512], tile) ?? "", /takes 8 shards, there are 4 cores/);
      const wide = sharded([256, 512], "width_sharded", pages);
      assertMatch(shardMisfit(wide, [512, 512], tile) ?? "", /^width sharding needs shards as high/);
      assertMatch(shardMisfit(wide, [256, 1024], tile) ?? "", /takes 8 shards, there are 4 cores/);
      const block = sharded([256, 512], "block_sharded", pages);
      assertMatch(shardMisfit(block, [512, 512], tile) ?? "", /takes 4 shards, there are 2 rows of cores/);
      assertMatch(shardMisfit(block, [256, 1024], tile) ?? "", /there are 2 columns of cores/);
    }
  }
});

// The messages of ttnn 0.81.1: "Physical shard shape (1, 30) must be tile {32, 32} sized!", "Shard grid must be one
// full rectangular grid for block sharded!".
Deno.test("a tiled tensor wants shards of whole tiles, a block one rectangle of cores", () => {
  const row = makeLayout({
    shape: [1, 1920],
    dataType: "bf16",
    tile: null,
    bufferType: "l1",
    memoryLayout: "width_sharded",
    grid: [1, 64],
  }, CHIP.workerGrid);
  assertEquals(shardMisfit(row, [1, 1920], undefined), undefined);
  assertMatch(shardMisfit(row, [1, 1920], DEFAULT_TILE) ?? "", /shards of 1x30 are not whole tiles/);
  const corner = { x: 0, y: 0 };
  const stairs = {
    ...sharded([256, 512], "block_sharded"),
    coreRanges: [{ start: corner, end: { x: 1, y: 0 } }, { start: { x: 0, y: 1 }, end: { x: 0, y: 1 } }],
  };
  assertMatch(shardMisfit(stairs, [256, 512], DEFAULT_TILE) ?? "", /one full rectangle/);
  const nothing = { ...row, shardShape: [1, 0] };
  assertMatch(shardMisfit(nothing, [1, 1920], undefined) ?? "", /shards of 1x0 hold nothing/);
  assertEquals(shardMisfit(nothing, [1, 0], undefined), undefined);
});

Deno.test("a column-major block has its rows of shards along the columns of cores", () => {
  const box = { start: { x: 0, y: 0 }, end: { x: 3, y: 1 } };
  const rowMajor = { ...sharded([128, 64], "block_sharded"), shardShape: [1, 1], coreRanges: [box] };
  assertMatch(shardMisfit(rowMajor, [128, 64], DEFAULT_TILE) ?? "", /takes 4 shards, there are 2 rows/);
  assertEquals(
    shardMisfit({ ...rowMajor, shardOrientation: "col_major" }, [128, 64], DEFAULT_TILE),
    undefined,
  );
});

// Specs that ttnn 0.81.1 made up for relu with a sharded hint that had none.
Deno.test("shards over the device are whole tiles on the cores that get one", () => {
  const tensor = { shape: [1, 1, 2080, 320], dataType: "bf16", tile: DEFAULT_TILE } as const;
  const made = (memoryLayout: "height_sharded" | "width_sharded" | "block_sharded") => {
    const layout = shardsOverDevice(CHIP, tensor, { bufferType: "l1", memoryLayout });
    assertEquals(shardMisfit(layout, tensor.shape, DEFAULT_TILE), undefined);
    return [shardExtent(layout), layout.gridShape];
  };
  assertEquals(made("height_sharded"), [[64, 320], [33, 1]]);
  assertEquals(made("width_sharded"), [[2080, 32], [1, 10]]);
  assertEquals(made("block_sharded"), [[288, 64], [8, 5]]);
});

Deno.test("derived shards are the operand's, scaled, where that gives whole tiles", () => {
  const operand = { shape: [256, 512], layout: sharded([256, 512], "height_sharded") };
  const wider = { shape: [256, 1024], dataType: "f32", tile: DEFAULT_TILE } as const;
  const scaled = derivedShards(CHIP, operand, wider, operand.layout);
  assertEquals([shardExtent(scaled), scaled.coreRanges], [[64, 1024], operand.layout.coreRanges]);
  // 64 rows · 96 / 256 are no whole tiles.
  const lower = { ...wider, shape: [96, 512] };
  assertEquals(shardExtent(derivedShards(CHIP, operand, lower, operand.layout)), [32, 512]);
  const wide = { bufferType: "l1", memoryLayout: "width_sharded" } as const;
  assertEquals(shardExtent(derivedShards(CHIP, operand, wider, wide)), [256, 32]);
});

Deno.test("a tensor whose last shard is partly empty does not fill its shards", () => {
  const layout = sharded([256, 512], "height_sharded");
  assertEquals(fillsShards({ shape: [256, 512], layout }), true);
  assertEquals(fillsShards({ shape: [224, 512], layout }), false);
});
