// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { type LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { LayoutCatalog } from "./layout_catalog.ts";

const LIMITS = {
  maxLegalLayouts: 64,
  maxReshardCandidatesPerType: 4,
  enableL1ShardingLayouts: true,
  rowMajorEnabled: false,
};

/** Shards of a result, as the compiler's decision traces spell them: `b4x8`. */
function shards(shape: readonly number[], what: "hints" | "targets"): string {
  const layouts = new LayoutTable();
  const catalog = new LayoutCatalog(TEST_WORMHOLE, layouts, LIMITS, "as_compiler");
  const tensor = { shape, dataType: "bf16" } as const;
  const dram = makeLayout(
    { ...tensor, bufferType: "dram", memoryLayout: "interleaved" },
    TEST_WORMHOLE.workerGrid,
  );
  const ids = what === "hints"
    ? catalog.legalOutputs(tensor, dram)
    : catalog.reshardTargets(tensor, layouts.intern(dram));
  return ids.map((id) => layouts.get(id)).filter(({ memoryLayout }) => memoryLayout !== "interleaved")
    .map(({ memoryLayout = "", gridShape }) => `${memoryLayout[0]}${gridShape.join("x")}`).join(" ");
}

Deno.test("equal shards are hinted in the order that the compiler's traces show", () => {
  assertEquals(
    shards([128, 512], "hints"),
    "b4x8 b4x6 w1x16 b4x4 b2x8 b4x3 b2x6 b4x2 b2x4 b1x8 w1x8 b2x3 w1x6 b1x6 b4x1 b1x4 b2x2 w1x4 h4x1 b1x3 " +
      "w1x3 w1x2 h2x1 b2x1 b1x2 w1x1 h1x1 b1x1",
  );
});

Deno.test("where there are more shards than hints, the last ones go before the compiler ranks them again", () => {
  assertEquals(
    shards([32, 1, 2048], "hints"),
    "w1x64 b8x8 b8x7 b7x8 b7x7 b8x6 b6x8 b7x6 b6x7 b8x5 b5x8 b6x6 b5x7 b7x5 b4x8 b8x4 w1x32 h32x1 b6x5 b5x6 " +
      "b4x7 b7x4 b5x5 b6x4 b8x3 b3x8 b4x6 w1x22 b3x7 b7x3 b4x5 b5x4 b3x6 b6x3 b2x8 h16x1 b4x4 w1x16 b8x2 " +
      "b5x3 b3x5 b2x7 b7x2 w1x13 b4x3 b3x4 b2x6 b6x2 h11x1 w1x11 b2x5 w1x10 b5x2 b3x3 b4x2 b2x4 h8x1 b1x8 " +
      "w1x8 b8x1 h7x1 b1x7 b7x1 w1x7",
  );
});

Deno.test("reshard targets are ranked once", () => {
  assertEquals(
    shards([512, 1024], "targets").split(" ").filter((name) => name.startsWith("b")).join(" "),
    "b8x8 b8x7 b8x6 b6x8",
  );
});

Deno.test("shards of rows are explored, whole tiles or not, also where passes consider tiles only", () => {
  const layouts = new LayoutTable();
  const catalog = new LayoutCatalog(TEST_WORMHOLE, layouts, LIMITS);
  const pixels = { shape: [1, 1, 2640, 32], dataType: "bf16" } as const;
  const rows = layouts.intern(
    makeLayout(
      { ...pixels, tile: null, bufferType: "dram", memoryLayout: "interleaved" },
      TEST_WORMHOLE.workerGrid,
    ),
  );
  const shardsOf = (ids: readonly LayoutId[]): readonly string[] =>
    ids.map((id) => layouts.get(id)).filter(({ memoryLayout }) => memoryLayout === "height_sharded")
      .map(({ gridShape, shardShape, tile }) =>
        `${gridShape[0]} of ${shardShape.join("x")} ${tile ?? "rows"}`
      );
  assertEquals(shardsOf(catalog.mostShards(pixels, rows, true)), ["63 of 42x32 rows", "62 of 43x32 rows"]);
  assertEquals(shardsOf(catalog.mostShards(pixels, rows)), []);
  assertEquals(shardsOf(catalog.reshardTargets(pixels, rows)), []);
});
