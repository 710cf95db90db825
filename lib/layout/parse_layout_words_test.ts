// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { describeLayout } from "./describe.ts";
import { LayoutError } from "./layout_error.ts";
import { makeLayout } from "./make_layout.ts";
import { LayoutWordError, parseLayoutWords } from "./parse_layout_words.ts";
import { DEFAULT_TILE } from "./ttnn_layout.ts";

const GRID = { rows: 8, columns: 8 };
const TENSOR = { shape: [256, 2048], dataType: "bf16", tile: DEFAULT_TILE } as const;

Deno.test("parseLayoutWords() reads what describeLayout() writes", () => {
  const requests = [
    { bufferType: "dram", memoryLayout: "interleaved" },
    { bufferType: "l1", memoryLayout: "interleaved" },
    { bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
    { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 13] },
    { bufferType: "l1", memoryLayout: "block_sharded", grid: [4, 8] },
    { bufferType: "dram", memoryLayout: "interleaved", tile: null },
    { bufferType: "system_memory", memoryLayout: undefined, tile: null },
  ] as const;
  for (const request of requests) {
    const layout = makeLayout({ ...request, shape: TENSOR.shape, dataType: TENSOR.dataType }, GRID);
    assertEquals(parseLayoutWords(describeLayout(layout), TENSOR, GRID), layout);
  }
});

Deno.test("parseLayoutWords() takes short names, any order, and another format", () => {
  const layout = parseLayoutWords("bfp_bf8/4x8/block/l1", TENSOR, GRID);
  assertEquals([describeLayout(layout), layout.dataType], ["l1/block_sharded/4x8", "bfp_bf8"]);
  assertEquals(describeLayout(parseLayoutWords("l1", TENSOR, GRID)), "l1/interleaved");
  assertEquals(describeLayout(parseLayoutWords("height/8x1", TENSOR, GRID)), "l1/height_sharded/8x1");
});

Deno.test("parseLayoutWords() takes a rectangle of cores for shards in a line", () => {
  const layout = parseLayoutWords("l1/width_sharded/4x8", TENSOR, GRID);
  assertEquals([layout.gridShape, layout.shardShape], [[1, 32], [8, 2]]);
  assertEquals(layout.coreRanges, [{ start: { x: 0, y: 0 }, end: { x: 7, y: 3 } }]);
});

Deno.test("parseLayoutWords() refuses unknown words, missing grids and too many cores", () => {
  assertThrows(
    () => parseLayoutWords("l1/heigth/8x1", TENSOR, GRID),
    LayoutWordError,
    "does not know 'heigth'",
  );
  assertThrows(() => parseLayoutWords("l1/block", TENSOR, GRID), LayoutError, "grid");
  assertThrows(() => parseLayoutWords("l1/width/9x8", TENSOR, GRID), LayoutError, "worker grid");
});

Deno.test("parseLayoutWords() refuses words that contradict each other, rather than take the last one", () => {
  for (
    const [text, told] of [
      ["l1/dram", "one memory, not 'l1' and 'dram'"],
      ["l1/height/block/8x1", "one sharding, not 'height' and 'block'"],
      ["l1/height/8x1/4x1", "one grid, not '8x1' and '4x1'"],
      ["dram/tile/row_major", "one kind of pages, not 'tile' and 'row_major'"],
      ["dram/bf16/f32", "one format, not 'bf16' and 'f32'"],
    ] as const
  ) {
    assertThrows(() => parseLayoutWords(text, TENSOR, GRID), LayoutWordError, told);
  }
  assertEquals(describeLayout(parseLayoutWords("l1/interleaved/l1", TENSOR, GRID)), "l1/interleaved");
});
