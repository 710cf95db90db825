// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { makeLayout } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { memoryConfigOf, memoryConfigText, parseMemoryConfig } from "./memory_config.ts";

const GRID = { rows: 8, columns: 8 };

const layouts: fc.Arbitrary<TtnnLayout> = fc.record({
  rows: fc.integer({ min: 1, max: 40 }),
  columns: fc.integer({ min: 1, max: 40 }),
  memoryLayout: fc.constantFrom("interleaved", "height_sharded", "width_sharded", "block_sharded"),
  bufferType: fc.constantFrom("dram", "l1"),
  tiled: fc.boolean(),
}).map(({ rows, columns, memoryLayout, bufferType, tiled }) => {
  const isSharded = memoryLayout !== "interleaved";
  const [high, wide] = [Math.min(rows, 4), Math.min(columns, 4)];
  return makeLayout({
    shape: [rows * 32, columns * 32],
    dataType: "bf16",
    ...(tiled ? {} : { tile: null }),
    bufferType: isSharded ? "l1" : bufferType,
    memoryLayout,
    ...(isSharded
      ? {
        grid: memoryLayout === "height_sharded"
          ? [high, 1]
          : memoryLayout === "width_sharded"
          ? [1, wide]
          : [high, wide],
      }
      : {}),
  }, GRID);
});

Deno.test("a memory config reads back as it was written", () => {
  fc.assert(fc.property(layouts, (layout) => {
    const config = memoryConfigOf(layout);
    assertEquals(parseMemoryConfig(memoryConfigText(config)), config);
  }));
});

Deno.test("shards of a memory config are counted in elements, also where pages are tiles", () => {
  const request = { shape: [256, 512], dataType: "bf16", bufferType: "l1" } as const;
  for (const tile of [{}, { tile: null }]) {
    const block = makeLayout({ ...request, ...tile, memoryLayout: "block_sharded", grid: [4, 2] }, GRID);
    assertEquals(memoryConfigOf(block).shardSpec?.shape, [64, 256]);
  }
  // Of shards of more dimensions only the last two are in tiles.
  const block = makeLayout({ ...request, memoryLayout: "block_sharded", grid: [4, 2] }, GRID);
  const deep: TtnnLayout = { ...block, tile: { height: 16, width: 32 }, shardShape: [3, 2, 8] };
  assertEquals(memoryConfigOf(deep).shardSpec?.shape, [3, 32, 256]);
});

Deno.test("parseMemoryConfig() leaves texts alone that are none, or in a spelling that is not read", () => {
  const spec = "#ttnn.shard_spec<<[#ttnn.core_range<(0,0), (0,0)>]>, <32x32>, <row_major>>";
  const text = (tail: string) => `#ttnn.memory_config<#ttnn.buffer_type<l1>, <height_sharded>, ${tail}>`;
  assertEquals(parseMemoryConfig(text(spec))?.shardSpec?.shape, [32, 32]);
  for (
    const unread of [
      "#ttnn.buffer_type<l1>",
      "#ttnn.memory_config<#ttnn.buffer_type<attic>, <interleaved>>",
      text("ndShardSpec = <<32x32>>"),
      text(spec.replace("32x32", "32xY")),
      text(spec.replace("row_major", "spiral")),
    ]
  ) assertEquals(parseMemoryConfig(unread), undefined, unread);
});

Deno.test("a shard spec lacking cores, extents or an orientation is none", () => {
  const config = (spec: string) =>
    parseMemoryConfig(
      `#ttnn.memory_config<#l1, <height_sharded>, ${spec}>`,
      (name) => name === "#l1" ? "#ttnn.buffer_type<l1>" : name,
    );
  const cores = "<[#ttnn.core_range<(0,0), (0,1)>]>";
  assertEquals(config(`#ttnn.shard_spec<${cores}, <32x64>, <row_major>>`)?.shardSpec?.shape, [32, 64]);
  for (
    const spec of [`<x>, <32x64>, <row_major>`, `${cores}, <32xa>, <row_major>`, `${cores}, <32x64>, <odd>`]
  ) {
    assertEquals(config(`#ttnn.shard_spec<${spec}>`), undefined, spec);
  }
});
