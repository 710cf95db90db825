// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { makeLayout } from "../layout/make_layout.ts";
import { DEFAULT_TILE } from "../layout/ttnn_layout.ts";
import { respread } from "./place_output.ts";

const GRID = { rows: 8, columns: 8 };

/** Grids of one row, one column or a block, each with its kind of sharding; without a grid the tensor is interleaved. */
const memories = fc.oneof(
  fc.constantFrom("dram", "l1").map((bufferType) => ({ bufferType, memoryLayout: "interleaved" as const })),
  fc.constant({ bufferType: "l1", memoryLayout: "height_sharded" as const, grid: [4, 1] }),
  fc.constant({ bufferType: "l1", memoryLayout: "width_sharded" as const, grid: [1, 4] }),
  fc.constant({ bufferType: "l1", memoryLayout: "block_sharded" as const, grid: [2, 4] }),
);

const shapes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 2, maxLength: 4 });

Deno.test("the memory of a layout for another tensor is what a layout made for that tensor has", () => {
  fc.assert(fc.property(memories, shapes, shapes, fc.boolean(), (memory, from, to, tiled) => {
    const made = (shape: readonly number[]) =>
      makeLayout({
        ...memory,
        bufferType: memory.bufferType === "l1" ? "l1" : "dram",
        shape,
        dataType: "f32",
        tile: tiled ? DEFAULT_TILE : null,
      }, GRID);
    const tile = tiled ? DEFAULT_TILE : undefined;
    assertEquals(respread(made(from), { shape: to, dataType: "f32", tile }), made(to));
  }));
});
