// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch } from "@std/assert";
import { makeLayout } from "../layout/make_layout.ts";
import { DEFAULT_TILE } from "../layout/ttnn_layout.ts";
import { shardMisfit } from "./place_output.ts";

const GRID = { rows: 8, columns: 8 };

function sharded(
  shape: readonly number[],
  memoryLayout: "height_sharded" | "width_sharded",
  pages: { readonly tile?: null },
) {
  const grid = memoryLayout === "height_sharded" ? [4, 1] : [1, 4];
  return makeLayout({ shape, dataType: "bf16", ...pages, bufferType: "l1", memoryLayout, grid }, GRID);
}

Deno.test("shards of one kind of pages fit a tensor in the other where their elements do", () => {
  for (const memoryLayout of ["height_sharded", "width_sharded"] as const) {
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
      assertMatch(shardMisfit(high, [512, 512], tile) ?? "", /do not cover/);
      const wide = sharded([256, 512], "width_sharded", pages);
      assertMatch(shardMisfit(wide, [512, 512], tile) ?? "", /^width sharding needs shards as high/);
      assertMatch(shardMisfit(wide, [256, 1024], tile) ?? "", /do not cover/);
    }
  }
});
