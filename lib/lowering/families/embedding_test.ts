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

// ttnn.embedding of 2x2x32 indices makes 2x32x64, and takes no table of more than four dimensions.
Deno.test("indices of more than two dimensions are looked up as a matrix, in a table of two", () => {
  const text = ttirFunction(
    "(%i: tensor<2x3x32xui32>, %t: tensor<1x1x1x100x64xbf16>) -> tensor<2x3x32x64xbf16>",
    [
      '%0 = "ttir.embedding"(%i, %t) : (tensor<2x3x32xui32>, tensor<1x1x1x100x64xbf16>) -> tensor<2x3x32x64xbf16>',
      "return %0 : tensor<2x3x32x64xbf16>",
    ],
  );
  assertEquals(
    loweredBody(text).find((line) => line.includes("ttnn.embedding"))?.replace(/^.* : /, ""),
    "(tensor<6x32xui32, rm>, tensor<100x64xbf16, rm>) -> tensor<6x32x64xbf16>",
  );
});

Deno.test("the gradient of a table takes rows of 32 indices; other rows are filled up with places that gain nothing", () => {
  const gradient = (rows: number, columns: number) =>
    loweredBody(ttirFunction(
      `(%i: tensor<${rows}x${columns}xui32>, %t: tensor<100x64xbf16>, %g: tensor<${rows}x${columns}x64xbf16>) -> tensor<100x64xbf16>`,
      [
        `%0 = "ttir.embedding_backward"(%i, %t, %g) : (tensor<${rows}x${columns}xui32>, tensor<100x64xbf16>, tensor<${rows}x${columns}x64xbf16>) -> tensor<100x64xbf16>`,
        "return %0 : tensor<100x64xbf16>",
      ],
    ));
  const kernel = (lines: readonly string[]) =>
    lines.find((line) => line.includes("embedding_bw"))?.replace(/^.* : /, "");
  const whole = gradient(2, 64);
  assertEquals(
    kernel(whole),
    "(tensor<2x1x1x64xui32, rm>, tensor<100x64xbf16>, tensor<1x1x128x64xbf16>) -> tensor<1x1x100x64xbf16>",
  );
  assertEquals(whole.filter((line) => line.includes("ttnn.concat")), []);
  const ragged = gradient(2, 20);
  assertEquals(
    kernel(ragged),
    "(tensor<1x1x1x64xui32, rm>, tensor<100x64xbf16>, tensor<1x1x64x64xbf16>) -> tensor<1x1x100x64xbf16>",
  );
  assertEquals(ragged.filter((line) => line.includes("ttnn.concat")).length, 2);
});
