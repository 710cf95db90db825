// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { type ModulePiece, modulePieces } from "./module_pieces.ts";
import { parseModule } from "./module_parser.ts";

const header = (title: string): string => `// -----// IR Dump ${title} //----- //\n`;
const moduleOf = (op: string): string =>
  `#loc = loc("a")\nmodule @m {\n  %0 = "test.${op}"() : () -> i32 loc(#loc1)\n} loc(#loc)\n#loc1 = loc("b")\n`;
const logged = (name: string, module: string): string =>
  `2026-04-06 13:48:07.037 (  30.985s) [ E8234140]  module_builder.cc:1220  1| MLIR Module ${name}:\n${module}` +
  "------------------ END OF MLIR MODULE ------------------\n";

const opsOf = ({ text, fileText, offset }: ModulePiece): string | undefined =>
  parseModule(text, "m.mlir", { fileText, offset }).operations.find(({ name }) => name.startsWith("test."))
    ?.name;
const found = (text: string) => modulePieces(text).map((piece) => [piece.title, opsOf(piece)]);

Deno.test("dumps of passes are found, whatever is printed around them", () => {
  const before = "a.mlir:1:1: warning: said before\n";
  const dumps = [header("After A (a)"), moduleOf("a"), "\n", header("After B (b)"), moduleOf("b"), "\n"];
  const text = before + dumps.join("");
  const both = [["After A (a)", "test.a"], ["After B (b)", "test.b"]];
  assertEquals(found(text), both);
  // The result, printed behind the last dump, and what was said after it.
  assertEquals(found(`${text}${moduleOf("result")}done: 1\n`), both);
  const scoped = `${text}${header("Before C (c) ('builtin.module' operation: @m)")}${moduleOf("c")}`;
  assertEquals(found(scoped), [...both, ["Before C (c)", "test.c"]]);
  assertEquals(found(scoped.replaceAll("\n", "\r\n")), [...both, ["Before C (c)", "test.c"]]);
});

Deno.test("dumps of functions are passed over, those of passes that failed are half", () => {
  const text = header("After A (a)") + moduleOf("a") +
    header("After Canonicalizer (canonicalize)") + `func.func @f() {\n  return\n}\n` +
    header("After B Failed (b)") + moduleOf("half");
  assertEquals(found(text), [["After A (a)", "test.a"], ["After B Failed (b)", "test.half"]]);
  assertEquals(modulePieces(text).map(({ isHalf }) => isHalf), [undefined, true]);
});

Deno.test("the ends of modules around a module belong to it, indented or not", () => {
  const nested = `module @a {\nbuiltin.module @a {\n  "test.a"() : () -> ()\n}\n}\n`;
  const pieces = modulePieces(`${nested}// -----\nmodule @b {\n  "test.b"() : () -> ()\n}\n`);
  assertEquals(pieces.map(({ text }) => text.split("\n").filter((line) => line === "}").length), [2, 1]);
});

Deno.test("modules of a log are found between its lines", () => {
  const text = `starting\n${logged("ttir", moduleOf("a"))}a line { of the log\n${
    logged("ttnn", moduleOf("b"))
  }done\n`;
  assertEquals(found(text), [["ttir", "test.a"], ["ttnn", "test.b"]]);
  // A log that was cut off ends in the middle of a module.
  assertEquals(modulePieces(text.slice(0, text.lastIndexOf("}"))).length, 2);
});

Deno.test("a module of lines in JSON is found, as a notebook stores what a cell printed; several modules in a list stay apart", () => {
  const text = moduleOf("a").split(/(?<=\n)/);
  const cells = [{ cell_type: "code", outputs: [{ name: "stdout", text: ["printed\n", ...text] }] }];
  assertEquals(found(JSON.stringify({ cells })), [["cells.0.outputs.0.text stdout", "test.a"]]);
  const bare = moduleOf("b").trimEnd().split("\n");
  assertEquals(found(JSON.stringify({ bare })), [["bare", "test.b"]]);
  assertEquals(found(JSON.stringify({ stages: [moduleOf("a"), moduleOf("b")] })).map(([, op]) => op), [
    "test.a",
    "test.b",
  ]);
});

Deno.test("modules in strings of JSON are found by their path, and what these hold as well", () => {
  const stages = [{ name: "x", text: moduleOf("a") }, logged("ttnn", moduleOf("b")), 7, null, "no module"];
  assertEquals(found(JSON.stringify({ stages }, undefined, 2)), [
    ["stages.0.text x", "test.a"],
    ["stages.1 ttnn", "test.b"],
  ]);
  const lines = [moduleOf("a"), moduleOf("b")].map((content) => JSON.stringify({ content })).join("\n");
  assertEquals(found(lines), [["0.content", "test.a"], ["1.content", "test.b"]]);
  assertEquals(
    found(JSON.stringify(moduleOf("a"))),
    [],
    "a string alone is no text of JSON that a tool writes",
  );
  assertEquals(found(JSON.stringify({ log: JSON.stringify({ ir: moduleOf("a") }) })), [["log.ir", "test.a"]]);
  const graphs = [{ name: "prefill", ir: moduleOf("a") }, {
    name: "decode",
    stages: { ttir: moduleOf("b") },
  }];
  assertEquals(found(JSON.stringify({ name: "model", graphs })), [
    ["graphs.0.ir prefill", "test.a"],
    ["graphs.1.stages.ttir decode", "test.b"],
  ]);
  assertEquals(found('{"plan": 1, "modules": ["a"]}'), []);
  const event = JSON.stringify({
    event: "module",
    name: "ttir",
    text: moduleOf("a"),
    said: "module of a log",
  });
  assertEquals(found(`${event}\n${event}`), [["0.text ttir", "test.a"], ["1.text ttir", "test.a"]]);
});

Deno.test("modules that follow one another are found, with the aliases that all of them read", () => {
  const named = moduleOf("a").replace("@m", "@first");
  assertEquals(found(named + moduleOf("b")), [["first", "test.a"], ["m", "test.b"]]);
  const bare = (op: string) => `module {\n  "test.${op}"() {a = #one} : () -> ()\n}\n`;
  const shared = modulePieces(`#one = 1 : i32\n${bare("a")}${bare("b")}`);
  assertEquals(shared.map(opsOf), ["test.a", "test.b"]);
  assertEquals(shared.map(({ text }) => text.includes("#one = 1 : i32")), [true, true]);
  assertEquals(found(`${moduleOf("a")}// -----\n${moduleOf("b")}`), [["m", "test.a"], ["m", "test.b"]]);
});

Deno.test("places in a piece are those of the file", () => {
  const text = header("After A (a)") + moduleOf("a") + header("After B (b)") + moduleOf("b") +
    logged("x", moduleOf("c"));
  for (const { fileText, offset, text: own } of modulePieces(text + moduleOf("d") + moduleOf("e"))) {
    assertEquals(fileText.slice(offset, offset + own.length), own);
  }
});

Deno.test("a file that is a module has no pieces", () => {
  assertEquals(modulePieces(moduleOf("a")), []);
  assertEquals(modulePieces("module {\n  module {\n  }\n  module {\n  }\n}\n"), []);
  assertEquals(modulePieces(`"test.a"() : () -> ()\n// -----\n"test.b"() : () -> ()\n`), [], "a comment");
  assertEquals(modulePieces(""), []);
});
