// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { functionsOf } from "./functions.ts";
import { attributeText } from "./attribute_text.ts";
import { parseModule } from "./module_parser.ts";

Deno.test("infinities are printed as the bits of their format, as MLIR prints them", () => {
  const text = (type: string, value: number) => attributeText({ kind: "float", value, type });
  assertEquals(text("f64", Infinity), "0x7FF0000000000000 : f64");
  assertEquals(text("f32", Infinity), "0x7F800000 : f32");
  assertEquals(text("f32", -Infinity), "0xFF800000 : f32");
  assertEquals(text("bf16", Infinity), "0x7F80 : bf16");
  assertEquals(text("f16", -Infinity), "0xFC00 : f16");
});

Deno.test("decimal floats have a dot", () => {
  const text = (value: number) => attributeText({ kind: "float", value, type: "f32" });
  assertEquals([1, -2, 0.5, 1e30, 2.5e-9].map(text), [
    "1.0 : f32",
    "-2.0 : f32",
    "0.5 : f32",
    "1.0e+30 : f32",
    "2.5e-9 : f32",
  ]);
});

Deno.test("names keep their control characters escaped, so that no terminal obeys them", () => {
  const module = parseModule(`func.func @"a\\1B[2J\\0A::x" () {\n  return\n}\n`, "a.mlir");
  assertEquals(functionsOf(module).map(({ name }) => name), ["a\\1B[2J\\0A::x"]);
});
