// SPDX-License-Identifier: Apache-2.0

/**
 * Holds the table "Who may import whom" of `docs/architecture.md` against the imports of the source. The table is the
 * rule: each row names a folder and what it may import, `types of` where nothing may be left of it at run time.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { dirname, join, normalize } from "@std/path/posix";
import { ROOT } from "./steps.ts";

/** What a folder may import from outside of itself, by folder; a prefix such as `lib` covers the folders in it. */
interface ImportRule {
  readonly values: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly everything: boolean;
}

/** One import of a file by path. */
interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

/** Folders whose files may use the `Deno` namespace. */
const WITH_IO: ReadonlySet<string> = new Set(["bench", "cli", "testdata", "testing", "tools"]);

/** What is no function of its arguments. */
const IMPURE =
  /\b(?:Deno\.|Date\.now|new Date\(|performance\.now|Math\.random|crypto\.|globalThis\.|process\.)/;

/** Reads the rows between the heading and the next one. Throws when two rows name one folder. */
function readRules(markdown: string): ReadonlyMap<string, ImportRule> {
  const section = markdown.split(/^## /m).find((part) => part.startsWith("Who may import whom")) ?? "";
  const rules = new Map<string, ImportRule>();
  for (const [, folder = "", cell = ""] of section.matchAll(/^\| `([^`]+)`\s*\| ([^|]+)\|/gm)) {
    if (rules.has(folder)) throw new Error(`docs/architecture.md has two rows for ${folder}`);
    const [values = "", types = ""] = cell.split("types of");
    rules.set(folder, {
      values: new Set(namesIn(values)),
      types: new Set(namesIn(types)),
      everything: values.trim() === "everything",
    });
  }
  return rules;
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

/** Relative imports and re-exports of a source text; those in comments and strings do not start a line. */
function importsOf(path: string, text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?([^;"]*?)\bfrom\s+"(\.[^"]+)"/gm);
  const bare = text.matchAll(/^import\s+"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm);
  const resolve = (specifier: string) => normalize(join(dirname(path), specifier));
  return [
    ...[...statements].map(([, type, names = "", specifier = ""]): Import => ({
      target: resolve(specifier),
      typeOnly: type !== undefined || onlyTypes(names),
    })),
    ...[...bare].map(([, effect, dynamic]): Import => ({
      target: resolve(effect ?? dynamic ?? ""),
      typeOnly: false,
    })),
  ];
}

function onlyTypes(names: string): boolean {
  const list = /^\{([^}]*)\}\s*$/.exec(names)?.[1];
  return list !== undefined &&
    list.split(",").map((name) => name.trim()).filter((name) => name !== "")
      .every((name) => name.startsWith("type "));
}

/**
 * A folder with a row of its own, as those of `lib/layout`; else `lib/ir` and `sim/network` for what is below `lib` and
 * `sim`, the first part of the path for everything else.
 */
function folderOf(path: string): string {
  const parts = path.split("/");
  const inner = parts.slice(0, 3).join("/");
  if (RULES.has(inner)) return inner;
  return parts[0] === "lib" || (parts[0] === "sim" && parts.length > 2)
    ? parts.slice(0, 2).join("/")
    : parts[0] ?? "";
}

function allows(rule: ImportRule, target: string, typeOnly: boolean): boolean {
  const parts = target.split("/");
  const covered = (names: ReadonlySet<string>) =>
    parts.some((_, depth) => names.has(parts.slice(0, depth + 1).join("/")));
  return rule.everything || covered(rule.values) || (typeOnly && covered(rule.types));
}

/** Folders that reach themselves through others, each circle once, as `a → b → a` from its first name on. */
function circlesIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const circles = new Set<string>();
  const walk = (path: readonly string[]): void => {
    const [start = ""] = path;
    for (const next of arrows.get(path.at(-1) ?? "") ?? []) {
      if (next === start) circles.add([...path, start].join(" → "));
      // A circle is found from its alphabetically first folder only.
      else if (next > start && !path.includes(next)) walk([...path, next]);
    }
  };
  for (const folder of arrows.keys()) walk([folder]);
  return [...circles];
}

/** Names on a circle, and those that lead to one: what is left when names without arrows are taken away. */
function onCircles(arrows: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const left = new Map(arrows);
  for (;;) {
    const free = [...left].filter(([, targets]) => ![...targets].some((target) => left.has(target)));
    if (free.length === 0) return [...left.keys()];
    for (const [name] of free) left.delete(name);
  }
}

/** Tests and their helpers may look everywhere. */
function isForTests(path: string): boolean {
  return /_test\.ts$|\/testing(?:\.ts$|\/)/.test(path);
}

/** A source text without its comments; good enough for a house style without `//` in regular expressions. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

async function* sourceFiles(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(ROOT, folder))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* sourceFiles(path);
    else if (path.endsWith(".ts")) yield path;
  }
}

const ARCHITECTURE = await Deno.readTextFile(join(ROOT, "docs/architecture.md"));
const RULES = readRules(ARCHITECTURE);

async function sources(): Promise<ReadonlyMap<string, string>> {
  const roots = [...new Set([...RULES.keys()].map((folder) => folder.split("/")[0] ?? ""))];
  const found = new Map<string, string>();
  for (const root of roots) {
    for await (const path of sourceFiles(root)) {
      if (!isForTests(path)) found.set(path, await Deno.readTextFile(join(ROOT, path)));
    }
  }
  return found;
}

Deno.test("docs/architecture.md has a rule for every folder of lib, and for no folder that does not exist", async () => {
  const folders = new Set([...(await sources()).keys()].map(folderOf));
  assertEquals([...RULES.keys()].toSorted(), [...folders].toSorted());
});

Deno.test("imports between folders are those that docs/architecture.md allows", async () => {
  const violations: string[] = [];
  for (const [path, text] of await sources()) {
    const from = folderOf(path);
    const rule = RULES.get(from);
    for (const { target, typeOnly } of importsOf(path, text)) {
      const to = folderOf(target);
      if (to === from || rule === undefined || allows(rule, to, typeOnly)) continue;
      violations.push(`${path} imports ${typeOnly ? "types of " : ""}${target}`);
    }
  }
  assertEquals(violations, []);
});

Deno.test("no circle among folders, types included", async () => {
  const arrows = new Map<string, Set<string>>();
  for (const [path, text] of await sources()) {
    const from = folderOf(path);
    const targets = arrows.get(from) ?? new Set();
    for (const { target } of importsOf(path, text)) {
      if (folderOf(target) !== from) targets.add(folderOf(target));
    }
    arrows.set(from, targets);
  }
  assertEquals(circlesIn(arrows), []);
});

Deno.test("folders of lib/optimal import only those above them in docs/exact-search.md", async () => {
  const table = (await Deno.readTextFile(join(ROOT, "docs/exact-search.md"))).split("## Folders")[1] ?? "";
  const listed = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| `([a-z0-9]+)`/gm)].map(([, name = ""]) =>
    name
  );
  const OPTIMAL = "lib/optimal/";
  const folderIn = (path: string): string | undefined =>
    path.startsWith(OPTIMAL) ? /^([^/]+)\//.exec(path.slice(OPTIMAL.length))?.[1] : undefined;
  const found = new Set<string>();
  const violations: string[] = [];
  for (const [path, text] of await sources()) {
    const folder = folderIn(path);
    if (folder === undefined) continue;
    found.add(folder);
    for (const { target } of importsOf(path, text)) {
      const isAbove = !target.startsWith(OPTIMAL) || target === `${OPTIMAL}limits.ts` ||
        (folderIn(target) !== undefined && listed.indexOf(folderIn(target) ?? "") <= listed.indexOf(folder));
      if (!isAbove) violations.push(`${path} imports ${target}`);
    }
  }
  assertEquals([...found].toSorted(), listed.toSorted());
  assertEquals(violations, []);
});

Deno.test("no circle among files at run time", async () => {
  const arrows = new Map(
    [...await sources()].map(([path, text]) => [
      path,
      new Set(importsOf(path, text).flatMap(({ target, typeOnly }) => typeOnly ? [] : [target])),
    ]),
  );
  assertEquals(onCircles(arrows), []);
});

Deno.test("lib, sim and pipeline touch no file, clock, environment or source of randomness", async () => {
  const violations = [...await sources()]
    .filter(([path, text]) => !WITH_IO.has(folderOf(path)) && IMPURE.test(withoutComments(text)))
    .map(([path]) => path);
  assertEquals(violations, []);
});

Deno.test("docs/architecture.md names files and folders that exist", async () => {
  const missing: string[] = [];
  for (
    const [, path = ""] of ARCHITECTURE.matchAll(
      /`((?:bench|cli|lib|pipeline|sim|testdata|testing|tools)\/[^`\s]*)`/g,
    )
  ) {
    // `FAMILY.ts`, `NAME.json` and patterns stand for any file of their folder.
    const named = /^[A-Z]+\.|\*/.test(path.split("/").at(-1) ?? "") ? dirname(path) : path;
    try {
      await Deno.stat(join(ROOT, named));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      missing.push(path);
    }
  }
  assertEquals(missing, []);
});

Deno.test("importsOf() tells types from values and finds every form", () => {
  const text = [
    'import { a, type B } from "./a.ts";',
    'import type { C } from "../x/c.ts";',
    'import {\n  type D,\n  type E,\n} from "../x/d.ts";',
    'export * from "./e.ts";',
    'const f = await import("../y/f.ts");',
    ' * import { g } from "./g.ts";',
    'import "./h.ts";',
    'import { i } from "@std/assert";',
  ].join("\n");
  assertEquals(importsOf("lib/q/z.ts", text), [
    { target: "lib/q/a.ts", typeOnly: false },
    { target: "lib/x/c.ts", typeOnly: true },
    { target: "lib/x/d.ts", typeOnly: true },
    { target: "lib/q/e.ts", typeOnly: false },
    { target: "lib/y/f.ts", typeOnly: false },
    { target: "lib/q/h.ts", typeOnly: false },
  ]);
});

Deno.test("a rule for types allows no values", () => {
  const rule = readRules("## Who may import whom\n\n| `lib/a` | `lib/b`, types of `lib/c` | why |\n").get(
    "lib/a",
  );
  assert(rule !== undefined);
  assert(allows(rule, "lib/b", false) && allows(rule, "lib/c", true));
  assert(!allows(rule, "lib/c", false) && !allows(rule, "sim", true));
});

Deno.test("two rows for one folder are refused", () => {
  const row = "| `lib/a` | nothing | why |\n";
  assertThrows(() => readRules(`## Who may import whom\n\n${row}${row}`), Error, "two rows for lib/a");
});

Deno.test("circlesIn() finds each circle once and nothing else", () => {
  const arrows = new Map([["a", new Set(["b", "c"])], ["b", new Set(["c"])], ["c", new Set(["a"])]]);
  assertEquals(circlesIn(arrows), ["a → b → c → a", "a → c → a"]);
  assertEquals(circlesIn(new Map([["a", new Set(["b", "c"])], ["b", new Set(["c"])]])), []);
});

Deno.test("onCircles() leaves what leads to a circle, and nothing of what ends", () => {
  const arrows = new Map([["a", new Set(["b"])], ["b", new Set(["c", "d"])], ["c", new Set(["b"])], [
    "d",
    new Set(["e"]),
  ]]);
  assertEquals(onCircles(arrows), ["a", "b", "c"]);
});

/** The three files of thresholds, as docs/exact-search.md and docs/architecture.md name them. */
const THRESHOLD_FILES = ["lib/optimal/limits.ts", "lib/policy/search_limits.ts", "lib/search/limits.ts"];

/**
 * Constants with numbers that are no thresholds: tolerances of sums, sizes of keys and of bit sets, ranks, units of work,
 * a limit of the compiler, and options, whose defaults are told by help.
 */
const NO_THRESHOLDS: Readonly<Record<string, readonly string[]>> = {
  "lib/optimal/elimination/equal_tables.ts": ["HASHED_ENTRIES"],
  "lib/optimal/elimination/factor.ts": ["ROUNDING"],
  "lib/policy/configure_plan.ts": ["LEAST_GAIN_US"],
  "lib/policy/options.ts": [
    "BEAM_WIDTH",
    "MAX_INPUT_CANDIDATES",
    "MAX_LEGAL_LAYOUTS",
    "MAX_RESHARD_CANDIDATES",
    "TIME_BUDGET",
  ],
  "lib/policy/plan_prices.ts": ["MISFIT"],
  "lib/policy/policies/greedy.ts": ["COMPILER_BEAM_WIDTH"],
  "lib/propagation/beam/beam.ts": ["GRAIN"],
  "lib/propagation/beam/history.ts": ["BLOCK", "CHUNK", "EMPTY_HISTORY"],
  "lib/propagation/input_candidates.ts": ["UNFED"],
  "lib/propagation/refine_assignment.ts": ["LEAST_GAIN"],
  "lib/search/program.ts": ["ITSELF"],
  "lib/search/reshards.ts": ["LAYOUT_LIMIT", "NO_MOVE"],
  "lib/search/run_keys.ts": ["CONFIGS", "LAYOUTS"],
  "lib/search/work_account.ts": ["WORK_MICROSECONDS"],
};

/** Other numbers that are none: bits of a word, rows of a tile, units, a version, sums that round. */
const NO_THRESHOLDS_INLINE: Readonly<Record<string, readonly string[]>> = {
  "lib/optimal/dispatch/dispatch_paths.ts": ["5", "31", "32"],
  "lib/optimal/layout_optimizer.ts": ["3"],
  "lib/optimal/lower_bound.ts": ["3"],
  "lib/policy/plan_within_budget.ts": ["1e6"],
  "lib/policy/search_plan.ts": ["100", "1e6", "1e3"],
  "lib/propagation/beam/history.ts": ["32"],
  "lib/propagation/input_candidates.ts": ["32"],
};

/** Constants of a source text whose value contains a number; other numbers but 0, 1, 2 and the ranks of policies. */
function numbersIn(
  source: string,
): { readonly constants: readonly string[]; readonly others: readonly string[] } {
  const code = withoutComments(source).replaceAll(/"[^"\n]*"|`[^`$]*`|\brank: \d+/g, '""');
  const constants: string[] = [];
  const rest = code.replaceAll(
    /^(?:export )?const ([A-Z][A-Z\d_]+)\b[^=]*= ([^;]*);$/gm,
    (text, name: string, value: string) => {
      if (!/(?<![\w.])\d/.test(value)) return text;
      constants.push(name);
      return "";
    },
  );
  const others = [...rest.matchAll(/(?<![\w.])(?:0\.\d+|[3-9]|[1-9]\d+|\d+e-?\d+)(?![\w.])/g)].map((
    [number],
  ) => number);
  return { constants: constants.toSorted(), others: [...new Set(others)] };
}

Deno.test("thresholds of the search stand in the three files that docs/exact-search.md names", async () => {
  const isOfSearch = (path: string) => /^lib\/(improve|optimal|policy|propagation|search|spill)\//.test(path);
  const found = [...await sources()].filter(([path]) => isOfSearch(path) && !THRESHOLD_FILES.includes(path))
    .map(([path, text]) => [path, numbersIn(text)] as const);
  const listed = (kind: "constants" | "others") =>
    Object.fromEntries(
      found.map(([path, numbers]) => [path, numbers[kind]]).filter(([, names]) => names?.length !== 0),
    );
  assertEquals(listed("constants"), NO_THRESHOLDS);
  assertEquals(listed("others"), NO_THRESHOLDS_INLINE);
});

Deno.test("every threshold of the search says where its number is from, or that this is not recorded", async () => {
  for (const path of THRESHOLD_FILES) {
    const text = (await sources()).get(path) ?? "";
    const documented = [...text.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\nexport const (\w+)/gs)];
    assertEquals(documented.length, text.match(/^export const /gm)?.length, path);
    const bare = documented.filter(([, words = ""]) =>
      !/(?<![A-Za-z\d])\d|\b[a-z]+:[a-z]|docs\/|\(no source recorded\)/.test(
        words.replaceAll(/\n \* ?/g, " "),
      )
    );
    assertEquals(bare.map(([, , name]) => name), [], path);
  }
});

Deno.test("numbersIn() finds numbers in literals of objects and lists, and between other code", () => {
  const text = [
    "const LIMITS = { most: 600, least: 1 } as const;",
    "export const RULES: readonly Rule[] = [\n  { few: 0 },\n];",
    'const NAMES = ["a4", "b"];',
    "// 9 of them",
    "const most = 8 * ops + 64;",
    "if (n2 > 1) return x[0] + 0.5;",
  ].join("\n");
  assertEquals(numbersIn(text), { constants: ["LIMITS", "RULES"], others: ["8", "64", "0.5"] });
});
