// SPDX-License-Identifier: Apache-2.0

/** Holds the table of `docs/seeds.md` against the project: its files are there, and so are its tests. */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "./steps.ts";

const text = await Deno.readTextFile(join(ROOT, "docs/seeds.md"));
const rows = [...text.matchAll(/^\| (\d+) \| (.+?) \| (.+?) \| `(.+?)` \| (.+?) \|$/gm)]
  .map(([, number, item = "", document = "", where = "", test = ""]) => ({
    number: Number(number),
    item,
    document,
    where,
    test,
  }));

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(join(ROOT, path));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("docs/seeds.md counts more than a hundred items, each once, each with its document", () => {
  assert(rows.length > 100);
  assertEquals(rows.map(({ number }) => number), rows.map((_, index) => index + 1));
  assertEquals(new Set(rows.map(({ item }) => item)).size, rows.length);
  for (const { item, document } of rows) assert(/^[OASTR]\b/.test(document), `${item}: ${document}`);
});

Deno.test("every place and every test of docs/seeds.md is there", async () => {
  for (const { item, where, test } of rows) {
    assert(await exists(where), `${item}: there is no ${where}`);
    const [, file, name] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
    assert(file !== undefined && name !== undefined, `${item}: "${test}" names no test`);
    assert(await exists(file), `${item}: there is no ${file}`);
    const tests = (await Deno.readTextFile(join(ROOT, file))).split("Deno.test(").slice(1)
      .map((part) => part.slice(0, part.indexOf("\n")));
    assert(tests.some((title) => title.includes(name)), `${item}: ${file} has no test "${name}"`);
  }
});
