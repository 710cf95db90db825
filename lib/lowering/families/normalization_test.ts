// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("layer_norm over two dimensions is flattened to one", () => {
  const text = ttirFunction("(%a: tensor<2x8x32xbf16>, %w: tensor<8x32xbf16>) -> tensor<2x8x32xbf16>", [
    '%0 = "ttir.layer_norm"(%a, %w) <{epsilon = 9.99999996E-13 : f32, normalized_shape = array<i64: 8, 32>, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<2x8x32xbf16>, tensor<8x32xbf16>) -> tensor<2x8x32xbf16>',
    "return %0 : tensor<2x8x32xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [2 : i32, 256 : i32]}> : (tensor<2x8x32xbf16>) -> tensor<2x256xbf16>',
    '%1 = "ttnn.reshape"(%arg1) <{shape = [256 : i32]}> : (tensor<8x32xbf16>) -> tensor<256xbf16>',
    '%2 = "ttnn.layer_norm"(%0, %1) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<2x256xbf16>, tensor<256xbf16>) -> tensor<2x256xbf16>',
    '%3 = "ttnn.reshape"(%2) <{shape = [2 : i32, 8 : i32, 32 : i32]}> : (tensor<2x256xbf16>) -> tensor<2x8x32xbf16>',
    "return %3 : tensor<2x8x32xbf16>",
  ]);
});

Deno.test("batch_norm_inference takes statistics before scale and offset", () => {
  const text = ttirFunction(
    "(%a: tensor<2x16x8xf32>, %s: tensor<16xf32>, %o: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<2x16x8xf32>",
    [
      '%0 = "ttir.batch_norm_inference"(%a, %s, %o, %m, %v) <{dimension = 1 : i32, epsilon = 1.0e-05 : f32}> : (tensor<2x16x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x16x8xf32>',
      "return %0 : tensor<2x16x8xf32>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [2 : i32, 16 : i32, 8 : i32, 1 : i32]}> : (tensor<2x16x8xf32>) -> tensor<2x16x8x1xf32>',
    '%1 = "ttnn.reshape"(%arg3) <{shape = [1 : i32, 16 : i32, 1 : i32, 1 : i32]}> : (tensor<16xf32>) -> tensor<1x16x1x1xf32>',
    '%2 = "ttnn.reshape"(%arg4) <{shape = [1 : i32, 16 : i32, 1 : i32, 1 : i32]}> : (tensor<16xf32>) -> tensor<1x16x1x1xf32>',
    '%3 = "ttnn.reshape"(%arg1) <{shape = [1 : i32, 16 : i32, 1 : i32, 1 : i32]}> : (tensor<16xf32>) -> tensor<1x16x1x1xf32>',
    '%4 = "ttnn.reshape"(%arg2) <{shape = [1 : i32, 16 : i32, 1 : i32, 1 : i32]}> : (tensor<16xf32>) -> tensor<1x16x1x1xf32>',
    '%5 = "ttnn.batch_norm_inference"(%0, %1, %2, %3, %4) <{compute_config = HIFI4, epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (tensor<2x16x8x1xf32>, tensor<1x16x1x1xf32>, tensor<1x16x1x1xf32>, tensor<1x16x1x1xf32>, tensor<1x16x1x1xf32>) -> tensor<2x16x8x1xf32>',
    '%6 = "ttnn.reshape"(%5) <{shape = [2 : i32, 16 : i32, 8 : i32]}> : (tensor<2x16x8x1xf32>) -> tensor<2x16x8xf32>',
    "return %6 : tensor<2x16x8xf32>",
  ]);
});

Deno.test("group_norm is written out over groups of channels", () => {
  const text = ttirFunction(
    "(%a: tensor<1x1x64x480xbf16>, %w: tensor<480xbf16>) -> tensor<1x1x64x480xbf16>",
    [
      '%0 = "ttir.group_norm"(%a, %w) <{num_groups = 8 : i64, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tensor<1x1x64x480xbf16>, tensor<480xbf16>) -> tensor<1x1x64x480xbf16>',
      "return %0 : tensor<1x1x64x480xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 64 : i32, 8 : i32, 60 : i32]}> : (tensor<1x1x64x480xbf16>) -> tensor<1x64x8x60xbf16>',
    '%1 = "ttnn.mean"(%0) <{compute_config = HIFI4, dim_arg = [1 : i32, 3 : i32], keep_dim = true}> : (tensor<1x64x8x60xbf16>) -> tensor<1x1x8x1xbf16>',
    '%2 = "ttnn.subtract"(%0, %1) : (tensor<1x64x8x60xbf16>, tensor<1x1x8x1xbf16>) -> tensor<1x64x8x60xbf16>',
    '%3 = "ttnn.multiply"(%2, %2) : (tensor<1x64x8x60xbf16>, tensor<1x64x8x60xbf16>) -> tensor<1x64x8x60xbf16>',
    '%4 = "ttnn.mean"(%3) <{compute_config = HIFI4, dim_arg = [1 : i32, 3 : i32], keep_dim = true}> : (tensor<1x64x8x60xbf16>) -> tensor<1x1x8x1xbf16>',
    '%6 = "ttnn.full"(%5) <{fill_value = 9.99999974E-6 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16>',
    '%7 = "ttnn.add"(%4, %6) : (tensor<1x1x8x1xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x1x8x1xbf16>',
    '%8 = "ttnn.rsqrt"(%7) : (tensor<1x1x8x1xbf16>) -> tensor<1x1x8x1xbf16>',
    '%9 = "ttnn.multiply"(%2, %8) : (tensor<1x64x8x60xbf16>, tensor<1x1x8x1xbf16>) -> tensor<1x64x8x60xbf16>',
    '%10 = "ttnn.reshape"(%9) <{shape = [1 : i32, 1 : i32, 64 : i32, 480 : i32]}> : (tensor<1x64x8x60xbf16>) -> tensor<1x1x64x480xbf16>',
    '%11 = "ttnn.reshape"(%arg1) <{shape = [1 : i32, 1 : i32, 1 : i32, 480 : i32]}> : (tensor<480xbf16>) -> tensor<1x1x1x480xbf16>',
    '%12 = "ttnn.multiply"(%10, %11) : (tensor<1x1x64x480xbf16>, tensor<1x1x1x480xbf16>) -> tensor<1x1x64x480xbf16>',
    "return %12 : tensor<1x1x64x480xbf16>",
  ]);
});
