// SPDX-License-Identifier: Apache-2.0
import { emptyRoom } from "./op_launch.ts";
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { integerAttribute, integersAttribute } from "../../testing/op_queries.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { preparedWeightsExtent } from "./prepared_weights.ts";
import { programTensor } from "./program_tensor.ts";
import { FULL_RUN } from "./run_assumptions.ts";
import { MEASURED_PROGRAM_RULES } from "./program_rules.ts";

const CONTEXT = {
  chip: TEST_WORMHOLE,
  room: () => emptyRoom(TEST_WORMHOLE),
  mesh: [],
  ruleSet: MEASURED_PROGRAM_RULES,
  assumed: FULL_RUN,
} as const;

function tensor(shape: readonly number[]) {
  const dram = { shape, dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" } as const;
  return programTensor({ shape, dataType: "bf16" }, makeLayout(dram, TEST_WORMHOLE.workerGrid));
}

/** Extent for a square convolution of a 32x32 image with the given sharding. */
function extent(
  channels: readonly [number, number],
  kernel: number,
  shardLayout: "height_sharded" | "block_sharded" | "width_sharded" | undefined,
) {
  const [inputs, outputs] = channels;
  const size = 32 - kernel + 1;
  const square = (value: number) => integersAttribute([value, value]);
  const attributes = new Map([
    ["batch_size", integerAttribute(1)],
    ["in_channels", integerAttribute(inputs)],
    ["out_channels", integerAttribute(outputs)],
    ["input_height", integerAttribute(32)],
    ["input_width", integerAttribute(32)],
    ["kernel_size", square(kernel)],
    ["stride", square(1)],
    ["padding", square(0)],
    ["dilation", square(1)],
    ["groups", integerAttribute(1)],
  ]);
  return preparedWeightsExtent({
    name: "ttnn.conv2d",
    attributes,
    inputs: [tensor([1, 1, 1024, inputs]), tensor([outputs, inputs, kernel, kernel]), undefined],
    outputs: [tensor([1, 1, size * size, outputs])],
    config: { kind: "conv2d", ...(shardLayout === undefined ? {} : { conv2dConfig: { shardLayout } }) },
  }, CONTEXT);
}

Deno.test("prepared weights of channels in whole tiles are window times channels by channels", () => {
  assertEquals(extent([64, 128], 3, "height_sharded"), [9 * 64, 128]);
  assertEquals(extent([64, 128], 1, undefined), [64, 128]);
});

Deno.test("prepared weights of a height sharded kernel pad a kernel row, not every pixel of it", () => {
  // 3 x 16 channels of tiled input are 3 x 32; the same row of 3 x 8 = 24 elements would take one tile.
  assertEquals(extent([16, 40], 3, "height_sharded"), [3 * 96, 64]);
});

Deno.test("prepared weights are padded per core that the channels are spread over", () => {
  // 5 tiles of input channels over 5 columns, 3 tiles of output channels over 3.
  assertEquals(extent([160, 96], 3, "block_sharded"), [5 * 3 * 3 * 32, 96]);
  // 11 tiles of output channels over 6 columns of 2 tiles.
  const [rows, columns] = extent([64, 352], 3, "block_sharded") ?? [];
  assertEquals([rows, columns], [2 * 3 * 3 * 32, 384]);
});
