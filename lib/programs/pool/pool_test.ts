// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { integerAttribute, integersAttribute } from "../../../testing/op_queries.ts";
import type { LayoutRequest } from "../../layout/make_layout.ts";
import { circularBufferBytes } from "../circular_buffer.ts";
import { poolPrograms } from "./pool.ts";
import { buffers, CONTEXT, launch, onShards, ROWS, tensor } from "../testing/launching.ts";

Deno.test("a halo has a stick of padding for each reader, and untilized rows where its input is tiled", () => {
  const attributes = {
    batch_size: integerAttribute(1),
    input_height: integerAttribute(32),
    input_width: integerAttribute(32),
    channels: integerAttribute(64),
    kernel_size: integersAttribute([2, 2]),
    stride: integersAttribute([2, 2]),
  };
  const halo = (page: Partial<LayoutRequest>) =>
    launch(
      poolPrograms,
      "ttnn.max_pool2d",
      [tensor([1, 1, 1024, 64], onShards(8, page))],
      tensor([1, 1, 256, 64], onShards(8, page)),
      attributes,
    )[0];
  assertEquals(buffers(halo(ROWS)), { padding0: 128, padding1: 128 });
  assertEquals(buffers(halo({})), { padding0: 128, padding1: 128, untilized0: 8192, untilized1: 8192 });
});

Deno.test("a pool with indices has tiles to count them in, of 32 bits for large images, and more for large windows", () => {
  // As ttnn 0.81.1 allocates on n150, besides the table of windows: 14,336 bytes without indices.
  const bytes = (extent: number, kernel: number) => {
    const operand = tensor([1, 1, extent * extent, 32], ROWS);
    const result = tensor([1, 1, Math.floor(extent / kernel) ** 2, 32], ROWS);
    const launched = poolPrograms({
      name: "ttnn.max_pool2d_with_indices",
      attributes: new Map(Object.entries({
        batch_size: integerAttribute(1),
        input_height: integerAttribute(extent),
        input_width: integerAttribute(extent),
        channels: integerAttribute(32),
        kernel_size: integersAttribute([kernel, kernel]),
        stride: integersAttribute([kernel, kernel]),
      })),
      inputs: [operand],
      outputs: [result, result],
      input: operand,
      output: result,
      config: undefined,
    }, CONTEXT);
    assert(launched.status === "known");
    const pool = launched.programs.find(({ kind }) => kind === "pool");
    return pool === undefined ? undefined : circularBufferBytes(pool);
  };
  assertEquals([bytes(32, 2), bytes(32, 5), bytes(32, 6), bytes(256, 2)], [28_672, 28_672, 32_768, 40_960]);
});
