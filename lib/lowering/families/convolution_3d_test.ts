// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { dims32, keepsMeaning, single, type } from "../testing/keeps_meaning.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

const CHANNELS_FIRST =
  "batch_dim = 0 : i64, channel_dim = 1 : i64, depth_dim = 2 : i64, height_dim = 3 : i64, width_dim = 4 : i64";

/** A convolution of `[out, in, 2, 4, 4]`; the stride is the kernel. */
function conv3d(
  input: string,
  result: string,
  attributes: string,
  weight = "tensor<8x3x2x4x4xbf16>",
): string {
  return ttirFunction(`(%x: ${input}, %w: ${weight}) -> ${result}`, [
    `%0 = "ttir.conv3d"(%x, %w) <{${attributes}, groups = 1 : i32, padding = array<i32: 0, 0, 0>, ` +
    `padding_mode = "zeros", stride = array<i32: 2, 4, 4>}> : (${input}, ${weight}) -> ${result}`,
    `return %0 : ${result}`,
  ]);
}

const named = (lines: readonly string[], word: string): string =>
  lines.find((line) => line.includes(word)) ?? "";

Deno.test("conv3d with channels first is one with channels last between permutes", () => {
  const [input, result] = ["tensor<2x3x4x8x8xbf16>", "tensor<2x8x2x2x2xbf16>"];
  const lines = loweredBody(conv3d(input, result, CHANNELS_FIRST));
  assertEquals(
    named(lines, "ttnn.permute").replace(/^%\d+ = /, ""),
    `"ttnn.permute"(%arg0) <{permutation = array<i64: 0, 2, 3, 4, 1>}> : (${input}) -> tensor<2x4x8x8x3xbf16>`,
  );
  const conv = named(lines, "ttnn.conv3d");
  for (const property of ["in_channels = 32", "input_depth = 4", "input_height = 8", "out_channels = 32"]) {
    assertEquals(conv.includes(`${property} : i32`), true, property);
  }
  assertEquals(/-> (.*)$/.exec(conv)?.[1], "tensor<2x2x2x2x32xbf16, rm>");
  assertEquals(lines.at(-1)?.replace(/%\d+/, "%0"), `return %0 : ${result}`);
});

Deno.test("a convolution whose kernel is the whole input, or one voxel, is a product of matrices", () => {
  const whole = loweredBody(conv3d("tensor<2x3x2x4x4xbf16>", "tensor<2x8x1x1x1xbf16>", CHANNELS_FIRST));
  assertEquals(named(whole, "conv3d"), "");
  assertEquals(
    named(whole, "ttnn.matmul").replace(/^.*? : \(/, "("),
    "(tensor<2x96xbf16>, tensor<8x96xbf16>) -> tensor<2x8xbf16>",
  );
  const last =
    "batch_dim = 0 : i64, depth_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, channel_dim = 4 : i64";
  const pointwise = conv3d(
    "tensor<2x4x8x8x3xbf16>",
    "tensor<2x4x8x8x5xbf16>",
    last,
    "tensor<5x3x1x1x1xbf16>",
  );
  assertEquals(
    named(loweredBody(pointwise.replace("2, 4, 4>}", "1, 1, 1>}")), "ttnn.matmul").replace(/^.*? : \(/, "("),
    "(tensor<512x3xbf16>, tensor<5x3xbf16>) -> tensor<512x5xbf16>",
  );
  // Strides skip voxels.
  const strided = pointwise.replaceAll("tensor<2x4x8x8x5xbf16>", "tensor<2x2x2x2x5xbf16>");
  assertEquals(named(loweredBody(strided), "ttnn.matmul"), "");
});

keepsMeaning(
  "convolutions over volumes, in groups, of several batches, channels first or last",
  fc.record({
    batch: fc.constantFrom(1, 2),
    groups: fc.constantFrom(1, 2, 3),
    perGroup: fc.constantFrom(1, 3),
    outPerGroup: fc.constantFrom(1, 2),
    kernel: fc.array(fc.constantFrom(1, 2, 3), { minLength: 3, maxLength: 3 }),
    padding: fc.array(fc.nat(1), { minLength: 3, maxLength: 3 }),
    stride: fc.array(fc.constantFrom(1, 2), { minLength: 3, maxLength: 3 }),
    first: fc.boolean(),
    biased: fc.boolean(),
    replicates: fc.boolean(),
  }).map(({ batch, groups, perGroup, outPerGroup, kernel, padding, stride, first, biased, replicates }) => {
    const extents = [3, 4, 3];
    const out = groups * outPerGroup;
    const places = extents.map((extent, axis) =>
      Math.floor((extent + 2 * (padding[axis] ?? 0) - (kernel[axis] ?? 1)) / (stride[axis] ?? 1)) + 1
    );
    const shape = (channels: number, inner: readonly number[]) =>
      type(first ? [batch, channels, ...inner] : [batch, ...inner, channels]);
    return {
      text: single(
        "conv3d",
        [
          shape(groups * perGroup, extents),
          type([out, perGroup, ...kernel]),
          ...(biased ? [type([1, 1, 1, 1, out])] : []),
        ],
        [shape(out, places)],
        [
          ...(first ? [CHANNELS_FIRST] : []),
          `groups = ${groups} : i32`,
          `padding = ${dims32(padding)}`,
          `padding_mode = "${replicates ? "replicate" : "zeros"}"`,
          `stride = ${dims32(stride)}`,
        ],
      ),
    };
  }),
  20,
);

Deno.test("channels of all groups together are aligned, and only groups that divide them are told to the kernel", () => {
  const grouped = (channels: number, groups: number): readonly string[] => {
    const lines = loweredBody(single(
      "conv3d",
      [`tensor<1x4x6x6x${channels}xbf16>`, `tensor<6x${channels / groups}x3x3x3xbf16>`],
      ["tensor<1x2x4x4x6xbf16>"],
      [`groups = ${groups} : i32`],
    ));
    return [
      /-> (.*)$/.exec(named(lines, "prepare_conv3d_weights"))?.[1] ?? "",
      .../ groups = \d+|in_channels = \d+/g[Symbol.match](named(lines, "ttnn.conv3d")) ?? [],
    ];
  };
  assertEquals(grouped(6, 2), ["tensor<864x6xbf16, rm>", " groups = 2", "in_channels = 32"]);
  assertEquals(grouped(9, 3), ["tensor<864x6xbf16, rm>", " groups = 1", "in_channels = 32"]);
});

Deno.test("of several batches whole tiles of channels are written, because ttnn joins batches of others wrongly", () => {
  const written = (batch: number): readonly string[] =>
    loweredBody(single(
      "conv3d",
      [`tensor<${batch}x2x6x6x32xbf16>`, "tensor<80x32x1x3x3xbf16>"],
      [`tensor<${batch}x2x4x4x80xbf16>`],
    )).filter((line) => /conv3d"|slice/.test(line)).map((line) =>
      / (out_channels = \d+)|(slice)/.exec(line)?.[0] ?? ""
    );
  assertEquals(written(1), [" out_channels = 80"]);
  assertEquals(written(2), [" out_channels = 96", "slice"]);
});

Deno.test("conv3d refuses another result, and channels that its weight is not for", () => {
  assertThrows(
    () => loweredBody(conv3d("tensor<2x3x4x8x8xbf16>", "tensor<2x2x2x2x8xbf16>", CHANNELS_FIRST)),
    DiagnosticError,
    "result 0 should have shape 2x8x2x2x2",
  );
  assertThrows(
    () => loweredBody(conv3d("tensor<2x4x4x8x8xbf16>", "tensor<2x8x2x2x2xbf16>", CHANNELS_FIRST)),
    DiagnosticError,
    "its input has 4 channels, its weight is for 3",
  );
});

/** `stablehlo.convolution` of volumes with channels first, or images where `axes` is two. */
function general(axes: number, operands: readonly string[], result: string, padding: string): string {
  const all = (value: string): string => new Array(axes).fill(value).join(", ");
  const dims = axes === 3 ? "2x3x4" : "2x3";
  return ttirFunction(`(${operands.map((type, at) => `%a${at}: ${type}`).join(", ")}) -> ${result}`, [
    `%0 = "ttir.convolution"(${
      operands.map((_, at) => `%a${at}`).join(", ")
    }) <{batch_group_count = 1 : i64, ` +
    "convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, " +
    `input_spatial_dimensions = ${dims}, kernel_output_feature = 0, kernel_input_feature = 1, ` +
    `kernel_spatial_dimensions = ${dims}, output_batch = 0, output_feature = 1, output_spatial_dimensions = ${dims}>, ` +
    `feature_group_count = 1 : i64, input_dilation = array<i64: ${
      all("1")
    }>, padding = array<i64: ${padding}>, ` +
    `weight_dilation = array<i64: ${all("1")}>, window_reversal = array<i1: ${all("false")}>, ` +
    `window_strides = array<i64: ${all("2")}>}> : (${operands.join(", ")}) -> ${result}`,
    `return %0 : ${result}`,
  ]);
}

Deno.test("the general convolution goes over volumes, and takes a bias in front of its destination", () => {
  const [input, weight, result] = [
    "tensor<1x4x8x28x28xbf16>",
    "tensor<16x4x3x3x3xbf16>",
    "tensor<1x16x4x13x13xbf16>",
  ];
  const lines = loweredBody(
    general(3, [input, weight, "tensor<1x1x1x1x16xbf16>", result], result, "1, 1, 0, 0, 0, 0"),
  );
  const conv = named(lines, "ttnn.conv3d");
  assertEquals(conv.includes("padding = array<i32: 1, 0, 0>"), true, conv);
  assertEquals(
    /: \((.*), !ttnn.device\) -> (.*)$/.exec(conv)?.slice(1),
    [
      "tensor<1x8x28x28x32xbf16, rm>, tensor<864x16xbf16>, tensor<1x16xbf16>",
      "tensor<1x4x13x13x16xbf16, rm>",
    ],
  );
  assertThrows(
    () => loweredBody(general(3, [input, weight], result, "1, 0, 0, 0, 0, 0")),
    DiagnosticError,
    "padding must be alike on both sides",
  );
  const image = ["tensor<1x4x28x28xbf16>", "tensor<16x4x3x3xbf16>", "tensor<1x16x1x1xbf16>"];
  const flat = named(loweredBody(general(2, image, "tensor<1x16x13x13xbf16>", "0, 0, 0, 0")), "ttnn.conv2d");
  assertEquals(/: \((.*?)\) ->/.exec(flat)?.[1]?.includes("tensor<1x1x1x16xbf16, host>"), true, flat);
  assertThrows(
    () =>
      loweredBody(general(2, image.with(2, "tensor<1x8x1x1xbf16>"), "tensor<1x16x13x13xbf16>", "0, 0, 0, 0")),
    DiagnosticError,
    "expected input, weight and a bias of 16 numbers at most",
  );
});
