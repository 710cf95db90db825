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

Deno.test("pools run on the shards of their result, else of their input, else where little is padding", () => {
  const attributes = {
    batch_size: integerAttribute(1),
    input_height: integerAttribute(32),
    input_width: integerAttribute(48),
    channels: integerAttribute(64),
    kernel_size: integersAttribute([2, 2]),
    stride: integersAttribute([2, 2]),
    padding: integersAttribute([0, 0]),
    dilation: integersAttribute([1, 1]),
  };
  const pool = (from: Partial<LayoutRequest>, to: Partial<LayoutRequest>) =>
    launch(
      poolPrograms,
      "ttnn.max_pool2d",
      [tensor([1, 1, 1536, 64], { ...ROWS, ...from })],
      tensor([1, 1, 384, 64], { ...ROWS, ...to }),
      attributes,
    ).map(({ kind, cores }) => `${kind} ${cores}`);
  assertEquals(pool(onShards(24, ROWS), onShards(24, ROWS)), ["halo 24", "pool 24"]);
  assertEquals(pool({}, onShards(24, ROWS)), ["stream 24", "halo 24", "pool 24"]);
  assertEquals(pool(onShards(6, ROWS), {}), ["halo 6", "pool 6", "stream 6"]);
  assertEquals(pool(onShards(6, ROWS), onShards(12, ROWS)), ["transfer 12", "halo 12", "pool 12"]);
  // 12 rows of 32 output pixels.
  assertEquals(pool({}, {}), ["stream 12", "halo 12", "pool 12", "stream 12"]);
});
