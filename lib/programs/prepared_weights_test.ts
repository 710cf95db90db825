// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { integerAttribute, integersAttribute } from "../../testing/op_queries.ts";
import { convolutionRequest, preparedWeightsExtent, routeConvolution } from "./convolution.ts";
import { CHIP, tensor } from "./testing/launching.ts";

/** Attributes of a square convolution of a square image. */
function attributesOf(
  [inputs, outputs]: readonly [number, number],
  kernel: number,
  { groups = 1, image = 32, batch = 1 } = {},
) {
  const square = (value: number) => integersAttribute([value, value]);
  return new Map([
    ["batch_size", integerAttribute(batch)],
    ["in_channels", integerAttribute(inputs)],
    ["out_channels", integerAttribute(outputs)],
    ["input_height", integerAttribute(image)],
    ["input_width", integerAttribute(image)],
    ["kernel_size", square(kernel)],
    ["stride", square(1)],
    ["padding", square(0)],
    ["dilation", square(1)],
    ["groups", integerAttribute(groups)],
  ]);
}

/** Extent for a square convolution of a 32x32 image. */
function extent([inputs, outputs]: readonly [number, number], kernel: number, groups = 1) {
  const attributes = attributesOf([inputs, outputs], kernel, { groups });
  const request = convolutionRequest({ name: "ttnn.conv2d", attributes, config: undefined }, {
    input: tensor([1, 1, 1024, inputs]),
    weight: tensor([outputs, inputs / groups, kernel, kernel]),
    hasBias: false,
    outType: "bf16",
  }, { chip: CHIP });
  return request === undefined ? undefined : preparedWeightsExtent(request);
}

Deno.test("prepared weights are a dense matrix of window and channels, as the preparing ops return it", () => {
  // The backend returned 1x1x147x64 for the stem of a ResNet (ttnn:backend-0-81-1); padding does not count.
  assertEquals(extent([3, 64], 7), [147, 64]);
  assertEquals([extent([64, 128], 3), extent([64, 128], 1)], [[9 * 64, 128], [64, 128]]);
  // Groups are filled up with zeros.
  assertEquals(extent([64, 64], 3, 64), [9 * 64, 64]);
});

/** Whether a 1x1 convolution of two 16x16 images runs on blocks, with weights that were prepared for them. */
function runsOnBlocks(columns: number, [inputs, outputs]: readonly [number, number]): boolean {
  const request = convolutionRequest({
    name: "ttnn.conv2d",
    attributes: attributesOf([inputs, outputs], 1, { image: 16, batch: 2 }),
    config: { kind: "conv2d", conv2dConfig: { shardLayout: "block_sharded", weightsDtype: "bf16" } },
  }, {
    input: tensor([1, 1, 512, inputs], {
      bufferType: "l1",
      memoryLayout: "block_sharded",
      grid: [8, columns],
    }),
    weight: tensor([1, 1, inputs, outputs]),
    hasBias: false,
    outType: "bf16",
  }, { chip: CHIP });
  assert(request !== undefined);
  const route = routeConvolution(request, { sliceType: "l1_full", numSlices: 0 }, () => 0);
  assert(!("refused" in route) || route.refused === "prepared-weights", JSON.stringify(route));
  return !("refused" in route);
}

Deno.test("1x1 convolutions run on blocks where weights prepared for them have their tiles, in rows and in columns", () => {
  // As ttnn 0.81.1 ran or refused weights of prepare_conv_weights, on n150 and p150.
  assertEquals([[48, 288], [48, 96], [288, 96]].map(([from = 0, to = 0]) => runsOnBlocks(2, [from, to])), [
    false,
    false,
    false,
  ]);
  assertEquals([[48, 64], [64, 288]].map(([from = 0, to = 0]) => runsOnBlocks(2, [from, to])), [true, true]);
  assertEquals([runsOnBlocks(1, [48, 288]), runsOnBlocks(3, [288, 96])], [true, true]);
  assertEquals([runsOnBlocks(4, [288, 48]), runsOnBlocks(4, [96, 160])], [false, false]);
});
