// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { prepareConvolutionWeights } from "./prepare_convolution_weights.ts";
import {
  ANY_CONVOLUTIONS,
  type ConvolutionExtents,
  convolutionModule,
  PARAMETER,
} from "./testing/convolution_case.ts";
import { keepsMeaning } from "./testing/keeps_meaning.ts";
import { bodyLines, passed } from "./testing/passed_body.ts";

const CONVOLUTION: ConvolutionExtents = {
  channels: 32,
  filters: 32,
  size: 4,
  kernel: 3,
  hasBias: true,
  isChannelFirst: false,
};
const TEXT = convolutionModule(CONVOLUTION, {}, ["return %y : IMAGE"]);

/** Names of the ops that prepare something, and what the convolution reads. */
function prepared(text: string): readonly string[] {
  return bodyLines(passed(text, prepareConvolutionWeights).text).flatMap((line) =>
    /"ttnn\.(prepare_\w+|conv\w*2d\b)/.exec(line)?.[1] ?? []
  );
}

Deno.test("weights and biases are prepared in front of their convolution, parameters or not", () => {
  const wanted = ["prepare_conv2d_weights", "prepare_conv2d_bias", "conv2d"];
  assertEquals(prepared(TEXT), wanted);
  assertEquals(prepared(TEXT.replaceAll(PARAMETER, "")), wanted);
});

Deno.test("weights are prepared for an input on the device, where it is moved first", () => {
  const text = convolutionModule({ ...CONVOLUTION, isFlat: true, isOnHost: true }, {}, ["return %y : IMAGE"]);
  const lines = bodyLines(passed(text, prepareConvolutionWeights).text);
  const [moved] = lines.flatMap((line) => /(%\w+) = "ttnn\.to_device"\(%x, %d\)/.exec(line)?.[1] ?? []);
  assertStringIncludes(lines.find((line) => line.includes('"ttnn.conv2d"')) ?? "", `(${moved}, `);
  const weights = lines.find((line) => line.includes("prepare_conv2d_weights")) ?? "";
  assertStringIncludes(
    weights,
    "input_memory_config = #ttnn.memory_config<#ttnn.buffer_type<dram>, <interleaved>>",
  );
});

Deno.test("a transposed convolution has ops of its own, for weights with input channels first", () => {
  const text = convolutionModule({ ...CONVOLUTION, channels: 40, isTransposed: true }, {}, [
    "return %y : IMAGE",
  ]);
  assertEquals(prepared(text), [
    "prepare_conv_transpose2d_weights",
    "prepare_conv_transpose2d_bias",
    "conv_transpose2d",
  ]);
  const weights = bodyLines(passed(text, prepareConvolutionWeights).text).find((line) =>
    line.includes("_weights")
  );
  assertStringIncludes(weights ?? "", 'weights_format = "IOHW"');
  assertStringIncludes(weights ?? "", "output_padding = array<i32: 0, 0>");
  // Nine rows of 40 channels.
  assertStringIncludes(weights ?? "", "1x1x360x32");
});

Deno.test("prepared weights and biases have the format that the config asks for", () => {
  const asks = (field: string) =>
    bodyLines(
      passed(TEXT.replace("#ttnn.conv2d_config<", `#ttnn.conv2d_config<${field}`), prepareConvolutionWeights)
        .text,
    ).flatMap((line) =>
      /"ttnn\.prepare_conv2d_(\w+)".*-> tensor<[^,]*?x(bf16|f32)\W/.exec(line)?.slice(1) ?? []
    );
  assertEquals(asks(""), ["weights", "bf16", "bias", "bf16"]);
  assertEquals(asks("weights_dtype = f32, "), ["weights", "f32", "bias", "f32"]);
});

keepsMeaning(
  "weights and biases are prepared",
  prepareConvolutionWeights,
  ANY_CONVOLUTIONS.map((extents) => ({
    text: convolutionModule(extents, {}, ["return %y : IMAGE"]),
    ops: [extents.isTransposed === true ? "prepare_conv_transpose2d_weights" : "prepare_conv2d_weights"],
  })),
);

Deno.test("prepared weights stay", () => {
  const once = passed(TEXT, prepareConvolutionWeights).text;
  assertEquals(passed(once, prepareConvolutionWeights).text, once);
});
