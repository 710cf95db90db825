// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { skipAttributesOfOp, skipDictionary, skipPropertiesOfOp } from "./attribute_scanner.ts";
import { parseModule } from "./module_parser.ts";
import type { AttributeDictionary } from "./module_text.ts";
import { Scanner } from "./scanner.ts";

const DICTIONARIES = [
  "{}",
  "{a}",
  "{a = 1 : i32}",
  "{a = 1 : i32, b = #alias}",
  '{a = "}", b}',
  '{a = "}>", b}',
  "{a = {b = #other}, c}",
  "{ a = // }\n 2, b }",
  `{a = dense<"0x${"0".repeat(3000)}"> : tensor<1500xi8>}`,
];

/** Every dictionary with its own text and those of its entries. */
function shown(text: string, dictionaries: readonly AttributeDictionary[]): unknown[] {
  return dictionaries.map(({ span, entries }) => ({
    text: text.slice(span.start, span.end),
    entries: entries.map(({ key, span, valueSpan }) => [
      key,
      text.slice(span.start, span.end),
      valueSpan && text.slice(valueSpan.start, valueSpan.end),
    ]),
  }));
}

Deno.test("dictionaries that many ops spell are passed as if each were the first of its kind", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...DICTIONARIES), { minLength: 1, maxLength: 12 }), (written) => {
      const text = written.join("");
      const once = new Scanner(text, "a.mlir");
      const each = new Scanner(text, "a.mlir");
      assertEquals(
        shown(text, written.map(() => skipAttributesOfOp(once))),
        shown(text, written.map(() => skipDictionary(each))),
      );
      assertEquals([...once.aliasUses.keys()], [...each.aliasUses.keys()]);
      const properties = written.map((dictionary) => `<${dictionary}>`);
      const generic = new Scanner(properties.join(""), "a.mlir");
      assertEquals(
        written.map(() => shown(generic.text, [skipPropertiesOfOp(generic)])),
        properties.map((one) => shown(one, [skipPropertiesOfOp(new Scanner(one, "a.mlir"))])),
      );
    }),
  );
});

Deno.test("aliases of a dictionary are noted again where their uses were forgotten", () => {
  const scanner = new Scanner("{x = #a}{x = #a}", "a.mlir");
  skipAttributesOfOp(scanner);
  scanner.forgetAliasUses(0);
  skipAttributesOfOp(scanner);
  assertEquals([...scanner.aliasUses.keys()], ["#a"]);
});

Deno.test("a damaged dictionary behind the same one is found where it stands", () => {
  const op = (dictionary: string): string => `"t.a"() ${dictionary} : () -> ()\n`;
  const good = op("<{a = 1, b = 2}> {c}");
  for (const bad of ["<{a = 1, b = 2} {c}", "<{a = 1, b = 2, b = 2}>", "<{a = 1, b = 2}> {c, c}"]) {
    const error = assertThrows(() => parseModule(good + op(bad), "a.mlir"), DiagnosticError);
    assertEquals(error.diagnostics[0]?.location?.line, 2);
  }
});
