// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { DEFAULT_PASS_OPTIONS, isEnabled, PASS_SELECTIONS, type UpstreamLevel } from "./pass_options.ts";
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

Deno.test("patterns that run together have names of their own", () => {
  for (const selection of PASS_SELECTIONS) {
    const options = { ...DEFAULT_PASS_OPTIONS, selection };
    const names = PATTERNS.filter((pattern) => isEnabled(options, pattern)).map(({ name }) => name);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    assertEquals(twice, []);
  }
});
