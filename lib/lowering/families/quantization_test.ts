// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("quantize reads scales and zero points from the type", () => {
  const text = ttirFunction(
    "(%a: tensor<1x3x32x32xf32>) -> tensor<1x3x32x32x!quant.uniform<i32:f32:1, {1.000000e-01:10,2.000000e-01:20,3.000000e-01:30}>>",
    [
      '%0 = "ttir.quantize"(%a) : (tensor<1x3x32x32xf32>) -> tensor<1x3x32x32x!quant.uniform<i32:f32:1, {1.000000e-01:10,2.000000e-01:20,3.000000e-01:30}>>',
      "return %0 : tensor<1x3x32x32x!quant.uniform<i32:f32:1, {1.000000e-01:10,2.000000e-01:20,3.000000e-01:30}>>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.constant"(%0) <{value = dense<[1.000000e-01, 2.000000e-01, 3.000000e-01]> : tensor<3xf32>}> : (!ttnn.device) -> tensor<3xf32>',
    '%2 = "ttnn.constant"(%0) <{value = dense<[10, 20, 30]> : tensor<3xsi32>}> : (!ttnn.device) -> tensor<3xsi32>',
    '%3 = "ttnn.quantize"(%arg0, %1, %2) <{axis = 1 : i32, output_dtype = #ttcore.supportedDataTypes<si32>}> : (tensor<1x3x32x32xf32>, tensor<3xf32>, tensor<3xsi32>) -> tensor<1x3x32x32x!quant.uniform<i32:f32:1, {1.000000e-01:10,2.000000e-01:20,3.000000e-01:30}>>',
    "return %3 : tensor<1x3x32x32x!quant.uniform<i32:f32:1, {1.000000e-01:10,2.000000e-01:20,3.000000e-01:30}>>",
  ]);
});
