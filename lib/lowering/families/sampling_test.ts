// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("sampling takes rank four and row-major settings", () => {
  const text = ttirFunction(
    "(%v: tensor<32x64xbf16>, %i: tensor<32x64xi32>, %k: tensor<32xui32>, %p: tensor<32xbf16>) -> tensor<32xi32>",
    [
      '%0 = "ttir.sampling"(%v, %i, %k, %p, %p) : (tensor<32x64xbf16>, tensor<32x64xi32>, tensor<32xui32>, tensor<32xbf16>, tensor<32xbf16>) -> tensor<32xi32>',
      "return %0 : tensor<32xi32>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 32 : i32, 64 : i32]}> : (tensor<32x64xbf16>) -> tensor<1x1x32x64xbf16>',
    '%1 = "ttnn.reshape"(%arg1) <{shape = [1 : i32, 1 : i32, 32 : i32, 64 : i32]}> : (tensor<32x64xsi32>) -> tensor<1x1x32x64xsi32>',
    '%2 = "ttnn.to_layout"(%1) : (tensor<1x1x32x64xsi32>) -> tensor<1x1x32x64xsi32, rm>',
    '%3 = "ttnn.to_layout"(%arg2) : (tensor<32xui32>) -> tensor<32xui32, rm>',
    '%4 = "ttnn.to_layout"(%arg3) : (tensor<32xbf16>) -> tensor<32xbf16, rm>',
    '%5 = "ttnn.sampling"(%0, %2, %3, %4, %4) : (tensor<1x1x32x64xbf16>, tensor<1x1x32x64xsi32, rm>, tensor<32xui32, rm>, tensor<32xbf16, rm>, tensor<32xbf16, rm>) -> tensor<1x1x1x32xui32, rm>',
    '%6 = "ttnn.to_layout"(%5) : (tensor<1x1x1x32xui32, rm>) -> tensor<1x1x1x32xui32>',
    '%7 = "ttnn.typecast"(%6) : (tensor<1x1x1x32xui32>) -> tensor<1x1x1x32xsi32>',
    '%8 = "ttnn.reshape"(%7) <{shape = [32 : i32]}> : (tensor<1x1x1x32xsi32>) -> tensor<32xsi32>',
    "return %8 : tensor<32xsi32>",
  ]);
});

Deno.test("topk_router_gpt gives eight experts, of which k are kept", () => {
  const text = ttirFunction(
    "(%x: tensor<32x2048xbf16>, %w: tensor<2048x128xbf16>, %b: tensor<32x128xbf16>) -> (tensor<32x2xui16>, tensor<32x2xbf16>)",
    [
      '%0, %1 = "ttir.topk_router_gpt"(%x, %w, %b) <{k = 2 : i32, num_experts = 128 : i32}> : (tensor<32x2048xbf16>, tensor<2048x128xbf16>, tensor<32x128xbf16>) -> (tensor<32x2xui16>, tensor<32x2xbf16>)',
      "return %0, %1 : tensor<32x2xui16>, tensor<32x2xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0:2 = "ttnn.topk_router_gpt"(%arg0, %arg1, %arg2) <{k = 8 : i32, num_experts = 128 : i32}> : (tensor<32x2048xbf16>, tensor<2048x128xbf16>, tensor<32x128xbf16>) -> (tensor<32x8xui16, l1 interleaved 8x8>, tensor<32x8xbf16, l1 interleaved 8x8>)',
    '%1 = "ttnn.to_memory_config"(%0#0) : (tensor<32x8xui16, l1 interleaved 8x8>) -> tensor<32x8xui16, rm>',
    '%2 = "ttnn.to_layout"(%1) : (tensor<32x8xui16, rm>) -> tensor<32x8xui16>',
    '%3 = "ttnn.slice_static"(%2) <{begins = [0 : i32, 0 : i32], ends = [32 : i32, 2 : i32], step = [1 : i32, 1 : i32]}> : (tensor<32x8xui16>) -> tensor<32x2xui16>',
    '%4 = "ttnn.to_memory_config"(%0#1) : (tensor<32x8xbf16, l1 interleaved 8x8>) -> tensor<32x8xbf16, rm>',
    '%5 = "ttnn.to_layout"(%4) : (tensor<32x8xbf16, rm>) -> tensor<32x8xbf16>',
    '%6 = "ttnn.slice_static"(%5) <{begins = [0 : i32, 0 : i32], ends = [32 : i32, 2 : i32], step = [1 : i32, 1 : i32]}> : (tensor<32x8xbf16>) -> tensor<32x2xbf16>',
    "return %3, %6 : tensor<32x2xui16>, tensor<32x2xbf16>",
  ]);
});
