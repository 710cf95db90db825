// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { type ConvolutionExtents, convolutionModule } from "../testing/convolution_case.ts";
import { passedBody } from "../testing/passed_body.ts";
import { fuseConvolutionActivation } from "./fuse_convolution_activation.ts";

const FLAT: ConvolutionExtents = {
  channels: 32,
  filters: 32,
  size: 3,
  kernel: 1,
  hasBias: false,
  isChannelFirst: false,
  isFlat: true,
};

function fusedBody(lines: readonly string[], extents: Partial<ConvolutionExtents> = {}): readonly string[] {
  const text = convolutionModule({ ...FLAT, ...extents }, {}, lines);
  return passedBody(text, fuseConvolutionActivation);
}

const RELU = '%z = "ttnn.relu"(%y) : (IMAGE) -> IMAGE';

Deno.test("an activation that is a convolution's only reader moves into its config", () => {
  for (const isTransposed of [false, true]) {
    const lines = fusedBody([RELU, "return %z : IMAGE"], { isTransposed });
    assertEquals(lines.length, 3);
    assertEquals(
      /#ttnn\.conv2d_config<(.*?)>, dilation/.exec(lines.join())?.[1],
      "weights_dtype = bf16, activation = <op_type = relu>, config_tensors_in_dram = true",
    );
  }
});

Deno.test("a convolution that something else reads too, through a view or not, keeps its activation outside", () => {
  const both = fusedBody([RELU, '%s = "ttnn.add"(%y, %z) : (IMAGE, IMAGE) -> IMAGE', "return %s : IMAGE"]);
  assertEquals(both.filter((line) => line.includes("ttnn.relu")).length, 1);
  assertEquals(both.some((line) => line.includes("op_type")), false);
  const viewed = fusedBody([RELU, "return %z : IMAGE"], { isFlat: false });
  assertEquals(viewed.filter((line) => line.includes("ttnn.relu")).length, 1);
});

Deno.test("a convolution runs one activation", () => {
  const lines = fusedBody([RELU, '%t = "ttnn.silu"(%z) : (IMAGE) -> IMAGE', "return %t : IMAGE"]);
  assertEquals(lines.map((line) => /ttnn\.(relu|silu)"/.exec(line)?.[1]).filter(Boolean), ["silu"]);
  assertEquals(lines.join().match(/op_type = \w+/g)?.join(), "op_type = relu");
});
