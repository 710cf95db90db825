// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { makeLayout } from "../make_layout.ts";
import { reshardClass } from "./reshard_class.ts";
import { reshardTransfers } from "./reshard_transfers.ts";
import { arbitraryReshard } from "../testing/reference_placement.ts";

const GRID = { rows: 8, columns: 8 };
const base = { shape: [64, 64], dataType: "bf16" } as const;
const dram = makeLayout({ ...base, bufferType: "dram", memoryLayout: "interleaved" }, GRID);
const l1 = makeLayout({ ...base, bufferType: "l1", memoryLayout: "interleaved" }, GRID);
const host = makeLayout({ ...base, bufferType: "system_memory", memoryLayout: undefined, tile: null }, GRID);
const block = makeLayout({ ...base, bufferType: "l1", memoryLayout: "block_sharded", grid: [2, 2] }, GRID);
const height = makeLayout({ ...base, bufferType: "l1", memoryLayout: "height_sharded", grid: [2, 1] }, GRID);

Deno.test("reshardClass() names the movement between every two kinds of memory", () => {
  const movement = (from: typeof dram, to: typeof dram) => reshardClass(from, to).movement;
  assertEquals(movement(dram, l1), "copy");
  assertEquals(movement(dram, block), "interleaved_to_sharded");
  assertEquals(movement(block, l1), "sharded_to_interleaved");
  assertEquals(movement(block, height), "reshard");
  assertEquals(movement(host, dram), "to_device");
  assertEquals(movement(height, host), "from_device");
  assertEquals(movement(host, host), "host");
  assertEquals(movement(block, { ...block, dataType: "f32" }), "none");
});

Deno.test("reshardClass() tells page conversions, typecasts and DRAM traffic", () => {
  assertEquals(reshardClass(host, dram), {
    movement: "to_device",
    pages: "tilize",
    typecast: false,
  });
  assertEquals(reshardClass(block, { ...block, tile: { height: 16, width: 32 } }).pages, "retile");
  assertEquals(reshardClass(dram, { ...dram, tile: undefined, dataType: "f32" }), {
    movement: "copy",
    pages: "untilize",
    typecast: true,
  });
});

Deno.test("reshardClass() says none only when no transfer leaves its node", () => {
  fc.assert(
    fc.property(arbitraryReshard(), fc.boolean(), ({ shape, from, to, chip }, same) => {
      const target = same ? { ...from, dataType: to.dataType } : to;
      if (reshardClass(from, target).movement !== "none") return;
      const set = reshardTransfers(shape, from, target, chip);
      assertEquals(set.localBytes, set.totalBytes);
    }),
    { numRuns: 200, seed: 21 },
  );
});
