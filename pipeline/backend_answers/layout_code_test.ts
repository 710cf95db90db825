// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import { layoutCode, readLayoutCode } from "./layout_code.ts";

Deno.test("the code of a layout reads back as the layout, orientation of shards included", () => {
  const workers = { rows: 8, columns: 8 };
  const shape = [256, 512];
  const shards = { shape, dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded" } as const;
  for (const shardOrientation of ["row_major", "col_major"] as const) {
    const usual = makeLayout({ ...shards, grid: [2, 4], shardOrientation }, workers);
    const moved = { ...usual, coreRanges: [{ start: { x: 1, y: 1 }, end: { x: 4, y: 2 } }] };
    for (const layout of [usual, moved]) {
      const hint = { ...layout, ignorePhysicalLayout: true };
      for (const each of [layout, hint]) {
        assertEquals(readLayoutCode(layoutCode(each, shape, workers), shape, workers), each);
      }
    }
  }
});
