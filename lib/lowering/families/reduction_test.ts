// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("argmax gives row-major unsigned indices that are cast back", () => {
  const text = ttirFunction("(%a: tensor<32x128xbf16>) -> tensor<32xi32>", [
    '%0 = "ttir.argmax"(%a) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<32x128xbf16>) -> tensor<32xi32>',
    "return %0 : tensor<32xi32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.to_layout"(%arg0) : (tensor<32x128xbf16>) -> tensor<32x128xbf16, rm>',
    '%1 = "ttnn.argmax"(%0) <{dim = 1 : si32, keep_dim = true}> : (tensor<32x128xbf16, rm>) -> tensor<32x1xui32, rm>',
    '%2 = "ttnn.to_layout"(%1) : (tensor<32x1xui32, rm>) -> tensor<32x1xui32>',
    '%3 = "ttnn.reshape"(%2) <{shape = [32 : i32]}> : (tensor<32x1xui32>) -> tensor<32xui32>',
    '%4 = "ttnn.typecast"(%3) : (tensor<32xui32>) -> tensor<32xsi32>',
    "return %4 : tensor<32xsi32>",
  ]);
});

Deno.test("argmax over another dimension than the last reads a permuted tensor", () => {
  const text = ttirFunction("(%a: tensor<2x8x32xbf16>) -> tensor<2x32xi32>", [
    '%0 = "ttir.argmax"(%a) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<2x8x32xbf16>) -> tensor<2x32xi32>',
    "return %0 : tensor<2x32xi32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x8x32xbf16>) -> tensor<2x32x8xbf16>',
    '%1 = "ttnn.to_layout"(%0) : (tensor<2x32x8xbf16>) -> tensor<2x32x8xbf16, rm>',
    '%2 = "ttnn.argmax"(%1) <{dim = 2 : si32, keep_dim = true}> : (tensor<2x32x8xbf16, rm>) -> tensor<2x32x1xui32, rm>',
    '%3 = "ttnn.to_layout"(%2) : (tensor<2x32x1xui32, rm>) -> tensor<2x32x1xui32>',
    '%4 = "ttnn.reshape"(%3) <{shape = [2 : i32, 32 : i32]}> : (tensor<2x32x1xui32>) -> tensor<2x32xui32>',
    '%5 = "ttnn.typecast"(%4) : (tensor<2x32xui32>) -> tensor<2x32xsi32>',
    "return %5 : tensor<2x32xsi32>",
  ]);
});

Deno.test("reductions keep their dimensions; reduce_or adds and reduce_and multiplies booleans", () => {
  const text = ttirFunction("(%a: tensor<4x8x32xi1>) -> (tensor<4x8xi1>, tensor<4x1x32xi1>)", [
    '%0 = "ttir.reduce_or"(%a) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<4x8x32xi1>) -> tensor<4x8xi1>',
    '%1 = "ttir.reduce_and"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x8x32xi1>) -> tensor<4x1x32xi1>',
    "return %0, %1 : tensor<4x8xi1>, tensor<4x1x32xi1>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.sum"(%arg0) <{compute_config = HIFI4, dim_arg = [2 : i32], keep_dim = false}> : (tensor<4x8x32xbf16>) -> tensor<4x8xbf16>',
    '%1 = "ttnn.prod"(%arg0) <{dim_arg = 1 : si64, keep_dim = true}> : (tensor<4x8x32xbf16>) -> tensor<4x1x32xbf16>',
    "return %0, %1 : tensor<4x8xbf16>, tensor<4x1x32xbf16>",
  ]);
});

Deno.test("topk gives narrow indices that are cast to the result", () => {
  const text = ttirFunction("(%a: tensor<2x128xf32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)", [
    '%v, %i = "ttir.topk"(%a) {k = 5 : i32} : (tensor<2x128xf32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)',
    "return %v, %i : tensor<2x5xf32>, tensor<2x5xi32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.typecast"(%arg0) : (tensor<2x128xf32>) -> tensor<2x128xbf16>',
    '%1:2 = "ttnn.topk"(%0) <{dim = -1 : si32, k = 5 : i32, largest = true, sorted = false}> : (tensor<2x128xbf16>) -> (tensor<2x5xbf16>, tensor<2x5xui16>)',
    '%2 = "ttnn.typecast"(%1#0) : (tensor<2x5xbf16>) -> tensor<2x5xf32>',
    '%3 = "ttnn.typecast"(%1#1) : (tensor<2x5xui16>) -> tensor<2x5xsi32>',
    "return %2, %3 : tensor<2x5xf32>, tensor<2x5xsi32>",
  ]);
});

Deno.test("softmax is stable only where it says so", () => {
  const text = ttirFunction("(%a: tensor<4x32xbf16>) -> tensor<4x32xbf16>", [
    '%0 = "ttir.softmax"(%a) <{dimension = 1 : si32}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    '%1 = "ttir.softmax"(%0) <{dimension = -1 : si32, numericStable = true}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    "return %1 : tensor<4x32xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.softmax"(%arg0) <{compute_config = HIFI4, dimension = 1 : si32, numericStable = false}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    '%1 = "ttnn.softmax"(%0) <{compute_config = HIFI4, dimension = -1 : si32, numericStable = true}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    "return %1 : tensor<4x32xbf16>",
  ]);
});

Deno.test("a reduction of everything may give one element of rank one, as before tensors had rank zero", () => {
  const text = ttirFunction("(%a: tensor<64x32xbf16>) -> tensor<1xbf16>", [
    '%0 = "ttir.max"(%a) <{keep_dim = false}> : (tensor<64x32xbf16>) -> tensor<1xbf16>',
    "return %0 : tensor<1xbf16>",
  ]);
  const [reduce, ...rest] = loweredBody(text);
  assertEquals(
    reduce?.replace(/ <\{.*\}>/, ""),
    '%0 = "ttnn.max"(%arg0) : (tensor<64x32xbf16>) -> tensor<bf16>',
  );
  assertEquals(rest, [
    '%1 = "ttnn.reshape"(%0) <{shape = [1 : i32]}> : (tensor<bf16>) -> tensor<1xbf16>',
    "return %1 : tensor<1xbf16>",
  ]);
});

Deno.test("indices of topk and sort are as wide as their kernels give them", () => {
  const formatOf = (name: string, width: number) => {
    const type = `tensor<1x${width}xbf16>`;
    const attributes = name === "topk" ? `{k = ${width} : i32}` : "{}";
    const text = ttirFunction(`(%a: ${type}) -> (${type}, tensor<1x${width}xi32>)`, [
      `%v, %i = "ttir.${name}"(%a) ${attributes} : (${type}) -> (${type}, tensor<1x${width}xi32>)`,
      `return %v, %i : ${type}, tensor<1x${width}xi32>`,
    ]);
    const line = loweredBody(text).find((line) => line.includes(`ttnn.${name}`)) ?? "";
    return /x(ui\d+)>\)$/.exec(line)?.[1];
  };
  assertEquals(formatOf("topk", 65536), "ui16");
  assertEquals(formatOf("topk", 65537), "ui32");
  assertEquals(formatOf("sort", 32768), "ui16");
  assertEquals(formatOf("sort", 32769), "ui32");
});

Deno.test("topk gives as many as it is asked for, and no more than there are", () => {
  const largest = (k: number, given: number) =>
    ttirFunction(`(%a: tensor<4x64xbf16>) -> tensor<4x${given}xbf16>`, [
      `%0:2 = "ttir.topk"(%a) <{k = ${k} : i32, dim = -1 : i32, largest = true, sorted = true}> : ` +
      `(tensor<4x64xbf16>) -> (tensor<4x${given}xbf16>, tensor<4x${given}xi32>)`,
      `return %0#0 : tensor<4x${given}xbf16>`,
    ]);
  assertThrows(() => loweredBody(largest(65, 65)), DiagnosticError, "it asks for 65 of 64");
  assertThrows(() => loweredBody(largest(0, 1)), DiagnosticError, "it asks for 0 of 64");
  assertThrows(() => loweredBody(largest(8, 16)), DiagnosticError, "should have shape 4x8, not 4x16");
});

Deno.test("a product without dimensions is of all of them, one after the other", () => {
  const text = ttirFunction("(%a: tensor<4x8xbf16>) -> tensor<1x1xbf16>", [
    '%0 = "ttir.prod"(%a) <{keep_dim = true}> : (tensor<4x8xbf16>) -> tensor<1x1xbf16>',
    "return %0 : tensor<1x1xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.prod"(%arg0) <{dim_arg = 1 : si64, keep_dim = true}> : (tensor<4x8xbf16>) -> tensor<4x1xbf16>',
    '%1 = "ttnn.prod"(%0) <{dim_arg = 0 : si64, keep_dim = true}> : (tensor<4x1xbf16>) -> tensor<1x1xbf16>',
    "return %1 : tensor<1x1xbf16>",
  ]);
});
