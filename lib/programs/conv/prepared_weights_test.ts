// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { integerAttribute, integersAttribute } from "../../../testing/op_queries.ts";
import { convolutionRequest, preparedWeightsExtent, routeConvolution } from "./convolution.ts";
import { CHIP, tensor } from "../testing/launching.ts";

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

/**
 * The grid of the result of a 1x1 convolution of two 16x16 images on blocks, with weights that were prepared for them;
 * `undefined` if they do not fit.
 */
function gridOnBlocks(columns: number, [inputs, outputs]: readonly [number, number]) {
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
  if ("refused" in route) {
    assertEquals(route.refused, "prepared-weights");
    return undefined;
  }
  assert(route.kind === "sharded");
  return route.resultLayout.gridShape.join("x");
}

Deno.test("1x1 convolutions run on blocks where weights prepared for them have their tiles, in rows and in columns", () => {
  // As ttnn 0.81.1 ran or refused weights of prepare_conv_weights, on n150 and p150.
  for (
    const [columns, inputs, outputs] of [[2, 48, 288], [2, 48, 96], [2, 288, 96], [4, 288, 48], [
      4,
      96,
      160,
    ]] as const
  ) {
    assertEquals(
      gridOnBlocks(columns, [inputs, outputs]),
      undefined,
      `${columns} columns, ${inputs} to ${outputs}`,
    );
  }
  assertEquals([gridOnBlocks(2, [48, 64]), gridOnBlocks(2, [64, 288])], ["8x2", "8x2"]);
  assertEquals([gridOnBlocks(1, [48, 288]), gridOnBlocks(3, [288, 96])], ["8x1", "8x3"]);
  // Columns of padding have cores as well.
  assertEquals([gridOnBlocks(2, [64, 32]), gridOnBlocks(4, [128, 32])], ["8x2", "8x4"]);
});
