// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { answerOf, type StatedAnswer, type TensorText } from "../testing/recorded_answer.ts";

/** Answer to a write into a cache: its bytes, as it has no result. */
function write(op: string, ...inputs: readonly TensorText[]): string | readonly number[] {
  const answer: StatedAnswer = answerOf({ op, inputs, results: [] });
  return typeof answer === "string" ? answer : answer.bytes;
}

Deno.test("a fill copies two tiles at a time, and nothing where the rows lie in shards", () => {
  assertEquals(write("fill_cache", "8x8x1024x64 bfp_bf8 dram", "1x8x32x64 bfp_bf8 hs 8x1"), [0, 0, 0]);
  assertEquals(write("fill_cache", "1x8x2048x128 f32 dram", "1x8x32x128 f32 l1"), [8192, 0, 0]);
});

Deno.test("a fill takes whole sequences of the cache's format, in shards that cut them into equal parts", () => {
  assertEquals(write("fill_cache", "16x2x256x64 dram", "1x2x64x64 bs 1x2"), "cache/shard-width");
  assertEquals(write("fill_cache", "32x8x128x64 dram", "1x8x64x64 ws 1x1"), "cache/width-sharded");
  assertEquals(write("fill_cache", "1x8x128x64 dram", "1x8x64x64 hs 4x1"), "cache/shard-rows");
  assertEquals(write("fill_cache", "1x8x2048x128 bfp_bf8 dram", "1x8x64x128 dram"), "cache/format");
  assertEquals(write("fill_cache", "1x8x128x64 dram", "1x4x32x64 dram"), "cache/shape");
  assertEquals(write("fill_cache", "1x8x128x64 dram", "1x8x256x64 dram"), "cache/shape");
  assertEquals(write("fill_cache", "1x8x128x64 hs 8x1", "1x8x32x64 dram"), "cache/sharded");
  assertEquals(write("fill_cache", "1x8x128x64 dram-rm", "1x8x32x64 dram"), "cache/tile");
});

Deno.test("an update untilizes rows of two users at a time, in f32 if the cache is", () => {
  assertEquals(write("update_cache", "1x8x2048x128 bfp_bf8 dram", "1x8x1x128 bfp_bf8 hs 8x1"), [
    180_736,
    0,
    0,
  ]);
  assertEquals(write("update_cache", "1x32x128x64 f32 l1", "1x32x1x64 f32 bs 4x1"), [303_104, 0, 16_384]);
  assertEquals(write("update_cache", "16x2x256x64 f32 l1", "1x2x16x64 hs 1x1"), [335_872, 0, 32_768]);
  assertEquals(write("update_cache", "32x4x512x128 bfp_bf8 l1", "1x4x32x128 dram"), [238_592, 0, 139_264]);
  assertEquals(write("update_cache", "40x2x128x64 dram", "1x2x40x64 dram"), [319_488, 0, 0]);
});

Deno.test("an update has a row for every user and whole heads", () => {
  assertEquals(write("update_cache", "40x2x128x64 dram", "1x2x1x64 dram"), "cache/users");
  assertEquals(write("update_cache", "8x2x128x64 dram", "8x2x1x64 dram"), "cache/shape");
  assertEquals(write("update_cache", "1x8x128x64 dram", "1x8x1x32 dram"), "cache/shape");
  assertEquals(write("update_cache", "1x32x128x64 f32 l1", "1x32x1x64 f32 ws 1x1"), "cache/width-sharded");
});

const POSITIONS = "32 si32 dram-rm";

Deno.test("a paged update has one core per user, positions in DRAM and a page table of rows", () => {
  const update = (cache: TensorText, rows: TensorText, ...tables: readonly TensorText[]) =>
    write("paged_update_cache", cache, rows, ...tables);
  const rows = "1x32x8x64 hs 32x1";
  assertEquals(update("32x8x128x64 bfp_bf8 l1", rows, POSITIONS), [94_464, 0, 34_816]);
  assertEquals(update("128x8x32x64 dram", rows, POSITIONS, "32x4 si32 dram-rm"), [159_760, 0, 0]);
  assertEquals(update("32x8x128x64 dram", "1x32x8x64 hs 2x1", POSITIONS), "cache/users");
  assertEquals(update("32x8x128x64 dram", "1x32x8x64 l1", POSITIONS), "cache/input");
  assertEquals(update("32x4x512x128 bfp_bf8 dram", "1x32x4x128 ws 1x4", POSITIONS), "cache/width-sharded");
  assertEquals(update("8x8x1024x64 dram", "1x8x8x64 bs 4x2", "8 si32 dram-rm"), "cache/shard-width");
  assertEquals(update("32x8x128x64 dram", "1x32x8x64 bfp_bf8 hs 32x1", POSITIONS), "cache/format");
  assertEquals(update("32x8x128x64 dram", rows, "32 si32 bs-rm 1x1"), "cache/positions");
  assertEquals(update("32x8x128x64 dram", rows, "32 si32 l1-rm"), "cache/positions");
  assertEquals(update("32x8x128x64 dram", rows, "32 u32 dram-rm"), "cache/positions");
  assertEquals(update("128x8x32x64 dram", rows, POSITIONS, "32x4 u16 dram-rm"), "cache/page-table");
  assertEquals(update("1x8x128x64 dram", rows, POSITIONS), "cache/batch");
  assertEquals(update("128x8x32x64 dram", rows, POSITIONS, "16x4 si32 dram-rm"), "cache/batch");
});

Deno.test("a paged fill reads whole words of its page table", () => {
  const fill = (rows: TensorText, ...tables: readonly TensorText[]) =>
    write("paged_fill_cache", "128x8x32x64 dram", rows, ...tables);
  assertEquals(fill("1x8x32x64 dram", "32x4 si32 dram-rm"), [8224, 0, 0]);
  assertEquals(fill("1x8x50x64 l1", "32x4 si32 dram-rm", "1 u32 dram-rm"), [8228, 0, 0]);
  assertEquals(fill("1x8x32x64 dram", "32x4 si32 l1-rm"), "cache/page-table-row");
  assertEquals(fill("1x8x32x64 dram", "32x4 u32 dram-rm"), "cache/page-table");
  assertEquals(fill("1x8x32x64 hs 8x1", "32x4 si32 dram-rm"), "cache/input");
  assertEquals(fill("1x9x32x64 dram", "32x4 si32 dram-rm"), "cache/shape");
  assertEquals(fill("1x8x32x64 dram", "32x4 si32 dram-rm", "1 u32 l1-rm"), "cache/position");
});
