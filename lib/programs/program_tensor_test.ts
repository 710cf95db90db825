// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import type { DataType } from "../layout/data_type.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { layoutFootprint } from "../layout/ttnn/layout_footprint.ts";
import { arbitraryReshard } from "../layout/testing/reference_placement.ts";
import { bytesPerBank, programTensor } from "./program_tensor.ts";

/** Answers of ttnn 0.81.1 on a mock n150 for allocated tensors: shape, tile, format, bytes of a page, pages. */
const INTERLEAVED: readonly (readonly [number[], [number, number] | null, DataType, number, number])[] = [
  [[16, 32], [32, 32], "bf16", 2048, 1],
  [[16, 32], [16, 32], "bf16", 1024, 1],
  [[16, 32], [32, 16], "f32", 2048, 2],
  [[1024, 256], [16, 16], "bfp_bf8", 272, 1024],
  [[1, 3, 40, 70], [16, 32], "bf16", 1024, 27],
  [[1, 3, 40, 70], [32, 16], "bfp_bf8", 544, 30],
  [[16, 32], [4, 32], "bfp_bf8", 144, 4],
  [[16, 32], [16, 16], "bfp_bf4", 144, 2],
  [[16, 32], [4, 32], "bfp_bf4", 80, 4],
  [[2, 3, 5, 7], null, "bf16", 14, 30],
  [[], null, "bf16", 2, 1],
];

/** The same for shards: shape, kind, grid, tile, format, memory; bytes of a page, pages, bytes per bank. */
const SHARDED: readonly (readonly [
  number[],
  "height_sharded" | "width_sharded" | "block_sharded",
  [number, number],
  [number, number] | null,
  DataType,
  "l1" | "dram",
  [number, number, number],
])[] = [
  [[10, 70], "width_sharded", [1, 4], null, "bf16", "l1", [36, 40, 480]],
  [[10, 70], "width_sharded", [1, 4], null, "bf16", "dram", [36, 40, 640]],
  [[10, 12], "width_sharded", [1, 4], null, "bf16", "dram", [6, 40, 320]],
  [[2, 5, 71], "block_sharded", [3, 3], null, "f32", "l1", [96, 30, 384]],
  [[40, 70], "height_sharded", [3, 1], [16, 32], "bf16", "l1", [1024, 9, 3072]],
  [[64, 128], "width_sharded", [1, 4], [16, 16], "bfp_bf8", "l1", [272, 32, 2176]],
  [[64, 128], "width_sharded", [1, 4], [16, 16], "bfp_bf8", "dram", [272, 32, 2304]],
];

function tileOf(tile: [number, number] | null): { height: number; width: number } | null {
  return tile && { height: tile[0], width: tile[1] };
}

Deno.test("programTensor() has the pages that ttnn allocates for interleaved tensors", () => {
  for (const [shape, tile, dataType, pageBytes, pages] of INTERLEAVED) {
    const layout = makeLayout(
      { shape, tile: tileOf(tile), dataType, bufferType: "dram", memoryLayout: "interleaved" },
      TEST_WORMHOLE.workerGrid,
    );
    const tensor = programTensor({ shape, dataType }, layout);
    assertEquals([tensor.pageBytes, tensor.pages, tensor.bytes], [pageBytes, pages, pages * pageBytes]);
  }
});

Deno.test("programTensor() has the pages that ttnn allocates for shards, bytesPerBank() their bytes", () => {
  for (const [shape, memoryLayout, grid, tile, dataType, bufferType, answer] of SHARDED) {
    const layout = makeLayout(
      { shape, tile: tileOf(tile), dataType, bufferType, memoryLayout, grid },
      TEST_WORMHOLE.workerGrid,
      TEST_WORMHOLE.dramBanks,
    );
    const tensor = programTensor({ shape, dataType }, layout);
    assertEquals([tensor.pageBytes, tensor.pages, bytesPerBank(tensor, TEST_WORMHOLE)], answer);
  }
});

Deno.test("programTensor() counts as the coordinates of all pages do (property)", () => {
  fc.assert(
    fc.property(arbitraryReshard(), ({ shape, chip, from: layout }) => {
      fc.pre(layout.bufferType !== "system_memory");
      const described = { ...TEST_WORMHOLE, ...chip };
      const tensor = programTensor({ shape, dataType: layout.dataType }, layout);
      const footprint = layoutFootprint(shape, layout, described);
      assertEquals(
        [tensor.pageBytes, bytesPerBank(tensor, described)],
        [footprint.pageBytes, footprint.bytesPerNode],
      );
      if (layout.memoryLayout === "interleaved") assertEquals(tensor.pages, footprint.pages);
    }),
    { numRuns: 300 },
  );
});
