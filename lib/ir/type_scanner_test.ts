// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { Scanner } from "./scanner.ts";
import { skipBareTypeList, skipType } from "./type_scanner.ts";

const TYPES = [
  "tensor<2x3xbf16>",
  "tensor<2x3xbf16, #layout>",
  "tensor<2x3xbf16, #layout1>",
  "tensor<2x!quant.uniform<i8:f32, 0.5>>",
  "tensor<2xf32, #ttnn.layout<(d0) -> (d0), <1x1>, memref<1x1xf32>>>",
  "tensor<2xf32, #ttnn.layout<(d0) -> (d0), <2x1>, memref<1x1xf32>>>",
  "tensor<i1>",
  "memref<2xf32>",
  "!alias",
  "f32",
];

Deno.test("types that stand in many places are passed as if each were the first of its kind", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 20 }), (types) => {
      const scanner = new Scanner(`${types.join(", ")} -> x`, "types.mlir");
      const spans = skipBareTypeList(scanner);
      assertEquals(spans.map(({ start, end }) => scanner.text.slice(start, end)), types);
      const aliases = types.flatMap((type) => type.match(/[#!]\w+(?![\w.])/g) ?? []);
      assertEquals([...scanner.aliasUses.keys()], [...new Set(aliases)]);
    }),
  );
});

Deno.test("aliases of a type are noted again where their uses were forgotten", () => {
  const scanner = new Scanner("tensor<2xf32, #a> tensor<2xf32, #a>", "types.mlir");
  skipType(scanner);
  scanner.forgetAliasUses(0);
  skipType(scanner);
  assertEquals([...scanner.aliasUses.keys()], ["#a"]);
});

Deno.test("a damaged type behind the same type is found", () => {
  const scanner = new Scanner("tensor<2xf32>, tensor<2xf32", "types.mlir");
  assertThrows(() => skipBareTypeList(scanner), DiagnosticError);
});
