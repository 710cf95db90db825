// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { parseModule } from "../ir/mod.ts";
import { verifyModule } from "../verify/verify_module.ts";
import { DEFAULT_PASS_OPTIONS, PASS_SELECTIONS, type PassOptions } from "./pass_options.ts";
import { patternPass, replacing, type RewritePattern } from "./rewrite_pattern.ts";
import { runPasses } from "./run_passes.ts";
import { ttnnModule } from "./testing/passed_body.ts";

/** Puts one op in the place of another with the same operands. */
function renames(
  name: string,
  from: string,
  to: string,
  upstream: RewritePattern["upstream"] = "level-0",
): RewritePattern {
  return replacing({
    name,
    upstream,
    roots: [from],
    replace: (op, site, { type }) => site.op(to, op.operands, type),
  });
}

const TEXT = ttnnModule("(%x: T<32x32>) -> T<32x32>", [
  '%0 = "ttnn.abs"(%x) : (T<32x32>) -> T<32x32>',
  '%1 = "ttnn.tanh"(%0) : (T<32x32>) -> T<32x32>',
  "return %1 : T<32x32>",
]);

function run(...patterns: readonly RewritePattern[]): ReturnType<typeof runPasses> {
  return runWith(DEFAULT_PASS_OPTIONS, patterns);
}

function runWith(
  options: PassOptions,
  patterns: readonly RewritePattern[],
): ReturnType<typeof runPasses> {
  const passes = [patternPass("test", undefined, patterns)];
  return runPasses(parseModule(TEXT, "test.mlir"), TEST_WORMHOLE, options, { passes });
}

Deno.test("patterns that undo each other stop at a sound graph and are named, others are not", () => {
  const { text, unfinished } = run(
    renames("there", "ttnn.abs", "ttnn.neg"),
    renames("back", "ttnn.neg", "ttnn.abs"),
    renames("once", "ttnn.tanh", "ttnn.sigmoid"),
  );
  assertEquals(unfinished.map(({ pass, function: name }) => [pass, name]), [["test", "main"]]);
  assertEquals(unfinished[0]?.patterns.every((name) => name === "there" || name === "back"), true);
  assertEquals(text.includes("ttnn.sigmoid") && !text.includes("ttnn.tanh"), true);
  assertEquals(
    verifyModule(parseModule(text, "after.mlir")).filter(({ severity }) => severity === "error"),
    [],
  );
});

Deno.test("patterns that come to an end leave nothing unfinished", () => {
  const { changes, unfinished } = run(renames("there", "ttnn.abs", "ttnn.neg"));
  assertEquals(changes.map(({ pass }) => pass), ["there"]);
  assertEquals(unfinished, []);
});

Deno.test("a selection runs upstream's patterns of its level, and all runs everything", () => {
  const patterns = [
    renames("always", "ttnn.abs", "ttnn.neg", "level-0"),
    renames("optimizer", "ttnn.tanh", "ttnn.sigmoid", "level-1"),
    renames("here", "ttnn.neg", "ttnn.relu", "none"),
  ];
  const ran = Object.fromEntries(PASS_SELECTIONS.map((selection) => [
    selection,
    runWith({ ...DEFAULT_PASS_OPTIONS, selection }, patterns).changes.map(({ pass }) => pass),
  ]));
  assertEquals(ran, {
    "all": ["always", "optimizer", "here"],
    "upstream": ["always", "optimizer"],
    "upstream-level-0": ["always"],
  });
});
