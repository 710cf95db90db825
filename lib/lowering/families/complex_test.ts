// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

const [X, C, P] = ["tensor<2x4xf32>", "tensor<2x4xcomplex<f32>>", "tensor<2x4x2xf32>"];

Deno.test("complex numbers become pairs in a last dimension: of arguments, results, constants and reshapes", () => {
  const made = loweredBody(ttirFunction(`(%re: ${X}, %im: ${X}) -> ${C}`, [
    `%0 = "ttir.stablehlo_complex"(%re, %im) : (${X}, ${X}) -> ${C}`,
    `return %0 : ${C}`,
  ]));
  const part = "tensor<2x4x1xf32>";
  assertEquals(made.slice(2), [
    `%2 = "ttnn.concat"(%0, %1) <{dim = 2 : si32}> : (${part}, ${part}) -> ${P}`,
    `return %2 : ${P}`,
  ]);

  const row = "tensor<1x2x4xcomplex<f32>>";
  const taken = loweredBody(ttirFunction(`(%c: ${C}) -> tensor<1x2x4xf32>`, [
    `%0 = "ttir.reshape"(%c) <{shape = [1 : i32, 2 : i32, 4 : i32]}> : (${C}) -> ${row}`,
    `%1 = "ttir.stablehlo_imag"(%0) : (${row}) -> tensor<1x2x4xf32>`,
    "return %1 : tensor<1x2x4xf32>",
  ]));
  assertEquals(taken.slice(0, 2), [
    `%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 2 : i32, 4 : i32, 2 : i32]}> : (${P}) -> tensor<1x2x4x2xf32>`,
    '%1 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32, 1 : i32], ' +
    "ends = [1 : i32, 2 : i32, 4 : i32, 2 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : " +
    "(tensor<1x2x4x2xf32>) -> tensor<1x2x4x1xf32>",
  ]);
});

Deno.test("constants of complex numbers keep their parts, splats too", () => {
  const constant = (value: string, type: string): string | undefined =>
    loweredBody(ttirFunction(`() -> ${type}`, [
      `%0 = "ttir.constant"() <{value = dense<${value}> : ${type}}> : () -> ${type}`,
      `return %0 : ${type}`,
    ])).map((line) => /value = (dense<.*?>)/.exec(line)?.[1]).find((text) => text !== undefined);
  assertEquals(
    constant("[(1.0, 2.0), (3.0, -4.5)]", "tensor<2xcomplex<f32>>"),
    "dense<[[1.0, 2.0], [3.0, -4.5]]>",
  );
  assertEquals(constant("(0.5, -1.0)", "tensor<3x2xcomplex<f64>>"), "dense<[0.5, -1.0]>");
  const [one, minusTwo] = ["0000803F", "000000C0"];
  const hex = `dense<"0x${one}${minusTwo}${one}${one}">`;
  assertEquals(constant(hex.slice(6, -1), "tensor<2xcomplex<f32>>"), hex);
});

Deno.test("arithmetic on complex numbers is refused: on pairs it would mean something else", () => {
  const text = ttirFunction(`(%a: ${C}, %b: ${C}) -> ${C}`, [
    `%0 = "ttir.multiply"(%a, %b) : (${C}, ${C}) -> ${C}`,
    `return %0 : ${C}`,
  ]);
  assertThrows(
    () => loweredBody(text),
    DiagnosticError,
    "TTNN has no complex numbers; write it on their parts",
  );
});
