// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning, single, type } from "../testing/keeps_meaning.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("dot_general flattens contracted dimensions", () => {
  const text = ttirFunction("(%a: tensor<4x2x8x16xf32>, %b: tensor<4x2x16x32xf32>) -> tensor<4x8x32xf32>", [
    '%0 = "ttir.dot_general"(%a, %b) <{batch_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64: 0>, contract_dims_lhs = array<i64: 1, 3>, contract_dims_rhs = array<i64: 1, 2>}> : (tensor<4x2x8x16xf32>, tensor<4x2x16x32xf32>) -> tensor<4x8x32xf32>',
    "return %0 : tensor<4x8x32xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<4x2x8x16xf32>) -> tensor<4x8x2x16xf32>',
    '%1 = "ttnn.reshape"(%0) <{shape = [4 : i32, 8 : i32, 32 : i32]}> : (tensor<4x8x2x16xf32>) -> tensor<4x8x32xf32>',
    '%2 = "ttnn.reshape"(%arg1) <{shape = [4 : i32, 32 : i32, 32 : i32]}> : (tensor<4x2x16x32xf32>) -> tensor<4x32x32xf32>',
    '%3 = "ttnn.matmul"(%1, %2) <{compute_config = HIFI4, transpose_a = false, transpose_b = false}> : (tensor<4x8x32xf32>, tensor<4x32x32xf32>) -> tensor<4x8x32xf32>',
    "return %3 : tensor<4x8x32xf32>",
  ]);
});

Deno.test("dot_general over one element is a product", () => {
  const text = ttirFunction("(%a: tensor<1x32x1xf32>, %b: tensor<1x1x8xf32>) -> tensor<1x32x8xf32>", [
    '%0 = "ttir.dot_general"(%a, %b) <{batch_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64: 0>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (tensor<1x32x1xf32>, tensor<1x1x8xf32>) -> tensor<1x32x8xf32>',
    "return %0 : tensor<1x32x8xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.multiply"(%arg0, %arg1) : (tensor<1x32x1xf32>, tensor<1x1x8xf32>) -> tensor<1x32x8xf32>',
    "return %0 : tensor<1x32x8xf32>",
  ]);
});

Deno.test("a transposed factor is read transposed", () => {
  const text = ttirFunction(
    "(%a: tensor<32x64xbf16>, %b: tensor<128x64xbf16>, %c: tensor<128xbf16>) -> tensor<32x128xbf16>",
    [
      '%0 = "ttir.permute"(%b) <{permutation = array<i64: 1, 0>}> : (tensor<128x64xbf16>) -> tensor<64x128xbf16>',
      '%1 = "ttir.linear"(%a, %0, %c) <{transpose_a = false, transpose_b = false}> {ttcore.weight_dtype = "bfp_bf8"} : (tensor<32x64xbf16>, tensor<64x128xbf16>, tensor<128xbf16>) -> tensor<32x128xbf16>',
      "return %1 : tensor<32x128xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.linear"(%arg0, %arg1, %arg2) <{compute_config = HIFI4, transpose_a = false, transpose_b = true}> {ttcore.weight_dtype = "bfp_bf8"} : (tensor<32x64xbf16>, tensor<128x64xbf16>, tensor<128xbf16>) -> tensor<32x128xbf16>',
    "return %0 : tensor<32x128xbf16>",
  ]);
});

Deno.test("a bias that makes the product grow is added behind it", () => {
  const types = "(tensor<64xbf16>, tensor<64xbf16>, tensor<128xbf16>) -> tensor<128xbf16>";
  const text = ttirFunction("(%a: tensor<64xbf16>, %b: tensor<128xbf16>) -> tensor<128xbf16>", [
    `%0 = "ttir.linear"(%a, %a, %b) : ${types}`,
    "return %0 : tensor<128xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 64 : i32]}> : (tensor<64xbf16>) -> tensor<1x64xbf16>',
    '%1 = "ttnn.matmul"(%0, %arg0) <{compute_config = HIFI4, transpose_a = false, transpose_b = false}> : (tensor<1x64xbf16>, tensor<64xbf16>) -> tensor<1xbf16>',
    '%2 = "ttnn.add"(%1, %arg1) : (tensor<1xbf16>, tensor<128xbf16>) -> tensor<128xbf16>',
    "return %2 : tensor<128xbf16>",
  ]);
});

Deno.test("batches that neither side has in one are repeated up to those of the product", () => {
  const product = (a: string, b: string, result: string): readonly string[] =>
    loweredBody(ttirFunction(`(%a: tensor<${a}xbf16>, %b: tensor<${b}xbf16>) -> tensor<${result}xbf16>`, [
      `%0 = "ttir.matmul"(%a, %b) : (tensor<${a}xbf16>, tensor<${b}xbf16>) -> tensor<${result}xbf16>`,
      `return %0 : tensor<${result}xbf16>`,
    ])).map((line) => line.replace(/ = "ttnn\.(\w+)"\((.*?)\).*-> tensor<(.*)xbf16>$/, " $1($2) $3"));
  // The heads of a group read one key.
  assertEquals(product("2x4x8x64x32", "2x4x1x32x64", "2x4x8x64x64").slice(0, -1), [
    "%0 repeat(%arg1) 2x4x8x32x64",
    "%1 matmul(%arg0, %0) 2x4x8x64x64",
  ]);
  assertEquals(product("2x3x4x64x32", "3x1x32x64", "2x3x4x64x64").slice(0, -1), [
    "%0 reshape(%arg1) 1x3x1x32x64",
    "%1 repeat(%0) 2x3x4x32x64",
    "%2 matmul(%arg0, %1) 2x3x4x64x64",
  ]);
  // As many batches of either, and not the same ones.
  assertEquals(product("2x1x64x32", "1x2x32x64", "2x2x64x64").length, 4);
  for (const [a, b] of [["2x3x64x32", "32x64"], ["2x3x64x32", "1x1x32x64"], ["2x3x64x32", "2x3x32x64"]]) {
    assertEquals(product(a ?? "", b ?? "", "2x3x64x64").length, 2);
  }
});

// ttnn refuses a right factor of several matrices with more or fewer dimensions than the left one.
keepsMeaning(
  "products of factors with different dimensions, paired for the kernel",
  fc.tuple(fc.subarray([2, 3, 1]), fc.nat(3), fc.nat(3), fc.nat(7)).map(([batch, dropA, dropB, bits]) => {
    const [bias, ta, tb] = [1, 2, 4].map((bit) => (bits & bit) !== 0);
    const [a, b] = [batch.slice(dropA), batch.slice(dropB)];
    const left = type([...a, ...(dropA === 3 && !ta ? [] : ta ? [5, 4] : [4]), ...(ta ? [] : [5])]);
    const right = type([...b, ...(tb ? [6, 5] : [5, 6])]);
    const longer = a.length > b.length ? a : b;
    const product = [...longer, ...(left === type([5]) ? [] : [4]), 6];
    return {
      text: single(
        bias ? "linear" : "matmul",
        [left, right, ...(bias ? [type([6])] : [])],
        [type(product)],
        [`transpose_a = ${ta}`, `transpose_b = ${tb}`],
      ),
    };
  }),
);

Deno.test("several matrices on the right have as many dimensions on the left", () => {
  const shapes = (a: string, b: string, result: string): string =>
    loweredBody(single("matmul", [a, b], [result]))
      .find((line) => line.includes("ttnn.matmul"))?.replace(/^.* : /, "") ?? "";
  for (
    const [a, b, result, kernel] of [
      ["12x12", "2x12x16", "2x12x16", "(tensor<1x12x12xf32>, tensor<2x12x16xf32>) -> tensor<2x12x16xf32>"],
      ["12", "2x12x16", "2x16", "(tensor<1x1x12xf32>, tensor<2x12x16xf32>) -> tensor<2x1x16xf32>"],
      [
        "2x12x12",
        "1x2x12x16",
        "1x2x12x16",
        "(tensor<1x2x12x12xf32>, tensor<1x2x12x16xf32>) -> tensor<1x2x12x16xf32>",
      ],
      [
        "1x2x12x12",
        "2x12x16",
        "1x2x12x16",
        "(tensor<1x2x12x12xf32>, tensor<1x2x12x16xf32>) -> tensor<1x2x12x16xf32>",
      ],
      ["2x12x12", "12x16", "2x12x16", "(tensor<2x12x12xf32>, tensor<12x16xf32>) -> tensor<2x12x16xf32>"],
    ] as const
  ) assertEquals(shapes(`tensor<${a}xf32>`, `tensor<${b}xf32>`, `tensor<${result}xf32>`), kernel);
});

Deno.test("a vector is not transposed, whatever transpose_b says", () => {
  const types = "(tensor<32x64xbf16>, tensor<64xbf16>) -> tensor<32xbf16>";
  const of = (transposed: boolean) =>
    loweredBody(ttirFunction("(%a: tensor<32x64xbf16>, %b: tensor<64xbf16>) -> tensor<32xbf16>", [
      `%0 = "ttir.matmul"(%a, %b) <{transpose_a = false, transpose_b = ${transposed}}> : ${types}`,
      "return %0 : tensor<32xbf16>",
    ])).filter((line) => !line.includes("ttnn.matmul")).map((line) => line.replace(/ <\{.*?\}>/, ""));
  assertEquals(of(true), of(false));
});

Deno.test("of two vectors the first becomes a row, so that ttnn makes the one dimension that TTIR declares", () => {
  const types = "(tensor<64xbf16>, tensor<64xbf16>) -> tensor<1xbf16>";
  const body = loweredBody(ttirFunction("(%a: tensor<64xbf16>, %b: tensor<64xbf16>) -> tensor<1xbf16>", [
    `%0 = "ttir.matmul"(%a, %b) : ${types}`,
    "return %0 : tensor<1xbf16>",
  ]));
  assertEquals(
    body.find((line) => line.includes("ttnn.matmul"))?.replace(/^.* : /, ""),
    "(tensor<1x64xbf16>, tensor<64xbf16>) -> tensor<1xbf16>",
  );
});
