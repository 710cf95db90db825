// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("constants are rebuilt for normalised element types", () => {
  const text = ttirFunction("() -> (tensor<2xi64>, tensor<2x2xi1>, tensor<2xf64>)", [
    '%0 = "ttir.constant"() <{value = dense<"0xFFFFFFFFFFFFFF7F0100000000000000"> : tensor<2xi64>}> : () -> tensor<2xi64>',
    '%1 = "ttir.constant"() <{value = dense<[[true, false], [false, true]]> : tensor<2x2xi1>}> : () -> tensor<2x2xi1>',
    '%2 = "ttir.constant"() <{value = dense<[1.5, 0x7FF0000000000000]> : tensor<2xf64>}> : () -> tensor<2xf64>',
    "return %0, %1, %2 : tensor<2xi64>, tensor<2x2xi1>, tensor<2xf64>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.constant"(%0) <{value = dense<"0xFFFFFF7F01000000"> : tensor<2xsi32>}> : (!ttnn.device) -> tensor<2xsi32>',
    '%2 = "ttnn.constant"(%0) <{value = dense<[[1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00]]> : tensor<2x2xbf16>}> : (!ttnn.device) -> tensor<2x2xbf16>',
    '%3 = "ttnn.constant"(%0) <{value = dense<[1.5, 0x7F800000]> : tensor<2xf32>}> : (!ttnn.device) -> tensor<2xf32>',
    "return %1, %2, %3 : tensor<2xsi32>, tensor<2x2xbf16>, tensor<2xf32>",
  ]);
});

Deno.test("constants of the arith dialect are those of TTIR; scalars that no tensor op reads are left out", () => {
  const of = (constant: (value: string, type: string) => string) =>
    loweredBody(ttirFunction("() -> (tensor<2x2xbf16>, tensor<2xf32>)", [
      "%s = arith.constant 0 : i32",
      `%0 = ${constant("dense<2.0>", "tensor<2x2xbf16>")}`,
      `%1 = ${constant("dense<[1.5, 2.5]>", "tensor<2xf32>")}`,
      "return %0, %1 : tensor<2x2xbf16>, tensor<2xf32>",
    ]));
  const ttir = of((value, type) => `"ttir.constant"() <{value = ${value} : ${type}}> : () -> ${type}`);
  assertEquals(of((value, type) => `arith.constant ${value} : ${type}`), ttir);
  assertEquals(
    of((value, type) => `"arith.constant"() <{value = ${value} : ${type}}> : () -> ${type}`),
    ttir,
  );
  assertEquals(of((value, type) => `arith.constant {a.b} ${value} : ${type}`), ttir);
});

Deno.test("numbers that are not finite have a tensor each, and so have both zeros", () => {
  const [type, values] = ["tensor<2xf32>", ["0x7FC00000", "0xFF800000", "0x7F800000", "0.0", "-0.0"]];
  const lines = loweredBody(ttirFunction(`(%x: ${type}) -> (${values.map(() => type).join(", ")})`, [
    ...values.flatMap((value, at) => [
      `%c${at} = "ttir.constant"() <{value = dense<${value}> : ${type}}> : () -> ${type}`,
      `%r${at} = "ttir.atan2"(%x, %c${at}) : (${type}, ${type}) -> ${type}`,
    ]),
    `return ${values.map((_, at) => `%r${at}`).join(", ")} : ${values.map(() => type).join(", ")}`,
  ]));
  const read = lines.flatMap((line) => /"ttnn\.atan2"\(%\w+, (%\w+)\)/.exec(line)?.[1] ?? []);
  assertEquals([read.length, new Set(read).size], [values.length, values.length], lines.join("\n"));
});

Deno.test("resources are read behind their alignment", () => {
  const text = ttirFunction("() -> (tensor<2xf32>, tensor<3xi1>)", [
    '%0 = "ttir.constant"() <{value = dense_resource<w.1> : tensor<2xf32>}> : () -> tensor<2xf32>',
    '%1 = "ttir.constant"() <{value = dense_resource<"mask"> : tensor<3xi1>}> : () -> tensor<3xi1>',
    "return %0, %1 : tensor<2xf32>, tensor<3xi1>",
  ]) +
    '{-# dialect_resources: { builtin: { w.1: "0x040000000000803F00000040", mask: "0x01000000010001" } } #-}\n';
  assertEquals(loweredBody(text).slice(0, 2), [
    '%1 = "ttnn.constant"(%0) <{value = dense<"0x0000803F00000040"> : tensor<2xf32>}> : (!ttnn.device) -> tensor<2xf32>',
    '%2 = "ttnn.constant"(%0) <{value = dense<"0x803F0000803F"> : tensor<3xbf16>}> : (!ttnn.device) -> tensor<3xbf16>',
  ]);
});

Deno.test("scalars that an op reads are refused with what they are for", () => {
  for (const scalar of ["arith.constant 0 : index", '"arith.constant"() <{value = 0 : i32}> : () -> i32']) {
    const type = scalar.slice(scalar.lastIndexOf(" ") + 1);
    const text = ttirFunction("(%x: tensor<2xf32>) -> tensor<2xf32>", [
      `%s = ${scalar}`,
      `%0 = "foreign.loop"(%x, %s) : (tensor<2xf32>, ${type}) -> tensor<2xf32>`,
      "return %0 : tensor<2xf32>",
    ]);
    assertThrows(() => loweredBody(text), DiagnosticError, "its result is not a tensor; unroll the loop");
  }
});

Deno.test("constants of another number of elements than their tensor are refused", () => {
  const of = (value: string): string =>
    ttirFunction("() -> tensor<3xf32>", [
      `%0 = "ttir.constant"() <{value = ${value} : tensor<3xf32>}> : () -> tensor<3xf32>`,
      "return %0 : tensor<3xf32>",
    ]);
  assertThrows(() => loweredBody(of("dense<[1.0, 2.0]>")), DiagnosticError, "holds 2 elements");
});

Deno.test("constants whose numbers are not in the text keep the name of what they lack", () => {
  for (const value of ["dense_resource<__elided__>", 'dense_resource<"w.1">']) {
    const text = ttirFunction("() -> tensor<3xf64>", [
      `%0 = "ttir.constant"() <{value = ${value} : tensor<3xf64>}> : () -> tensor<3xf64>`,
      "return %0 : tensor<3xf64>",
    ]);
    const constant = loweredBody(text).find((line) => line.includes("ttnn.constant")) ?? "";
    assert(constant.includes(`value = ${value} : tensor<3xf32>`), constant);
  }
});

Deno.test("bits of a wider float than the tensor holds are refused, alone and in a list, as mlir-opt does", () => {
  const of = (value: string, type: string) =>
    ttirFunction(`() -> ${type}`, [
      `%0 = "ttir.constant"() <{value = ${value} : ${type}}> : () -> ${type}`,
      `return %0 : ${type}`,
    ]);
  for (const value of ["dense<0xFF800000>", "dense<[0x3F80, 0xFF800000]>"]) {
    assertThrows(() => loweredBody(of(value, "tensor<2xbf16>")), DiagnosticError, "more bits than bf16");
    loweredBody(of(value, "tensor<2xf32>"));
  }
});

Deno.test("arange fills one dimension and repeats along the others", () => {
  const text = ttirFunction("() -> tensor<3x4xi64>", [
    '%0 = "ttir.arange"() <{arange_dimension = 0 : i64, end = 3 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<3x4xi64>',
    "return %0 : tensor<3x4xi64>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.arange"(%0) <{end = 3 : si64, start = 0 : si64, step = 1 : si64}> : (!ttnn.device) -> tensor<3xsi32>',
    '%2 = "ttnn.reshape"(%1) <{shape = [3 : i32, 1 : i32]}> : (tensor<3xsi32>) -> tensor<3x1xsi32>',
    '%3 = "ttnn.repeat"(%2) <{repeat_dims = #ttnn.shape<1x4>}> : (tensor<3x1xsi32>) -> tensor<3x4xsi32>',
    "return %3 : tensor<3x4xsi32>",
  ]);
});

Deno.test("splats become zeros, ones and full", () => {
  const text = ttirFunction("() -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<2x4xbf16>)", [
    '%0 = "ttir.zeros"() <{shape = array<i32: 2, 4>}> : () -> tensor<2x4xf32>',
    '%1 = "ttir.constant"() <{value = dense<7> : tensor<2x4xi32>}> : () -> tensor<2x4xi32>',
    '%2 = "ttir.full"() <{shape = array<i32: 2, 4>, fill_value = 0.3 : f32}> : () -> tensor<2x4xbf16>',
    "return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xi32>, tensor<2x4xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.zeros"(%0) <{shape = #ttnn.shape<2x4>}> : (!ttnn.device) -> tensor<2x4xf32>',
    '%2 = "ttnn.full"(%0) <{fill_value = 7 : i32, shape = #ttnn.shape<2x4>}> : (!ttnn.device) -> tensor<2x4xsi32>',
    '%3 = "ttnn.full"(%0) <{fill_value = 3.000000e-01 : f32, shape = #ttnn.shape<2x4>}> : (!ttnn.device) -> tensor<2x4xbf16>',
    "return %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xsi32>, tensor<2x4xbf16>",
  ]);
});
