// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { lastPassDump, parseLastDump } from "./pass_dumps.ts";

const header = (title: string): string => `// -----// IR Dump ${title} //----- //\n`;
const moduleOf = (op: string): string =>
  `#loc = loc("a")\nmodule @m {\n  %0 = "test.${op}"() : () -> i32 loc(#loc1)\n} loc(#loc)\n#loc1 = loc("b")\n`;

const ops = (text: string): readonly string[] =>
  parseLastDump(text, "dumps.mlir").module.operations.map(({ name }) => name);

Deno.test("of dumps of passes the last whole module is read, whatever is printed around it", () => {
  const before = "a.mlir:1:1: warning: said before\n";
  const dumps = [header("After A (a)"), moduleOf("a"), "\n", header("After B (b)"), moduleOf("b"), "\n"];
  const text = before + dumps.join("");
  assertEquals(ops(text), ["builtin.module", "test.b"]);
  assertEquals(lastPassDump(text)?.title, "After B (b)");
  assertEquals(lastPassDump(text)?.count, 2);
  // The result, printed behind the last dump, and what was said after it.
  assertEquals(ops(`${text}${moduleOf("result")}done: 1\n`), ["builtin.module", "test.b"]);
  const scoped = `${text}${header("Before C (c) ('builtin.module' operation: @m)")}${moduleOf("c")}`;
  assertEquals(lastPassDump(scoped)?.title, "Before C (c)");
  assertEquals(ops(scoped.replaceAll("\n", "\r\n")), ["builtin.module", "test.c"]);
});

Deno.test("dumps of functions and of failed passes are passed over", () => {
  const text = header("After A (a)") + moduleOf("a") +
    header("After Canonicalizer (canonicalize)") + `func.func @f() {\n  return\n}\n` +
    header("After B Failed (b)") + moduleOf("half");
  assertEquals(ops(text), ["builtin.module", "test.a"]);
  assertEquals(lastPassDump(text)?.count, 3);
});

Deno.test("places in the last dump are those of the file", () => {
  const broken = moduleOf("a").replace("-> i32", "-> ");
  const text = header("After A (a)") + moduleOf("a") + header("After B (b)") + broken;
  const error = assertThrows(() => parseLastDump(text, "dumps.mlir"), DiagnosticError);
  // Two headers, the five lines of the first module, and two of the second one stand above.
  assertEquals(error.diagnostics[0]?.location?.line, 10);
});

Deno.test("a file without dumps is what it is", () => {
  assertEquals(lastPassDump(moduleOf("a")), undefined);
  assertEquals(ops(moduleOf("a")), ["builtin.module", "test.a"]);
});
