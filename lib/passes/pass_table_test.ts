// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import type { UpstreamLevel } from "./pass_options.ts";
import { GRAPH_PASSES } from "./pass_table.ts";
import type { RewritePattern } from "./rewrite_pattern.ts";

const PATTERNS: readonly RewritePattern[] = [
  ...new Set(GRAPH_PASSES.flatMap((pass) => "patterns" in pass ? pass.patterns : [])),
];

/** Names of the patterns that upstream has in one of these ways, each once. */
function named(...levels: readonly UpstreamLevel[]): readonly string[] {
  return [...new Set(PATTERNS.filter(({ upstream }) => levels.includes(upstream)).map(({ name }) => name))]
    .sort();
}

/** Names in backticks of the paragraph that begins so. */
function listed(begin: string): readonly string[] {
  const page = Deno.readTextFileSync(join(PROJECT_ROOT, "docs/graph-passes.md"));
  const paragraph = page.split("\n\n").find((text) => text.startsWith(begin)) ?? "";
  return [...paragraph.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name]) => name ?? "").sort();
}

Deno.test("docs/graph-passes.md lists what goes beyond upstream, and what is upstream's alone", () => {
  assertEquals(listed("Beyond upstream go"), named("none"));
  assertEquals(
    listed("With `--graph-passes upstream"),
    named("only-upstream", "only-level-0", "only-level-1"),
  );
});

/** Patterns of which upstream has a second half that nobody else wants. */
const HALVES: ReadonlySet<string> = new Set(["fold-typecasts", "fuse-split-heads"]);

Deno.test("a pattern runs once at most in every selection", () => {
  const levels: readonly (readonly UpstreamLevel[])[] = [
    ["level-0", "level-1", "none"],
    ["level-0", "level-1", "only-upstream", "only-level-1"],
    ["level-0", "only-upstream", "only-level-0"],
  ];
  for (const selected of levels) {
    const names = PATTERNS.filter(({ upstream }) => selected.includes(upstream)).map(({ name }) => name);
    const twice = names.filter((name, index) => names.indexOf(name) !== index && !HALVES.has(name));
    assertEquals(twice, []);
  }
});
