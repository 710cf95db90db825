// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { LayoutError, type LayoutRule } from "./layout_error.ts";
import { makeLayout } from "./make_layout.ts";
import type { TtnnLayout } from "./ttnn_layout.ts";
import { verifyLayout } from "./verify_layout.ts";

const GRID = { rows: 8, columns: 8 };
const base = { shape: [64, 64], dataType: "bf16" } as const;
const dram = makeLayout({ ...base, bufferType: "dram", memoryLayout: "interleaved" }, GRID);
const host = makeLayout({ ...base, bufferType: "system_memory", memoryLayout: undefined }, GRID);
const block = makeLayout({ ...base, bufferType: "l1", memoryLayout: "block_sharded", grid: [2, 2] }, GRID);

Deno.test("verifyLayout() takes what makeLayout() builds and hints without cores", () => {
  for (const layout of [dram, host, block]) verifyLayout(layout);
  verifyLayout({ ...block, coreRanges: [], ignorePhysicalLayout: true });
});

Deno.test("verifyLayout() names each rule of the ttnn_layout verifier", () => {
  const rules: [TtnnLayout, LayoutRule][] = [
    [{ ...dram, gridShape: [2, 1] }, "grid/one-by-one"],
    [{ ...host, gridShape: [1, 2] }, "grid/one-by-one"],
    [{ ...host, memoryLayout: "interleaved" }, "memory-layout/on-system-memory"],
    [{ ...dram, memoryLayout: undefined }, "memory-layout/required"],
    [{ ...block, bufferType: "dram" }, "memory-layout/dram-block-sharded"],
    [{ ...block, coreRanges: [] }, "core-ranges/required"],
    [{ ...dram, coreRanges: block.coreRanges }, "core-ranges/unexpected"],
    [{ ...block, gridShape: [1, 2] }, "core-ranges/shard-count"],
    [{ ...block, coreRanges: [...block.coreRanges, ...block.coreRanges] }, "core-ranges/overlap"],
    [{ ...block, gridShape: [2, 0] }, "grid/positive-dimensions"],
    [{ ...block, tile: undefined, dataType: "bfp_bf4" }, "tile/block-float-needs-tiles"],
    [{ ...block, tile: { height: 5, width: 5 } }, "tile/supported-shape"],
  ];
  for (const [layout, rule] of rules) {
    assertEquals(assertThrows(() => verifyLayout(layout), LayoutError).rule, rule);
  }
});
