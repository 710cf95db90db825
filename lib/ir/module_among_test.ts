// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { plainLog, withoutLoggedLines } from "./log_lines.ts";
import { modulesAmong } from "./module_among.ts";
import { modulePieces } from "./module_pieces.ts";
import { parseModule } from "./module_parser.ts";

const MODULE = `!t = i32
module @m {
  func.func @f() {
    %0 = "test.a"() : () -> !t loc(#loc)
    return
  }
}
#loc = loc("a")
`;
const SECOND = MODULE.replace("@m", "@n").replace("test.a", "test.b");

/** Titles and ops of the modules, and the lines on which these ops stand. */
function found(text: string): readonly unknown[] {
  return modulesAmong(text).map(({ text: module, fileText, offset, title }) => {
    const parsed = parseModule(module, "m.mlir", { fileText, offset });
    const op = parsed.operations.find(({ name }) => name.startsWith("test."));
    const line = fileText.slice(0, offset + (op?.nameSpan.start ?? 0)).split("\n").length;
    return [title, op?.name, line];
  });
}

const before = (text: string, prefix: (line: number) => string): string =>
  text.split("\n").map((line, index) => prefix(index) + line).join("\n");

Deno.test("modules are found on pages, in terminals and in programs", () => {
  const fence = "```";
  assertEquals(found(`### What happens\n\n${fence}mlir\n${MODULE}${fence}\n\nThe module fails.\n`), [[
    "m",
    "test.a",
    7,
  ]]);
  assertEquals(found(`First:\n${fence}\n${MODULE}${fence}\nthen\n${fence}\n${SECOND}${fence}\n`), [
    ["m", "test.a", 6],
    ["n", "test.b", 17],
  ]);
  assertEquals(found(`$ opt a.mlir\na.mlir:0:0: warning: none\n${MODULE}$ echo 0\n`), [["m", "test.a", 6]]);
  assertEquals(found(`import x\nTEXT = """\n${MODULE}"""\nx(TEXT)\n`), [["m", "test.a", 6]]);
  assertEquals(found(`- as follows:\n\n${before(MODULE, () => "    ")}`), [["m", "test.a", 6]]);
});

Deno.test("what loggers and quotations put before every line is no part of a module", () => {
  const logged = (module: string) =>
    `starting\n12 MLIR Module ttnn:\n${module}--- END OF MLIR MODULE ---\ndone`;
  for (
    const prefix of [
      (line: number) => `2026-01-02T03:04:05.${1000000 + line}Z `,
      () => "(Worker pid=3) ",
      () => "> ",
      () => "E       ",
      () => "+",
      () => "server-1  | ",
      (line: number) => `${line + 1}`.padStart(4) + "  ",
      (line: number) => `[1,0]<stderr>: 2026-01-02 03:04:05.${line + 100} `,
    ]
  ) {
    assertEquals(found(before(logged(MODULE), prefix)), [["ttnn", "test.a", 6]], prefix(0));
    for (
      const said of [
        "\u001B[32m2026-01-02 03:04:05.6\u001B[0m | warning  |   Metal | said",
        "                  Metal | WARNING  | said",
        "W0102 03:04:05.678901    12 x.cc:3] said",
      ]
    ) {
      const among = logged(MODULE.replace("    return", `${said}\n    return`));
      assertEquals(found(before(among, prefix)), [["ttnn", "test.a", 6]], prefix(0) + said);
    }
  }
  // Lines of a logger among those of the module, and colours.
  const mixed = MODULE.replace(
    "    return",
    "2026-01-02 03:04:05.1 (  1.0s) [ A] x.cc:1  1| said\n    return",
  );
  assertEquals(found(logged(mixed).replace("starting", "\u001B[32mstarting\u001B[0m")), [[
    "ttnn",
    "test.a",
    6,
  ]]);
});

Deno.test("what every line begins with, the old side of a patch and empty lines above are no part of a module", () => {
  const patch = `--- a/m\n+++ b/m\n@@ -1,8 +1,8 @@\n${
    before(MODULE, () => " ").replace("\n     return", "\n-    old\n+    return")
  }`;
  const [piece, ...others] = modulesAmong(patch);
  assertEquals(others, []);
  assertEquals(
    parseModule(piece?.text ?? "", "m").operations.map(({ name }) => name).includes("test.a"),
    true,
  );
  for (
    const prefix of [
      (line: number) => `irs/a-0.mlir:${line + 8}:`,
      () => "[pod/tt-1.x/worker] ",
      (line: number) => `L${line * 7}: `,
    ]
  ) {
    assertEquals(found(before(MODULE.trimEnd(), prefix)), [["m", "test.a", 4]], prefix(0));
    const among = MODULE.trimEnd().replace("    return", "2026-01-02 03:04:05 said\n    return");
    assertEquals(found(before(among, prefix)), [["m", "test.a", 4]], prefix(0));
  }
  const lines = MODULE.split("\n").map((line) => JSON.stringify({ log: `${line}\n`, stream: "stdout" }));
  assertEquals(modulePieces(lines.join("\n")).length, 1);
  assertEquals(found(`2026-01-02 03:04:05 said\n${MODULE}`).length, 1);
});

Deno.test("a module whose lines a terminal cut at its width is whole again, on its own lines", () => {
  const long = "x".repeat(400);
  const module = MODULE.replace("    return", `    %9 = "test.b"() {a = "${long}"} : () -> i1\n    return`);
  const plain = parseModule(module, "m").operations.map(({ name }) => name);
  for (let width = 61; width < 140; width++) {
    const cut = module.split("\n").flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "g")) ?? [""]);
    const [piece] = modulesAmong(cut.join("\n"));
    assert(piece !== undefined, `${width}`);
    assertEquals(parseModule(piece.text, "m").operations.map(({ name }) => name), plain, `${width}`);
    assertEquals(piece.fileText.split("\n").length, cut.length, `${width}`);
  }
});

Deno.test("modules are found where every line has a level, where a page or a string escapes them, and before a log", () => {
  const logged = (level: string) =>
    before(`MLIR Module ttnn:\n${MODULE}END OF MLIR MODULE\n`, () => `2026-01-02 03:04:05.6 ${level} `);
  for (const level of ["| DEBUG |", "[info]"]) assertEquals(found(logged(level)), [["ttnn", "test.a", 5]]);
  const page = MODULE.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  assertEquals(found(`<pre class="x"><code>a &lt;b&gt;\n${page}</code></pre>\n`), [["m", "test.a", 5]]);
  assertEquals(found(`text = ${JSON.stringify(MODULE)}\n`), [["m", "test.a", 5]]);
  // A cell of a table.
  const op = '%0 = "ttir.x"() : () -> i1';
  const cell = `"module {\n${op.replaceAll('"', '""')}\n}"\n`;
  assertEquals(modulesAmong(cell).map(({ text }) => text.includes(op)), [true]);
  // What a program printed behind a module is passed over, a slip in the module is not.
  for (
    const line of [
      "2026-01-02 03:04:05 done",
      "TT_FATAL: bad",
      'loc("a"): error: bad',
      "RuntimeError: bad",
      "golden_inputs: [tensor([[ -795.4061,",
      "This fails with the error below",
    ]
  ) {
    assertEquals(found(`${MODULE}${line}\n`), [["m", "test.a", 4]], line);
  }
});

Deno.test("MLIR stays as it is, and other texts hold no module", () => {
  for (
    const text of [
      MODULE,
      `// a comment\n${MODULE}`,
      `\n${MODULE}junk`,
      "the module fails\n",
      "",
      "func.func @f() {}",
    ]
  ) {
    assertEquals(modulesAmong(text), []);
  }
});

Deno.test("plainLog() keeps lines and their indentation", () => {
  assertEquals(plainLog("2026-01-02 03:04:05,678 - ERROR -   a\r\n  b\n"), "  a\n  b\n");
  assertEquals(plainLog(`\u001B[1;31mE   \u001B[0ma\nE     b\n`), "a\n  b\n");
  assertEquals(withoutLoggedLines("a\n2026-01-02 03:04:05 b\nc")[0], "a\n\nc");
});
