// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import {
  DEFAULT_PASS_OPTIONS,
  isEnabled,
  PASS_SELECTIONS,
  type PassSwitch,
  type UpstreamLevel,
} from "./pass_options.ts";
import { GRAPH_PASSES } from "./pass_table.ts";
import type { RewritePattern } from "./rewrite_pattern.ts";

const PATTERNS: readonly RewritePattern[] = [
  ...new Set(GRAPH_PASSES.flatMap((pass) => "patterns" in pass ? pass.patterns : [])),
];

/** How docs/graph-passes.md calls the levels, in the order in which it lists them. */
const LEVELS: ReadonlyMap<UpstreamLevel, string> = new Map([
  ["level-0", "level 0"],
  ["level-1", "level 1"],
  ["none", "beyond"],
  ["only-upstream", "upstream only"],
  ["only-level-0", "level 0 only"],
  ["only-level-1", "level 1 only"],
]);

/** How it calls the options that switch patterns off. */
const OPTIONS: Partial<Readonly<Record<PassSwitch, string>>> = {
  "enable-fusing-pass": "fusing",
  "enable-erase-inverse-ops-pass": "inverse",
  "enable-const-eval": "const-eval",
  "enable-fusing-conv2d-with-multiply-pattern": "multiply",
  "enable-permute-matmul-fusion": "permute",
  "enable-eltwise-activation-fusion": "activation",
};

/** Level and options of a pattern in the page's words. */
function words(name: string): string {
  const forms = PATTERNS.filter((pattern) => pattern.name === name);
  const levels = [...LEVELS].flatMap(([level, word]) =>
    forms.some(({ upstream }) => upstream === level) ? [word] : []
  );
  const passes = GRAPH_PASSES.filter((pass) =>
    "patterns" in pass && forms.some((p) => pass.patterns.includes(p))
  );
  const ofPasses = passes.map(({ option }) => option);
  const both = ofPasses.includes(undefined)
    ? []
    : [[...new Set(ofPasses)].map(optionWord).sort().join(" and ")];
  const own = forms.flatMap(({ option }) => option ?? []).map(optionWord);
  const off = [...new Set([...both.flat(), ...own])].join(" or ") || "–";
  return `${levels.join(", ")} | ${off}`;
}

function optionWord(option: PassSwitch | undefined): string {
  return option === undefined ? "" : OPTIONS[option] ?? option;
}

Deno.test("docs/graph-passes.md lists every pattern, with its level and its option", () => {
  const page = Deno.readTextFileSync(join(PROJECT_ROOT, "docs/graph-passes.md"));
  const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` +\|[^|]+\| +([^|]+?) +\| ([^|]+?) +\|$/gm)];
  const listed = rows.map(([, name = "", level, off]) => `${name} | ${level} | ${off}`).sort();
  const names = [...new Set(PATTERNS.map(({ name }) => name))];
  assertEquals(listed, names.map((name) => `${name} | ${words(name)}`).sort());
});

Deno.test("docs/graph-passes.md lists the first formulas in the order in which they run", () => {
  const page = Deno.readTextFileSync(join(PROJECT_ROOT, "docs/graph-passes.md"));
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` +\|/gm)].map(([, name = ""]) => name);
  // Behind the pass that takes an optimizer's decisions back.
  const [, ...passes] = GRAPH_PASSES;
  const others = passes.findIndex((pass) => !("patterns" in pass));
  const first = passes.slice(0, others).map(({ name }) => name);
  assertEquals(first.length, 23, "the page calls them the first twenty-three");
  const from = listed.indexOf(first[0] ?? "");
  assertEquals(listed.slice(from, from + first.length), first);
});

Deno.test("docs/graph-passes.md says of every pattern beyond upstream what it earns", () => {
  const page = Deno.readTextFileSync(join(PROJECT_ROOT, "docs/graph-passes.md"));
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` +\| +\d+ \|/gm)].map(([, name = ""]) => name);
  const beyond = PATTERNS.filter(({ upstream }) => upstream === "none").map(({ name }) => name);
  assertEquals(listed.sort(), ["choose-row-forms", "cse", ...beyond].sort());
});

Deno.test("patterns that run together have names of their own", () => {
  for (const selection of PASS_SELECTIONS) {
    const options = { ...DEFAULT_PASS_OPTIONS, selection };
    const names = PATTERNS.filter((pattern) => isEnabled(options, pattern)).map(({ name }) => name);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    assertEquals(twice, []);
  }
});
