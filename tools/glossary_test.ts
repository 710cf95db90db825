// SPDX-License-Identifier: Apache-2.0

/** Holds the tables of `docs/glossary.md` against the project: every file is there and declares the name. */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "./steps.ts";

const text = await Deno.readTextFile(join(ROOT, "docs/glossary.md"));
const rows = [...text.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\| `([^|`]+)` +\| `([^|`]+)` +\|$/gm)]
  .map(([, word = "", meaning = "", name = "", file = ""]) => ({ word, meaning, name, file }));

Deno.test("every row of docs/glossary.md has a word of its own, a meaning, a name and a file", () => {
  const rules = text.split("\n").filter((line) => /^\| -+ \|/.test(line)).length;
  const lines = text.split("\n").filter((line) => line.startsWith("|")).length;
  assertEquals(rows.length, lines - 2 * rules);
  assertEquals(new Set(rows.map(({ word }) => word)).size, rows.length);
  assertEquals(new Set(rows.map(({ name, file }) => `${file} ${name}`)).size, rows.length);
});

Deno.test("every name of docs/glossary.md is declared in its file, for others to use", async () => {
  for (const { word, name, file } of rows) {
    const declared = new RegExp(
      `^(export (abstract )?(class|const|function|interface|type) |  readonly |  )${name}\\b`,
      "m",
    );
    assert(declared.test(await Deno.readTextFile(join(ROOT, file))), `${word}: ${file} declares no ${name}`);
  }
});

/** Words that are not part of a name, what to say instead, and where that holds if not everywhere. */
const REPLACED: readonly (readonly [words: string, instead: string, where?: RegExp])[] = [
  ["way ways", "impl, for an implementation of an op"],
  ["feed feeds fed", "operandLayouts or operandCost"],
  ["born birth births", "produced, producedLayouts"],
  ["supply supplies", "copyTree", /^lib\/optimal\//],
  ["sending sent send", "dispatch", /^lib\/(cost|improve|optimal|policy|search)\//],
  ["stop stops", "intermediate, for an intermediate layout", /^lib\/(improve|optimal|search|spill)\//],
  ["turned", "permuted"],
  ["turn turns", "permute", /^lib\/(opmodel|passes|programs)\//],
  ["rival rivals", "incumbent"],
  ["judge judged judges", "detailedCost, or what is checked"],
  ["thorough", "small, for the size class"],
  ["doubtful", "unverified"],
  ["alike", "equal or equivalent"],
  ["known", "cached", /^lib\/(chains|improve|optimal|policy|propagation|search|spill)\//],
  ["misfed", "opsOutsideInputFilter"],
  ["contest", "search"],
  ["departs seeks", "the field that says when, or what is wanted"],
];

/** Names that contain such a word in its ordinary sense, or that published JSON and device files have. */
const ORDINARY: ReadonlySet<string> = new Set([
  "feedForward",
  "FEED_FORWARD",
  "feedForwardOps",
  "feeds",
  "familiesAlike",
  "legacyThreeWayRefusal",
  "programSend",
  "threeWayMerge",
  "threeWayRefusal",
  "ways",
]);

/** Path and text of every source file of the project; shims follow other projects' names. */
async function sources(): Promise<readonly { readonly path: string; readonly code: string }[]> {
  const found: { path: string; code: string }[] = [];
  const folders = ["api", "bench", "cli", "lib", "pipeline", "sim", "testdata", "testing", "tools"];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
      const path = `${folder}/${name}`;
      if (isDirectory) folders.push(path);
      else if (name.endsWith(".ts")) found.push({ path, code: await Deno.readTextFile(join(ROOT, path)) });
    }
  }
  return found.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** The identifiers of a source file, without those of comments and texts. */
function identifiers(code: string): ReadonlySet<string> {
  const bare = code.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g,
    " ",
  );
  return new Set(bare.match(/[A-Za-z_$][\w$]*/g));
}

Deno.test("no name has a word in which the field says something else", async () => {
  const wrong: string[] = [];
  for (const { path, code } of await sources()) {
    const replaced = new Map(
      REPLACED.filter(([, , where]) => where === undefined || where.test(path))
        .flatMap(([words, instead]) => words.split(" ").map((word) => [word, instead] as const)),
    );
    for (const name of identifiers(code)) {
      if (ORDINARY.has(name)) continue;
      for (const word of name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []) {
        const instead = replaced.get(word.toLowerCase());
        if (instead !== undefined) wrong.push(`${path}: ${name} (say ${instead})`);
      }
    }
  }
  assertEquals(wrong, []);
});

Deno.test("no two files declare a type of the same name", async () => {
  const declared = new Map<string, string>();
  const twice: string[] = [];
  for (const { path, code } of await sources()) {
    if (path.endsWith("_test.ts")) continue;
    const types = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;
    for (const [, name = ""] of code.matchAll(types)) {
      const other = declared.get(name);
      if (other !== undefined && other !== path) twice.push(`${name}: ${other}, ${path}`);
      declared.set(name, path);
    }
  }
  assertEquals(twice, []);
});
