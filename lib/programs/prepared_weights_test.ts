// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { integerAttribute, integersAttribute } from "../../testing/op_queries.ts";
import { convolutionRequest, preparedWeightsExtent } from "./convolution.ts";
import { CHIP, tensor } from "./testing/launching.ts";

/** Extent for a square convolution of a 32x32 image. */
function extent([inputs, outputs]: readonly [number, number], kernel: number, groups = 1) {
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
    ["groups", integerAttribute(groups)],
  ]);
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
