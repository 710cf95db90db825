// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("relu and silu are found in both orders", () => {
  const text = ttirFunction("(%a: tensor<4x8x64xf32>) -> tensor<4x8x64xf32>", [
    '%0 = "ttir.zeros"() <{shape = array<i32: 4, 8, 64>}> : () -> tensor<4x8x64xf32>',
    '%1 = "ttir.maximum"(%0, %a) : (tensor<4x8x64xf32>, tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%2 = "ttir.sigmoid"(%1) : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%3 = "ttir.multiply"(%2, %1) : (tensor<4x8x64xf32>, tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    "return %3 : tensor<4x8x64xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.relu"(%arg0) : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%2 = "ttnn.silu"(%1) : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    "return %2 : tensor<4x8x64xf32>",
  ]);
});

Deno.test("a maximum that is not with zero and a gate with another use stay", () => {
  const text = ttirFunction("(%a: tensor<4x8x64xf32>) -> (tensor<4x8x64xf32>, tensor<4x8x64xf32>)", [
    '%0 = "ttir.ones"() <{shape = array<i32: 4, 8, 64>}> : () -> tensor<4x8x64xf32>',
    '%1 = "ttir.maximum"(%a, %0) : (tensor<4x8x64xf32>, tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%2 = "ttir.sigmoid"(%1) : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%3 = "ttir.multiply"(%1, %2) : (tensor<4x8x64xf32>, tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    "return %2, %3 : tensor<4x8x64xf32>, tensor<4x8x64xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.ones"(%0) <{shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> tensor<1x1x1xf32>',
    '%2 = "ttnn.maximum"(%arg0, %1) : (tensor<4x8x64xf32>, tensor<1x1x1xf32>) -> tensor<4x8x64xf32>',
    '%3 = "ttnn.sigmoid"(%2) : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%4 = "ttnn.multiply"(%2, %3) : (tensor<4x8x64xf32>, tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    "return %3, %4 : tensor<4x8x64xf32>, tensor<4x8x64xf32>",
  ]);
});

Deno.test("an rms_norm computed in f32 is found with its weight", () => {
  const text = ttirFunction("(%x: tensor<4x8x64xbf16>, %w: tensor<64xbf16>) -> tensor<4x8x64xbf16>", [
    '%0 = "ttir.typecast"(%x) : (tensor<4x8x64xbf16>) -> tensor<4x8x64xf32>',
    '%1 = "ttir.constant"() <{value = dense<2.0> : tensor<4x8x64xf32>}> : () -> tensor<4x8x64xf32>',
    '%2 = "ttir.pow"(%0, %1) : (tensor<4x8x64xf32>, tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%3 = "ttir.sum"(%2) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<4x8x64xf32>) -> tensor<4x8xf32>',
    '%4 = "ttir.constant"() <{value = dense<0.015625> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>',
    '%5 = "ttir.multiply"(%3, %4) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>',
    '%6 = "ttir.reshape"(%5) <{shape = [4 : i32, 8 : i32, 1 : i32]}> : (tensor<4x8xf32>) -> tensor<4x8x1xf32>',
    '%7 = "ttir.constant"() <{value = dense<1.0e-06> : tensor<4x8x1xf32>}> : () -> tensor<4x8x1xf32>',
    '%8 = "ttir.add"(%6, %7) : (tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x1xf32>',
    '%9 = "ttir.rsqrt"(%8) : (tensor<4x8x1xf32>) -> tensor<4x8x1xf32>',
    '%10 = "ttir.broadcast"(%9) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<4x8x1xf32>) -> tensor<4x8x64xf32>',
    '%11 = "ttir.multiply"(%0, %10) : (tensor<4x8x64xf32>, tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%12 = "ttir.typecast"(%11) : (tensor<4x8x64xf32>) -> tensor<4x8x64xbf16>',
    '%13 = "ttir.reshape"(%w) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16>) -> tensor<1x1x64xbf16>',
    '%14 = "ttir.broadcast"(%13) <{broadcast_dimensions = array<i64: 4, 8, 1>}> : (tensor<1x1x64xbf16>) -> tensor<4x8x64xbf16>',
    '%15 = "ttir.multiply"(%14, %12) : (tensor<4x8x64xbf16>, tensor<4x8x64xbf16>) -> tensor<4x8x64xbf16>',
    "return %15 : tensor<4x8x64xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.rms_norm"(%arg0, %arg1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true>, epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x8x64xbf16>, tensor<64xbf16>) -> tensor<4x8x64xbf16>',
    "return %1 : tensor<4x8x64xbf16>",
  ]);
});

Deno.test("a sum is a mean only when the factor is one over the count", () => {
  const text = ttirFunction("(%a: tensor<4x8x48xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)", [
    '%0 = "ttir.sum"(%a) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<4x8x48xf32>) -> tensor<4x8xf32>',
    '%1 = "ttir.constant"() <{value = dense<48.0> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>',
    '%2 = "ttir.div"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>',
    '%3 = "ttir.sum"(%a) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<4x8x48xf32>) -> tensor<4x8xf32>',
    '%4 = "ttir.constant"() <{value = dense<0.03> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>',
    '%5 = "ttir.multiply"(%3, %4) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>',
    "return %2, %5 : tensor<4x8xf32>, tensor<4x8xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.mean"(%arg0) <{compute_config = HIFI4, dim_arg = [2 : i32], keep_dim = false}> : (tensor<4x8x48xf32>) -> tensor<4x8xf32>',
    '%2 = "ttnn.sum"(%arg0) <{compute_config = HIFI4, dim_arg = [2 : i32], keep_dim = false}> : (tensor<4x8x48xf32>) -> tensor<4x8xf32>',
    '%3 = "ttnn.full"(%0) <{fill_value = 3.000000e-02 : f32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xf32>',
    '%4 = "ttnn.multiply"(%2, %3) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>',
    "return %1, %4 : tensor<4x8xf32>, tensor<4x8xf32>",
  ]);
});

Deno.test("a softmax is stable when the maximum is subtracted", () => {
  const text = ttirFunction("(%a: tensor<4x8x64xf32>) -> tensor<4x8x64xf32>", [
    '%0 = "ttir.max"(%a) <{dim_arg = [-1 : i32], keep_dim = false}> : (tensor<4x8x64xf32>) -> tensor<4x8xf32>',
    '%1 = "ttir.reshape"(%0) <{shape = [4 : i32, 8 : i32, 1 : i32]}> : (tensor<4x8xf32>) -> tensor<4x8x1xf32>',
    '%2 = "ttir.subtract"(%a, %1) : (tensor<4x8x64xf32>, tensor<4x8x1xf32>) -> tensor<4x8x64xf32>',
    '%3 = "ttir.exp"(%2) : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%4 = "ttir.sum"(%3) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<4x8x64xf32>) -> tensor<4x8x1xf32>',
    '%5 = "ttir.div"(%3, %4) : (tensor<4x8x64xf32>, tensor<4x8x1xf32>) -> tensor<4x8x64xf32>',
    '%6 = "ttir.exp"(%5) : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%7 = "ttir.sum"(%6) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x8x64xf32>) -> tensor<4x1x64xf32>',
    '%8 = "ttir.div"(%6, %7) : (tensor<4x8x64xf32>, tensor<4x1x64xf32>) -> tensor<4x8x64xf32>',
    "return %8 : tensor<4x8x64xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.softmax"(%arg0) <{compute_config = HIFI4, dimension = 2 : si32, numericStable = true}> : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    '%1 = "ttnn.softmax"(%0) <{compute_config = HIFI4, dimension = 1 : si32, numericStable = false}> : (tensor<4x8x64xf32>) -> tensor<4x8x64xf32>',
    "return %1 : tensor<4x8x64xf32>",
  ]);
});

Deno.test("a bias is joined to its matmul through a reshape, other sums stay", () => {
  const text = ttirFunction(
    "(%a: tensor<32x64xbf16>, %w: tensor<64x128xbf16>, %b: tensor<128xbf16>, %c: tensor<4x8x128xbf16>) -> tensor<4x8x128xbf16>",
    [
      '%0 = "ttir.matmul"(%a, %w) <{transpose_a = false, transpose_b = false}> : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xbf16>',
      '%1 = "ttir.reshape"(%0) <{shape = [4 : i32, 8 : i32, 128 : i32]}> : (tensor<32x128xbf16>) -> tensor<4x8x128xbf16>',
      '%2 = "ttir.reshape"(%b) <{shape = [1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16>) -> tensor<1x1x128xbf16>',
      '%3 = "ttir.add"(%1, %2) : (tensor<4x8x128xbf16>, tensor<1x1x128xbf16>) -> tensor<4x8x128xbf16>',
      '%4 = "ttir.matmul"(%a, %w) <{transpose_a = false, transpose_b = false}> : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xbf16>',
      '%5 = "ttir.reshape"(%4) <{shape = [4 : i32, 8 : i32, 128 : i32]}> : (tensor<32x128xbf16>) -> tensor<4x8x128xbf16>',
      '%6 = "ttir.add"(%5, %c) : (tensor<4x8x128xbf16>, tensor<4x8x128xbf16>) -> tensor<4x8x128xbf16>',
      '%7 = "ttir.add"(%3, %6) : (tensor<4x8x128xbf16>, tensor<4x8x128xbf16>) -> tensor<4x8x128xbf16>',
      "return %7 : tensor<4x8x128xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.linear"(%arg0, %arg1, %arg2) <{compute_config = HIFI4, transpose_a = false, transpose_b = false}> : (tensor<32x64xbf16>, tensor<64x128xbf16>, tensor<128xbf16>) -> tensor<32x128xbf16>',
    '%1 = "ttnn.reshape"(%0) <{shape = [4 : i32, 8 : i32, 128 : i32]}> : (tensor<32x128xbf16>) -> tensor<4x8x128xbf16>',
    '%2 = "ttnn.matmul"(%arg0, %arg1) <{compute_config = HIFI4, transpose_a = false, transpose_b = false}> : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xbf16>',
    '%3 = "ttnn.reshape"(%2) <{shape = [4 : i32, 8 : i32, 128 : i32]}> : (tensor<32x128xbf16>) -> tensor<4x8x128xbf16>',
    '%4 = "ttnn.add"(%3, %arg3) : (tensor<4x8x128xbf16>, tensor<4x8x128xbf16>) -> tensor<4x8x128xbf16>',
    '%5 = "ttnn.add"(%1, %4) : (tensor<4x8x128xbf16>, tensor<4x8x128xbf16>) -> tensor<4x8x128xbf16>',
    "return %5 : tensor<4x8x128xbf16>",
  ]);
});

Deno.test("a cache is read where the input reads it", () => {
  const text = ttirFunction(
    "(%c: tensor<1x8x64x32xbf16>, %x: tensor<1x8x32x32xbf16>) -> (tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>)",
    [
      '%0 = "ttir.sigmoid"(%c) : (tensor<1x8x64x32xbf16>) -> tensor<1x8x64x32xbf16>',
      '"ttir.fill_cache"(%c, %x) <{batch_offset = 0 : i32}> : (tensor<1x8x64x32xbf16>, tensor<1x8x32x32xbf16>) -> ()',
      '%1 = "ttir.multiply"(%c, %0) : (tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>) -> tensor<1x8x64x32xbf16>',
      "return %c, %1 : tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.sigmoid"(%arg0) : (tensor<1x8x64x32xbf16>) -> tensor<1x8x64x32xbf16>',
    '"ttnn.fill_cache"(%arg0, %arg1) <{batch_offset = 0 : i32}> : (tensor<1x8x64x32xbf16>, tensor<1x8x32x32xbf16>) -> ()',
    '%1 = "ttnn.multiply"(%arg0, %0) : (tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>) -> tensor<1x8x64x32xbf16>',
    "return %arg0, %1 : tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>",
  ]);
});
