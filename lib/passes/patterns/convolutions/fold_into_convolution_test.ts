// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import {
  ANY_CONVOLUTIONS,
  channelType,
  type ConvolutionExtents,
  convolutionModule,
} from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody } from "../../testing/passed_body.ts";
import { foldAdd, foldBatchNorm, foldMultiply, fuseConvolutionActivation } from "./fold_into_convolution.ts";

keepsMeaning(
  "a batch norm behind a convolution goes into its weights",
  [foldBatchNorm],
  ANY_CONVOLUTIONS.map((drawn) => {
    const extents = { ...drawn, isChannelFirst: true, isFlat: false };
    const type = channelType(extents);
    const text = convolutionModule(extents, { m: type, v: type, g: type, t: type }, [
      // No variance is negative.
      `%s = "ttnn.abs"(%v) : (${type}) -> ${type}`,
      `%n = "ttnn.batch_norm_inference"(%y, %m, %s, %g, %t) <{epsilon = 1.000000e-03 : f32, operandSegmentSizes = ` +
      `array<i32: 1, 1, 1, 1, 1>}> : (IMAGE, ${type}, ${type}, ${type}, ${type}) -> IMAGE`,
      "return %n : IMAGE",
    ]);
    return {
      text,
      ops: ["!batch_norm_inference", extents.isTransposed === true ? "conv_transpose2d" : "conv2d"],
    };
  }),
);

keepsMeaning(
  "a factor and an addend per channel go into weights and bias",
  [foldMultiply, foldAdd],
  ANY_CONVOLUTIONS.map((extents) => {
    const type = channelType(extents);
    const text = convolutionModule(extents, { f: type, a: type }, [
      `%0 = "ttnn.multiply"(%f, %y) : (${type}, IMAGE) -> IMAGE`,
      `%1 = "ttnn.add"(%0, %a) : (IMAGE, ${type}) -> IMAGE`,
      `%2 = "ttnn.neg"(%1) : (IMAGE) -> IMAGE`,
      "return %2 : IMAGE",
    ]);
    return { text, ops: [extents.isTransposed === true ? "conv_transpose2d" : "conv2d", "neg"] };
  }),
);

const EXTENTS = {
  channels: 2,
  filters: 4,
  size: 4,
  kernel: 3,
  hasBias: false,
  isChannelFirst: true,
} as const;

Deno.test("values with other readers, or that are no constant per channel, are not folded", () => {
  const stays = (parameters: Readonly<Record<string, string>>, lines: readonly string[]): void => {
    const text = convolutionModule(EXTENTS, parameters, lines);
    assertEquals(passedBody(text, foldMultiply).filter((line) => line.includes("ttnn.multiply")).length, 1);
  };
  stays({ f: "T<1x1x1x2>" }, [
    '%0 = "ttnn.multiply"(%y, %f) : (IMAGE, T<1x1x1x2>) -> IMAGE',
    "return %0 : IMAGE",
  ]);
  stays({}, ['%0 = "ttnn.multiply"(%y, %y) : (IMAGE, IMAGE) -> IMAGE', "return %0 : IMAGE"]);
  stays({ f: "T<1x4x1x1>" }, [
    '%0 = "ttnn.multiply"(%y, %f) : (IMAGE, T<1x4x1x1>) -> IMAGE',
    '%1 = "ttnn.add"(%0, %y) : (IMAGE, IMAGE) -> IMAGE',
    "return %1 : IMAGE",
  ]);
});

Deno.test("a convolution whose bias is no number per channel takes up nothing", () => {
  const multiplications = (biasExtents: string): number => {
    const text = convolutionModule({ ...EXTENTS, hasBias: true, biasExtents }, { f: "T<1x4x1x1>" }, [
      '%0 = "ttnn.multiply"(%y, %f) : (IMAGE, T<1x4x1x1>) -> IMAGE',
      "return %0 : IMAGE",
    ]);
    return passedBody(text, foldMultiply).filter((line) => line.includes("ttnn.multiply")).length;
  };
  assertEquals(multiplications("1x1x1x4"), 2, "of weights and of bias");
  // Upstream's conv2d_multiply_pattern_disabled.mlir adds a whole image.
  assertEquals(multiplications("1x2x2x4"), 1);
});

Deno.test("a weight that was prepared for the kernel is not scaled", () => {
  const text = convolutionModule(EXTENTS, { f: "T<1x4x1x1>" }, [
    '%0 = "ttnn.multiply"(%y, %f) : (IMAGE, T<1x4x1x1>) -> IMAGE',
    "return %0 : IMAGE",
  ]);
  const multipliesImage = (text: string): boolean =>
    passedBody(text, foldMultiply).some((line) => line.includes('"ttnn.multiply"(%y'));
  assertEquals(
    [text, text.replaceAll(/tensor<4x2x3x3xbf16, #\w+>/g, preparedType(text))].map(multipliesImage),
    [
      false,
      true,
    ],
  );
});

/** Type of the weight as the kernel reads it, with the layout of the bias row. */
function preparedType(text: string): string {
  const layout = /tensor<1x1x4x4xbf16, (#\w+)>/.exec(text)?.[1] ?? "";
  return `tensor<1x1x18x4xbf16, ${layout}>`;
}

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
