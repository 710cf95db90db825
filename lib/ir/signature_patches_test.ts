// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { functionsOf } from "./functions.ts";
import { parseModule } from "./module_parser.ts";
import { applyPatches } from "./patch.ts";
import { addedResultTypes, type SignatureChange, signaturePatches } from "./signature_patches.ts";

/** A declaration's text after its signature was changed. */
function changed(text: string, change: SignatureChange): string {
  const module = parseModule(text, "signature.mlir");
  const patches = functionsOf(module).flatMap((view) => signaturePatches(module, view, change));
  return applyPatches(module.text, patches);
}

const ADDED: SignatureChange = { addedResults: ["tensor<2xf32>", "index"] };

Deno.test("signaturePatches() puts results behind one without parentheses, one with, and several", () => {
  const results = (text: string) => changed(`func.func private @f(i32) -> ${text}\n`, ADDED);
  const expected = (text: string) => `func.func private @f(i32) -> (${text}, tensor<2xf32>, index)\n`;
  assertEquals(results("i32"), expected("i32"));
  assertEquals(results("(i32)"), expected("i32"));
  assertEquals(results("( i32, i64)"), expected(" i32, i64"));
  assertEquals(results("(i32, i64 {a = 1 : i32})"), expected("i32, i64 {a = 1 : i32}"));
});

Deno.test("signaturePatches() gives added results attributes of their own in the generic form, where it lists any", () => {
  const generic = (type: string, attributes: string) =>
    `"func.func"() <{function_type = (i32) -> ${type}, ${attributes}sym_name = "f"}> ({}) : () -> ()\n`;
  assertEquals(changed(generic("i32", ""), ADDED), generic("(i32, tensor<2xf32>, index)", ""));
  assertEquals(
    changed(generic("(i32, i32)", "res_attrs = [{a}, {}], "), ADDED),
    generic("(i32, i32, tensor<2xf32>, index)", "res_attrs = [{a}, {}, {}, {}], "),
  );
});

Deno.test("signaturePatches() retypes a result and puts another behind it", () => {
  assertEquals(
    changed("func.func private @f() -> i32\n", { resultTypes: new Map([[0, "i64"]]), addedResults: ["i8"] }),
    "func.func private @f() -> (i64, i8)\n",
  );
});

Deno.test("signaturePatches() changes nothing where nothing is asked, and adds nothing to no results", () => {
  const none = "func.func private @f()\n";
  assertEquals(changed(none, {}), none);
  assertThrows(() => changed(none, ADDED), RangeError, "Cannot add results to none");
  const module = parseModule(none, "none.mlir");
  assertThrows(() => addedResultTypes(module, [], ["i32"]), RangeError);
});
