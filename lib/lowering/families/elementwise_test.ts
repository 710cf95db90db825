// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("add drops the destination of older generations", () => {
  const text = ttirFunction("(%a: tensor<4x32xf32>, %b: tensor<4x32xf32>) -> tensor<4x32xf32>", [
    "%0 = tensor.empty() : tensor<4x32xf32>",
    '%1 = "ttir.add"(%a, %b, %0) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %1 : tensor<4x32xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.add"(%arg0, %arg1) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %0 : tensor<4x32xf32>",
  ]);
});

Deno.test("add folds broadcasts and splats, and repeats after the op what is left", () => {
  const text = ttirFunction(
    "(%a: tensor<1x32x1x64xbf16>, %b: tensor<1x1x64xbf16>) -> tensor<8x32x4x64xbf16>",
    [
      '%0 = "ttir.reshape"(%b) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<1x1x64xbf16>) -> tensor<1x1x1x64xbf16>',
      '%1 = "ttir.broadcast"(%0) <{broadcast_dimensions = array<i64: 8, 32, 4, 1>}> : (tensor<1x1x1x64xbf16>) -> tensor<8x32x4x64xbf16>',
      '%2 = "ttir.broadcast"(%a) <{broadcast_dimensions = array<i64: 8, 1, 4, 1>}> : (tensor<1x32x1x64xbf16>) -> tensor<8x32x4x64xbf16>',
      '%3 = "ttir.constant"() <{value = dense<0.5> : tensor<8x32x4x64xbf16>}> : () -> tensor<8x32x4x64xbf16>',
      '%4 = "ttir.multiply"(%1, %2) : (tensor<8x32x4x64xbf16>, tensor<8x32x4x64xbf16>) -> tensor<8x32x4x64xbf16>',
      '%5 = "ttir.add"(%4, %3) : (tensor<8x32x4x64xbf16>, tensor<8x32x4x64xbf16>) -> tensor<8x32x4x64xbf16>',
      "return %5 : tensor<8x32x4x64xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg1) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<1x1x64xbf16>) -> tensor<1x1x1x64xbf16>',
    '%1 = "ttnn.multiply"(%0, %arg0) : (tensor<1x1x1x64xbf16>, tensor<1x32x1x64xbf16>) -> tensor<1x32x1x64xbf16>',
    '%3 = "ttnn.full"(%2) <{fill_value = 5.000000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16>',
    '%4 = "ttnn.add"(%1, %3) : (tensor<1x32x1x64xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x32x1x64xbf16>',
    '%5 = "ttnn.repeat"(%4) <{repeat_dims = #ttnn.shape<8x1x4x1>}> : (tensor<1x32x1x64xbf16>) -> tensor<8x32x4x64xbf16>',
    "return %5 : tensor<8x32x4x64xbf16>",
  ]);
});

Deno.test("where casts its predicate to the type of the data", () => {
  const text = ttirFunction("(%p: tensor<4x32xi1>, %a: tensor<4x32xf32>) -> tensor<4x32xf32>", [
    '%0 = "ttir.constant"() <{value = dense<0xFF800000> : tensor<4x32xf32>}> : () -> tensor<4x32xf32>',
    '%1 = "ttir.where"(%p, %a, %0) : (tensor<4x32xi1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %1 : tensor<4x32xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.typecast"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xf32>',
    '%2 = "ttnn.full"(%1) <{fill_value = 0xFF800000 : f32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xf32>',
    '%3 = "ttnn.where"(%0, %arg1, %2) : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<1x1xf32>) -> tensor<4x32xf32>',
    "return %3 : tensor<4x32xf32>",
  ]);
});

Deno.test("pow by a splat takes a scalar", () => {
  const text = ttirFunction("(%a: tensor<4x32xf32>) -> tensor<4x32xf32>", [
    '%0 = "ttir.constant"() <{value = dense<2.0> : tensor<4x32xf32>}> : () -> tensor<4x32xf32>',
    '%1 = "ttir.pow"(%a, %0) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %1 : tensor<4x32xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.pow_scalar"(%arg0) <{rhs = 2.000000e+00 : f32}> : (tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %0 : tensor<4x32xf32>",
  ]);
});

Deno.test("typecast to booleans compares with zero", () => {
  const text = ttirFunction("(%a: tensor<4x32xsi32>) -> tensor<4x32xi1>", [
    '%0 = "ttir.typecast"(%a) <{conservative_folding = false}> : (tensor<4x32xsi32>) -> tensor<4x32xi1>',
    "return %0 : tensor<4x32xi1>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.full"(%0) <{fill_value = 0 : i32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xsi32>',
    '%2 = "ttnn.ne"(%arg0, %1) : (tensor<4x32xsi32>, tensor<1x1xsi32>) -> tensor<4x32xbf16>',
    "return %2 : tensor<4x32xbf16>",
  ]);
});

Deno.test("clamp_scalar and leaky_relu carry their parameters", () => {
  const text = ttirFunction("(%a: tensor<4x32xf32>) -> tensor<4x32xf32>", [
    '%0 = "ttir.clamp_scalar"(%a) <{max = 3.0 : f32, min = 0.1 : f32}> : (tensor<4x32xf32>) -> tensor<4x32xf32>',
    '%1 = "ttir.leaky_relu"(%0) <{parameter = 0.01 : f32}> : (tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %1 : tensor<4x32xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.clamp_scalar"(%arg0) <{max = 3.000000e+00 : f32, min = 1.000000e-01 : f32}> : (tensor<4x32xf32>) -> tensor<4x32xf32>',
    '%1 = "ttnn.leaky_relu"(%0) <{parameter = 0.00999999977 : f32}> : (tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %1 : tensor<4x32xf32>",
  ]);
});
