// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { LayoutError } from "../layout_error.ts";
import { makeLayout } from "../make_layout.ts";
import { physicalShardShape, shardGridShape, tensorStride, ttnnGeometry } from "./ttnn_geometry.ts";

const TILE = { height: 32, width: 32 };

Deno.test("tensorStride() is PyTorch's when row-major and that of the padded tensor when tiled", () => {
  assertEquals(tensorStride([2, 3, 64, 128], undefined), [24576, 8192, 128, 1]);
  assertEquals(tensorStride([2, 3, 50, 100], undefined), [15000, 5000, 100, 1]);
  assertEquals(tensorStride([2, 3, 50, 100], TILE), [3 * 64 * 128, 64 * 128, 128, 1]);
  assertEquals(tensorStride([7], TILE), [1]);
});

Deno.test("shardGridShape() follows the document's text where its formula contradicts it", () => {
  const shape = [2, 3, 64, 128];
  const stride = tensorStride(shape, undefined);
  const [outer = 0, , inner = 0] = stride;
  const shard: [number, number] = [48, 32];
  // The printed formula, [divup(stride[0] // stride[-2], shard[0]), divup(stride[-2], shard[0])]: it forgets the
  // extent of the outermost dimension and divides the width by the shard height.
  assertEquals([Math.ceil(Math.floor(outer / inner) / shard[0]), Math.ceil(inner / shard[0])], [4, 3]);
  // 4 x 48 rows would hold 192 of the 384 collapsed rows; 3 columns of 32 would hold 96 of the 128 columns.
  assertEquals(shardGridShape(shape, shard, undefined), [8, 4]);
  assertEquals([8 * shard[0], 4 * shard[1]], [2 * 3 * 64, 128]);
});

Deno.test("physicalShardShape() pads a shard that is not a multiple of the tile", () => {
  assertEquals(physicalShardShape([18, 32], TILE), [32, 32]);
  assertEquals(physicalShardShape([18, 32], undefined), [18, 32]);
});

Deno.test("ttnnGeometry() of a block-sharded tensor divides the padded tensor by the grid", () => {
  const layout = makeLayout(
    { shape: [2, 50, 100], dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [3, 2] },
    { rows: 8, columns: 8 },
  );
  const geometry = ttnnGeometry([2, 50, 100], layout);
  // 128 x 128 padded elements: 43 rows per shard are held in 2 tiles, so 2 of the 3 rows of cores have data.
  assertEquals(geometry.shardShape, [43, 64]);
  assertEquals(geometry.physicalShardShape, [64, 64]);
  assertEquals(geometry.gridShape, [2, 2]);
  assertEquals(layout.shardShape, [2, 2]);
});

Deno.test("shardGridShape() refuses shards without elements", () => {
  assertEquals(
    assertThrows(() => shardGridShape([4, 4], [0, 4], undefined), LayoutError).rule,
    "shape/positive-dimensions",
  );
});
