// SPDX-License-Identifier: Apache-2.0

// Holds for the linked packages and for the originals alike: `deno task jsr` runs it against those.

import { assertEquals, AssertionError, assertThrows } from "@std/assert";
import { parseArgs } from "@std/cli/parse-args";
import { unicodeWidth } from "@std/cli/unicode-width";
import * as posix from "@std/path/posix";
import { assertSpyCall, assertSpyCalls, spy, stub } from "@std/testing/mock";

Deno.test("parseArgs() keeps strings, collects lists and knows defaults", () => {
  const args = parseArgs(["in.mlir", "--json", "--op=1", "--op", "2", "-o", "-", "--", "--x"], {
    "--": true,
    boolean: ["json", "quiet"],
    string: ["output", "op", "policy"],
    collect: ["op"],
    alias: { output: "o" },
    default: { policy: "greedy" },
  });
  assertEquals(
    [args._, args.json, args.quiet, args.op, args.output, args.policy, args["--"]],
    [["in.mlir"], true, false, ["1", "2"], "-", "greedy", ["--x"]],
  );
});

Deno.test("unicodeWidth() counts terminal columns", () => {
  const texts = ["", "µs", "日本", "e\u0301", "─┼│", "▁▂█", "한", "ｆ", "🎉", "\n", "\u200b"];
  assertEquals(texts.map(unicodeWidth), [0, 2, 4, 1, 3, 3, 2, 2, 2, 0, 0]);
});

Deno.test("posix.join() joins with slashes", () => {
  assertEquals(posix.join("a", "..", "b"), "b");
});

Deno.test("spy() records calls, results and errors", () => {
  const double = spy((x: number) => x * 2);
  assertEquals(double(4), 8);
  assertSpyCalls(double, 1);
  assertSpyCall(double, 0, { args: [4], returned: 8 });
  assertThrows(() => assertSpyCalls(double, 2), AssertionError);
  assertThrows(() => assertSpyCall(double, 0, { args: [5] }), AssertionError);
});

Deno.test("stub() stands in until it is disposed of", () => {
  const target = { greet: (name: string) => `hello ${name}` };
  {
    using greet = stub(target, "greet", () => "stubbed");
    assertEquals(target.greet("a"), "stubbed");
    assertEquals(greet.calls[0]?.args, ["a"]);
  }
  assertEquals(target.greet("a"), "hello a");
});
