// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { integerAttribute, integersAttribute } from "../../testing/op_queries.ts";
import type { LayoutRequest } from "../layout/make_layout.ts";
import { poolPrograms } from "./pool.ts";
import { buffers, launch, onShards, ROWS, tensor } from "./testing/launching.ts";

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
