// SPDX-License-Identifier: Apache-2.0

// Holds for the linked packages and for the originals alike: `deno task jsr` runs it against those.

import { assertEquals, AssertionError, assertThrows } from "@std/assert";
import { parseArgs } from "@std/cli/parse-args";
import { unicodeWidth } from "@std/cli/unicode-width";
import { parse } from "@std/csv/parse";
import { stringify } from "@std/csv/stringify";
import { red, stripAnsiCode } from "@std/fmt/colors";
import { parse as parseJsonc } from "@std/jsonc/parse";
import * as posix from "@std/path/posix";
import { assertSpyCalls, spy } from "@std/testing/mock";
import { closestString } from "@std/text/closest-string";
import { levenshteinDistance } from "@std/text/levenshtein-distance";
import { colourTest } from "../testing/colours.ts";

Deno.test("parseArgs() keeps strings, collects lists and knows defaults", () => {
  const args = parseArgs(["in.mlir", "--json", "--op=1", "--op", "2", "-o", "-", "--", "--x"], {
    boolean: ["json", "quiet"],
    string: ["output", "op", "policy"],
    collect: ["op"],
    alias: { output: "o" },
    default: { policy: "greedy" },
  });
  assertEquals(
    [args._, args.json, args.quiet, args.op, args.output, args.policy],
    [["in.mlir", "--x"], true, false, ["1", "2"], "-", "greedy"],
  );
});

Deno.test("unicodeWidth() counts terminal columns", () => {
  const texts = ["", "µs", "日本", "e\u0301", "─┼│", "▁▂█", "한", "ｆ", "🎉", "\n", "\u200b"];
  assertEquals(texts.map(unicodeWidth), [0, 2, 4, 1, 3, 3, 2, 2, 2, 0, 0]);
});

Deno.test("parse() reads cells with commas, quotes and line ends, and passes over empty lines", () => {
  const text = '\ufeffa,b\r\n\r\n"x, ""y""\nz",1\n,\n';
  assertEquals(parse(text, { lazyQuotes: true }), [["a", "b"], ['x, "y"\nz', "1"], ["", ""]]);
  assertEquals(parse('5" x,"a"b"\n', { lazyQuotes: true }), [['5" x', 'a"b']]);
  assertThrows(() => parse('5" x\n'), SyntaxError);
});

Deno.test("stringify() writes the named columns, quotes where it must and ends lines with CRLF", () => {
  const rows = [{ a: 'x, "y"', b: 1, c: "left out" }, { a: "z" }];
  assertEquals(stringify(rows, { columns: ["a", "b"] }), 'a,b\r\n"x, ""y""",1\r\nz,\r\n');
});

Deno.test("parse() of JSON with comments tells the offset of an unexpected token in its message", () => {
  assertEquals(parseJsonc('{ /* a */ "b": [1, 2, ], // c\n }'), { b: [1, 2] });
  assertThrows(
    () => parseJsonc('{ "a": b }'),
    SyntaxError,
    'Cannot parse JSONC: unexpected token "b" in JSONC at position 7',
  );
  assertThrows(() => parseJsonc('{ "a": '), SyntaxError, "unexpected end");
});

colourTest("colours close with the code of their kind", () => {
  assertEquals(red("a"), "\x1b[31ma\x1b[39m");
  assertEquals(stripAnsiCode(red("a")), "a");
});

Deno.test("closestString() is nearest by insertions, deletions and replacements, the first of those alike", () => {
  assertEquals(closestString("beam-widht", ["policy", "beam-width"]), "beam-width");
  assertEquals(closestString("X", ["y", "x"]), "x");
  assertEquals(closestString("X", ["y", "x"], { caseSensitive: true }), "y");
  assertEquals(levenshteinDistance("optimise", "optimize"), 1);
  assertThrows(() => closestString("x", []), TypeError);
});

Deno.test("posix.join() joins with slashes", () => {
  assertEquals(posix.join("a", "..", "b"), "b");
});

Deno.test("spy() records calls and results", () => {
  const double = spy((x: number) => x * 2);
  assertEquals(double(4), 8);
  assertSpyCalls(double, 1);
  assertEquals([double.calls[0]?.args, double.calls[0]?.returned], [[4], 8]);
  assertThrows(() => assertSpyCalls(double, 2), AssertionError);
});
