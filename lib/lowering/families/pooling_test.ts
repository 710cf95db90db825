// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("max_pool2d takes row-major bf16", () => {
  const text = ttirFunction("(%a: tensor<1x16x16x64xf32>) -> tensor<1x8x8x64xf32>", [
    '%0 = "ttir.max_pool2d"(%a) <{kernel = array<i32: 3, 3>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, ceil_mode = false}> : (tensor<1x16x16x64xf32>) -> tensor<1x8x8x64xf32>',
    "return %0 : tensor<1x8x8x64xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 256 : i32, 64 : i32]}> : (tensor<1x16x16x64xf32>) -> tensor<1x1x256x64xf32>',
    '%1 = "ttnn.typecast"(%0) : (tensor<1x1x256x64xf32>) -> tensor<1x1x256x64xbf16>',
    '%2 = "ttnn.to_layout"(%1) : (tensor<1x1x256x64xbf16>) -> tensor<1x1x256x64xbf16, rm>',
    '%3 = "ttnn.max_pool2d"(%2) <{batch_size = 1 : si32, ceil_mode = false, channels = 64 : si32, config_tensors_in_dram = true, dilation = array<i32: 1, 1>, input_height = 16 : si32, input_width = 16 : si32, kernel_size = array<i32: 3, 3>, padding = array<i32: 1, 1>, reallocate_halo_output = false, stride = array<i32: 2, 2>}> : (tensor<1x1x256x64xbf16, rm>) -> tensor<1x1x64x64xbf16, rm>',
    '%4 = "ttnn.to_layout"(%3) : (tensor<1x1x64x64xbf16, rm>) -> tensor<1x1x64x64xbf16>',
    '%5 = "ttnn.typecast"(%4) : (tensor<1x1x64x64xbf16>) -> tensor<1x1x64x64xf32>',
    '%6 = "ttnn.reshape"(%5) <{shape = [1 : i32, 8 : i32, 8 : i32, 64 : i32]}> : (tensor<1x1x64x64xf32>) -> tensor<1x8x8x64xf32>',
    "return %6 : tensor<1x8x8x64xf32>",
  ]);
});

Deno.test("a window that exceeds the padded image, which ceil_mode allows, becomes as large as the image", () => {
  const text = ttirFunction("(%a: tensor<1x2x9x32xbf16>) -> tensor<1x1x4x32xbf16>", [
    '%0 = "ttir.max_pool2d"(%a) <{kernel = array<i32: 3, 3>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>, padding = array<i32: 0, 0, 0, 0>, ceil_mode = true}> : (tensor<1x2x9x32xbf16>) -> tensor<1x1x4x32xbf16>',
    "return %0 : tensor<1x1x4x32xbf16>",
  ]);
  const pool = loweredBody(text).find((line) => line.includes("max_pool2d")) ?? "";
  assertEquals(/kernel_size = array<i32: [^>]*>/.exec(pool)?.[0], "kernel_size = array<i32: 2, 3>");
});

Deno.test("upsample2d keeps its factor and takes row-major", () => {
  const text = ttirFunction("(%a: tensor<4x32x64x32xbf16>) -> tensor<4x96x128x32xbf16>", [
    '%0 = "ttir.upsample2d"(%a) <{scale_factor = array<i32: 3, 2>, mode = "bilinear"}> : (tensor<4x32x64x32xbf16>) -> tensor<4x96x128x32xbf16>',
    "return %0 : tensor<4x96x128x32xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.to_layout"(%arg0) : (tensor<4x32x64x32xbf16>) -> tensor<4x32x64x32xbf16, rm>',
    '%1 = "ttnn.upsample"(%0) <{mode = "bilinear", scale_factor = array<i32: 3, 2>}> : (tensor<4x32x64x32xbf16, rm>) -> tensor<4x96x128x32xbf16, rm>',
    '%2 = "ttnn.to_layout"(%1) : (tensor<4x96x128x32xbf16, rm>) -> tensor<4x96x128x32xbf16>',
    "return %2 : tensor<4x96x128x32xbf16>",
  ]);
});

Deno.test("upsample2d interpolates whole tiles of channels, and takes the others off again", () => {
  const text = ttirFunction("(%a: tensor<1x4x5x19xbf16>) -> tensor<1x8x10x19xbf16>", [
    '%0 = "ttir.upsample2d"(%a) <{scale_factor = 2 : si32, mode = "bilinear"}> : (tensor<1x4x5x19xbf16>) -> tensor<1x8x10x19xbf16>',
    "return %0 : tensor<1x8x10x19xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.pad"(%arg0) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 0, 13>, use_multicore = true, value = 0.000000e+00 : f32}> : (tensor<1x4x5x19xbf16>) -> tensor<1x4x5x32xbf16>',
    '%1 = "ttnn.to_layout"(%0) : (tensor<1x4x5x32xbf16>) -> tensor<1x4x5x32xbf16, rm>',
    '%2 = "ttnn.upsample"(%1) <{mode = "bilinear", scale_factor = 2 : si32}> : (tensor<1x4x5x32xbf16, rm>) -> tensor<1x8x10x32xbf16, rm>',
    '%3 = "ttnn.to_layout"(%2) : (tensor<1x8x10x32xbf16, rm>) -> tensor<1x8x10x32xbf16>',
    '%4 = "ttnn.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 10 : i32, 19 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x8x10x32xbf16>) -> tensor<1x8x10x19xbf16>',
    "return %4 : tensor<1x8x10x19xbf16>",
  ]);
});

Deno.test("pooling of older generations finds its spatial dimensions", () => {
  const text = ttirFunction("(%a: tensor<8x64x114x114xbf16>) -> tensor<8x64x56x56xbf16>", [
    '%0 = "ttir.empty"() : () -> tensor<8x64x56x56xbf16>',
    '%1 = "ttir.pooling"(%a, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, operandSegmentSizes = array<i32: 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> : (tensor<8x64x114x114xbf16>, tensor<8x64x56x56xbf16>) -> tensor<8x64x56x56xbf16>',
    "return %1 : tensor<8x64x56x56xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<8x64x114x114xbf16>) -> tensor<8x114x114x64xbf16>',
    '%1 = "ttnn.reshape"(%0) <{shape = [1 : i32, 1 : i32, 103968 : i32, 64 : i32]}> : (tensor<8x114x114x64xbf16>) -> tensor<1x1x103968x64xbf16>',
    '%2 = "ttnn.to_layout"(%1) : (tensor<1x1x103968x64xbf16>) -> tensor<1x1x103968x64xbf16, rm>',
    '%3 = "ttnn.max_pool2d"(%2) <{batch_size = 8 : si32, ceil_mode = false, channels = 64 : si32, config_tensors_in_dram = true, dilation = array<i32: 1, 1>, input_height = 114 : si32, input_width = 114 : si32, kernel_size = array<i32: 3, 3>, padding = array<i32: 0, 0>, reallocate_halo_output = false, stride = array<i32: 2, 2>}> : (tensor<1x1x103968x64xbf16, rm>) -> tensor<1x1x25088x64xbf16, rm>',
    '%4 = "ttnn.to_layout"(%3) : (tensor<1x1x25088x64xbf16, rm>) -> tensor<1x1x25088x64xbf16>',
    '%5 = "ttnn.reshape"(%4) <{shape = [8 : i32, 56 : i32, 56 : i32, 64 : i32]}> : (tensor<1x1x25088x64xbf16>) -> tensor<8x56x56x64xbf16>',
    '%6 = "ttnn.permute"(%5) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<8x56x56x64xbf16>) -> tensor<8x64x56x56xbf16>',
    "return %6 : tensor<8x64x56x56xbf16>",
  ]);
});

Deno.test("pooling of several tensors is the pooling of each, with destinations and without", () => {
  const [input, output] = ["tensor<8x64x114x114xbf16>", "tensor<8x64x56x56xbf16>"];
  const window = "base_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, " +
    "pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, " +
    "window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>";
  const body = (...ops: readonly string[]) =>
    loweredBody(ttirFunction(`(%a: ${input}, %b: ${input}, %c: ${output}) -> (${output}, ${output})`, [
      ...ops,
      `return %0, %1 : ${output}, ${output}`,
    ]));
  const apart = body(
    `%0 = "ttir.pooling"(%a) <{${window}}> : (${input}) -> ${output}`,
    `%1 = "ttir.pooling"(%b) <{${window}}> : (${input}) -> ${output}`,
  );
  assertEquals(
    body(`%0, %1 = "ttir.pooling"(%a, %b) <{${window}}> : (${input}, ${input}) -> (${output}, ${output})`),
    apart,
  );
  assertEquals(
    body(
      `%0, %1 = "ttir.pooling"(%a, %b, %c, %c) <{${window}, operandSegmentSizes = array<i32: 2, 2>}> : ` +
        `(${input}, ${input}, ${output}, ${output}) -> (${output}, ${output})`,
    ),
    apart,
  );
  assertThrows(
    () => body(`%0, %1 = "ttir.pooling"(%a) <{${window}}> : (${input}) -> (${output}, ${output})`),
    DiagnosticError,
    "it has 1 operands, expected 2",
  );
});

Deno.test("a window has pixels, moves on and fits into the padded image", () => {
  const pooled = (kernel: number, stride: number, padding: number) =>
    ttirFunction("(%a: tensor<1x8x8x32xbf16>) -> tensor<1x1x1x32xbf16>", [
      `%0 = "ttir.max_pool2d"(%a) <{kernel = array<i32: ${kernel}, ${kernel}>, stride = array<i32: ${stride}, ${stride}>, dilation = array<i32: 1, 1>, padding = array<i32: ${padding}, ${padding}, ${padding}, ${padding}>, ceil_mode = false}> : (tensor<1x8x8x32xbf16>) -> tensor<1x1x1x32xbf16>`,
      "return %0 : tensor<1x1x1x32xbf16>",
    ]);
  const refused = (text: string, message: string) =>
    assertThrows(() => loweredBody(text), DiagnosticError, message);
  refused(pooled(8, 0, 0), "stride must be at least 1, it is 0");
  refused(pooled(0, 1, 0), "kernel must be at least 1, it is 0");
  refused(pooled(13, 1, 2), "reaches over 13 pixels, the padded image has 12");
  assert(loweredBody(pooled(8, 1, 0)).some((line) => line.includes('"ttnn.max_pool2d"')));
});

Deno.test("what is padded in front of a maximum loses against every pixel, in front of an average it counts nothing", () => {
  const padded = (name: string) =>
    loweredBody(ttirFunction("(%a: tensor<1x8x8x32xbf16>) -> tensor<1x11x11x32xbf16>", [
      `%0 = "ttir.${name}"(%a) <{kernel = array<i32: 2, 2>, stride = array<i32: 1, 1>, dilation = array<i32: 1, 1>, padding = array<i32: 2, 2, 2, 2>, ceil_mode = false}> : (tensor<1x8x8x32xbf16>) -> tensor<1x11x11x32xbf16>`,
      "return %0 : tensor<1x11x11x32xbf16>",
    ])).flatMap((line) => /"ttnn\.pad".*value = (\S+) : f32/.exec(line)?.[1] ?? []);
  assertEquals(padded("max_pool2d"), ["0xFF800000"]);
  assertEquals(padded("avg_pool2d"), ["0.000000e+00"]);
});

Deno.test("pooling of older generations over channels is refused", () => {
  const pooled = (dimensions: string, result: string) =>
    loweredBody(ttirFunction(`(%a: tensor<1x8x8x32xbf16>) -> tensor<${result}xbf16>`, [
      `%0 = "ttir.pooling"(%a) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: ${dimensions}>, window_strides = array<i64: ${dimensions}>}> : (tensor<1x8x8x32xbf16>) -> tensor<${result}xbf16>`,
      `return %0 : tensor<${result}xbf16>`,
    ]));
  assert(pooled("1, 2, 2, 1", "1x4x4x32").some((line) => line.includes("ttnn.max_pool2d")));
  assertThrows(() => pooled("1, 2, 2, 2", "1x4x4x16"), DiagnosticError, "it pools over channels");
});

Deno.test("pooling of older generations over volumes is refused with what is pooled", () => {
  const ones = "array<i64: 1, 1, 1, 1, 1>";
  assertThrows(
    () =>
      loweredBody(ttirFunction("(%a: tensor<1x8x8x8x32xbf16>) -> tensor<1x4x4x4x32xbf16>", [
        `%0 = "ttir.pooling"(%a) <{base_dilations = ${ones}, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, pooling_method = #ttir<pooling_method Max>, window_dilations = ${ones}, window_dimensions = array<i64: 1, 2, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 2, 1>}> : (tensor<1x8x8x8x32xbf16>) -> tensor<1x4x4x4x32xbf16>`,
        "return %0 : tensor<1x4x4x4x32xbf16>",
      ])),
    DiagnosticError,
    "only images are pooled, of 4 dimensions at most; this has 5",
  );
});
