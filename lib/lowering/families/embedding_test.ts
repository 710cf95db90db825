// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("embedding takes row-major ui32 indices and a row-major bf16 table", () => {
  const text = ttirFunction(
    "(%i: tensor<2x7xi64> {ttcore.argument_type = #ttcore.argument_type<input>}, %t: tensor<100x64xf32>) -> tensor<2x7x64xf32>",
    [
      '%0 = "ttir.embedding"(%i, %t) : (tensor<2x7xi64>, tensor<100x64xf32>) -> tensor<2x7x64xf32>',
      "return %0 : tensor<2x7x64xf32>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.to_layout"(%arg0) : (tensor<2x7xsi32, rm>) -> tensor<2x7xsi32>',
    '%1 = "ttnn.typecast"(%0) : (tensor<2x7xsi32>) -> tensor<2x7xui32>',
    '%2 = "ttnn.to_layout"(%1) : (tensor<2x7xui32>) -> tensor<2x7xui32, rm>',
    '%3 = "ttnn.typecast"(%arg1) : (tensor<100x64xf32>) -> tensor<100x64xbf16>',
    '%4 = "ttnn.to_layout"(%3) : (tensor<100x64xbf16>) -> tensor<100x64xbf16, rm>',
    '%5 = "ttnn.embedding"(%2, %4) : (tensor<2x7xui32, rm>, tensor<100x64xbf16, rm>) -> tensor<2x7x64xbf16>',
    '%6 = "ttnn.typecast"(%5) : (tensor<2x7x64xbf16>) -> tensor<2x7x64xf32>',
    "return %6 : tensor<2x7x64xf32>",
  ]);
});
