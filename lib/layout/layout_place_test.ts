// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { layoutPlace } from "./describe.ts";
import { type LayoutRequest, makeLayout } from "./make_layout.ts";

Deno.test("layoutPlace() distinguishes memories and shardings, and tensors off the chip", () => {
  const place = (request: Pick<LayoutRequest, "bufferType" | "memoryLayout" | "grid">) =>
    layoutPlace(makeLayout({ shape: [64, 64], dataType: "bf16", ...request }, { rows: 8, columns: 8 }));
  assertEquals(place({ bufferType: "dram", memoryLayout: "interleaved" }), "dram");
  assertEquals(place({ bufferType: "l1", memoryLayout: "interleaved" }), "l1_interleaved");
  assertEquals(place({ bufferType: "l1", memoryLayout: "block_sharded", grid: [2, 2] }), "l1_block_sharded");
  assertEquals(place({ bufferType: "system_memory", memoryLayout: undefined }), "other");
  assertEquals(layoutPlace(undefined), "other");
});
