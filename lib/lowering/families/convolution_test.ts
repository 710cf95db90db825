// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("conv2d with channels first is flattened and restored; a parameter is a weight on the host", () => {
  const text = ttirFunction(
    "(%a: tensor<1x16x32x32xbf16> {ttcore.argument_type = #ttcore.argument_type<input>}, %w: tensor<32x16x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<1x1x1x32xbf16>) -> tensor<1x32x16x16xbf16>",
    [
      '%0 = "ttir.conv2d"(%a, %w, %b) <{batch_dim = 0 : i64, channel_dim = 1 : i64, dilation = array<i32: 1, 1>, groups = 1 : i32, height_dim = 2 : i64, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 2, 2>, width_dim = 3 : i64}> : (tensor<1x16x32x32xbf16>, tensor<32x16x3x3xbf16>, tensor<1x1x1x32xbf16>) -> tensor<1x32x16x16xbf16>',
      "return %0 : tensor<1x32x16x16xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.to_layout"(%arg0) : (tensor<1x16x32x32xbf16, rm>) -> tensor<1x16x32x32xbf16>',
    '%1 = "ttnn.permute"(%0) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x16x32x32xbf16>) -> tensor<1x32x32x16xbf16>',
    '%2 = "ttnn.reshape"(%1) <{shape = [1 : i32, 1 : i32, 1024 : i32, 16 : i32]}> : (tensor<1x32x32x16xbf16>) -> tensor<1x1x1024x16xbf16>',
    '%4 = "ttnn.conv2d"(%2, %arg1, %arg2, %3) <{batch_size = 1 : i32, compute_config = HIFI4, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 16 : i32, input_height = 32 : i32, input_width = 32 : i32, kernel_size = array<i32: 3, 3>, out_channels = 32 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 2, 2>}> : (tensor<1x1x1024x16xbf16>, tensor<32x16x3x3xbf16, host>, tensor<1x1x1x32xbf16, host>, !ttnn.device) -> tensor<1x1x256x32xbf16>',
    '%5 = "ttnn.reshape"(%4) <{shape = [1 : i32, 16 : i32, 16 : i32, 32 : i32]}> : (tensor<1x1x256x32xbf16>) -> tensor<1x16x16x32xbf16>',
    '%6 = "ttnn.permute"(%5) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x16x16x32xbf16>) -> tensor<1x32x16x16xbf16>',
    "return %6 : tensor<1x32x16x16xbf16>",
  ]);
});

Deno.test("conv2d that is flattened already keeps its shape; padding is reordered", () => {
  const text = ttirFunction(
    "(%a: tensor<1x1x400x128xbf16>, %w: tensor<128x128x3x3xbf16>) -> tensor<1x1x400x128xbf16>",
    [
      '%1 = "ttir.conv2d"(%a, %w) <{dilation = 1 : i32, flattened_compat_info = #ttir<flattened_compat batch_size = 1, input_height = 20, input_width = 20>, groups = 1 : i32, padding = array<i32: 0, 1, 2, 1>, stride = 1 : i32}> : (tensor<1x1x400x128xbf16>, tensor<128x128x3x3xbf16>) -> tensor<1x1x400x128xbf16>',
      "return %1 : tensor<1x1x400x128xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.conv2d"(%arg0, %arg1, %0) <{batch_size = 1 : i32, compute_config = HIFI4, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 128 : i32, input_height = 20 : i32, input_width = 20 : i32, kernel_size = array<i32: 3, 3>, out_channels = 128 : i32, padding = array<i32: 0, 2, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x400x128xbf16>, tensor<128x128x3x3xbf16, host>, !ttnn.device) -> tensor<1x1x400x128xbf16>',
    "return %1 : tensor<1x1x400x128xbf16>",
  ]);
});

Deno.test("conv2d of the oldest generation spells every number apart", () => {
  const text = ttirFunction("(%a: tensor<1x8x8x32xf32>, %w: tensor<64x32x1x1xf32>) -> tensor<1x4x4x64xf32>", [
    "%0 = tensor.empty() : tensor<1x4x4x64xf32>",
    '%1 = "ttir.conv2d"(%a, %w, %0) <{dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_bottom = 0 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, stride_height = 2 : si32, stride_width = 2 : si32}> {channel_last = 1 : si32} : (tensor<1x8x8x32xf32>, tensor<64x32x1x1xf32>, tensor<1x4x4x64xf32>) -> tensor<1x4x4x64xf32>',
    "return %1 : tensor<1x4x4x64xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 64 : i32, 32 : i32]}> : (tensor<1x8x8x32xf32>) -> tensor<1x1x64x32xf32>',
    '%2 = "ttnn.conv2d"(%0, %arg1, %1) <{batch_size = 1 : i32, compute_config = HIFI4, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 32 : i32, input_height = 8 : i32, input_width = 8 : i32, kernel_size = array<i32: 1, 1>, out_channels = 64 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 2, 2>}> : (tensor<1x1x64x32xf32>, tensor<64x32x1x1xf32, host>, !ttnn.device) -> tensor<1x1x16x64xf32>',
    '%3 = "ttnn.reshape"(%2) <{shape = [1 : i32, 4 : i32, 4 : i32, 64 : i32]}> : (tensor<1x1x16x64xf32>) -> tensor<1x4x4x64xf32>',
    "return %3 : tensor<1x4x4x64xf32>",
  ]);
});

Deno.test("conv_transpose2d takes the weight's second extent as channels", () => {
  const text = ttirFunction(
    "(%a: tensor<3x8x8x64xbf16>, %w: tensor<64x32x3x3xbf16>) -> tensor<3x10x10x32xbf16>",
    [
      '%0 = "ttir.conv_transpose2d"(%a, %w) <{stride = 1 : i32, padding = 0 : i32, output_padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}> : (tensor<3x8x8x64xbf16>, tensor<64x32x3x3xbf16>) -> tensor<3x10x10x32xbf16>',
      "return %0 : tensor<3x10x10x32xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 192 : i32, 64 : i32]}> : (tensor<3x8x8x64xbf16>) -> tensor<1x1x192x64xbf16>',
    '%2 = "ttnn.conv_transpose2d"(%0, %arg1, %1) <{batch_size = 3 : i32, compute_config = HIFI4, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 64 : i32, input_height = 8 : i32, input_width = 8 : i32, kernel_size = array<i32: 3, 3>, out_channels = 32 : i32, output_padding = array<i32: 0, 0>, padding = array<i32: 0, 0>, stride = array<i32: 1, 1>}> : (tensor<1x1x192x64xbf16>, tensor<64x32x3x3xbf16, host>, !ttnn.device) -> tensor<1x1x300x32xbf16>',
    '%3 = "ttnn.reshape"(%2) <{shape = [3 : i32, 10 : i32, 10 : i32, 32 : i32]}> : (tensor<1x1x300x32xbf16>) -> tensor<3x10x10x32xbf16>',
    "return %3 : tensor<3x10x10x32xbf16>",
  ]);
});

Deno.test("a weight for another number of channels is refused", () => {
  const signature = "(%a: tensor<1x8x64xbf16>, %w: tensor<16x8x3xbf16>) -> tensor<1x8x16xbf16>";
  const line =
    '%0 = "ttir.conv1d"(%a, %w) <{dilation = 1 : i32, groups = 1 : i32, padding = 1 : i32, stride = 1 : i32}> : (tensor<1x8x64xbf16>, tensor<16x8x3xbf16>) -> tensor<1x8x16xbf16>';
  assertThrows(
    () => loweredBody(ttirFunction(signature, [line, "return %0 : tensor<1x8x16xbf16>"])),
    DiagnosticError,
    "its input has 64 channels, its weight is for 8",
  );
});
