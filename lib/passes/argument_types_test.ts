// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { attributeText, functionsOf, parseModule, printGeneric } from "../ir/mod.ts";
import { populateArgumentTypes, readArgumentTypes } from "./argument_types.ts";

const T = "tensor<4xbf16>";

/** A function whose arguments have these attributes. */
function withArguments(...attributes: readonly string[]): string {
  const args = attributes.map((text, index) => `%a${index}: ${T}${text}`).join(", ");
  return `func.func @main(${args}) -> ${T} {\n  return %a0 : ${T}\n}\n`;
}

function populated(text: string, types: string): string {
  return populateArgumentTypes(parseModule(text, "test.mlir"), readArgumentTypes(types));
}

Deno.test("every argument gets its type, regardless of an earlier one; other attributes stay", () => {
  const text = withArguments(
    "",
    " {}",
    ' {ttir.name = "w"} loc("w")',
    " {ttcore.argument_type = #ttcore.argument_type<input>, x}",
    " {tt.argument_type = #tt.argument_type<input>}",
  );
  const after = populated(text, "main=input,parameter,parameter,constant,parameter");
  assertEquals(
    after,
    withArguments(
      " {ttcore.argument_type = #ttcore.argument_type<input>}",
      " {ttcore.argument_type = #ttcore.argument_type<parameter>}",
      ' {ttir.name = "w", ttcore.argument_type = #ttcore.argument_type<parameter>} loc("w")',
      " {ttcore.argument_type = #ttcore.argument_type<constant>, x}",
      " {tt.argument_type = #tt.argument_type<parameter>}",
    ),
  );
  const [main] = functionsOf(parseModule(after, "test.mlir"));
  assertEquals(main?.arguments.length, 5);
});

Deno.test("arguments of a function in generic form get their types, with attributes before and without", () => {
  const generic = printGeneric(parseModule(withArguments("", ' {ttir.name = "w"}'), "test.mlir"));
  const none = printGeneric(parseModule(withArguments("", ""), "test.mlir"));
  for (const text of [generic, none]) {
    const [main] = functionsOf(parseModule(populated(text, "main=input,parameter"), "test.mlir"));
    const types = main?.arguments.map(({ attributes }) => attributes.get("ttcore.argument_type"));
    assertEquals(types?.map((type) => type && attributeText(type)), [
      "#ttcore.argument_type<input>",
      "#ttcore.argument_type<parameter>",
    ]);
    assertEquals(main?.arguments[1]?.attributes.has("ttir.name"), text === generic);
  }
});

Deno.test("several functions are named one after the other, a trailing comma is none", () => {
  assertEquals([...readArgumentTypes("main=input,parameter,;other=constant")], [
    ["main", ["input", "parameter"]],
    ["other", ["constant"]],
  ]);
  for (
    const wrong of [
      "",
      "main",
      "main=",
      "=input",
      "main=weight",
      "main=input=x",
      "main=input;;",
      "main=input;main=constant",
    ]
  ) {
    assertThrows(() => readArgumentTypes(wrong), RangeError);
  }
});

Deno.test("a function that is not there and a wrong number of types are errors", () => {
  const code = (types: string): string | undefined =>
    assertThrows(() => populated(withArguments("", ""), types), DiagnosticError).diagnostics[0]?.code;
  assertEquals(code("forward=input"), "argument-types/function");
  assertEquals(code("main=input"), "argument-types/count");
});
