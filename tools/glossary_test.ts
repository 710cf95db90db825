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
