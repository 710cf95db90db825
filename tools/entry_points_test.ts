// SPDX-License-Identifier: Apache-2.0

/**
 * What the library exports and where: `exports` of `deno.json`, `mod.ts` and `api/`.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import config from "../deno.json" with { type: "json" };
import { deno, ROOT } from "./steps.ts";

/** Names that an entry point exports. */
async function exportedNames(path: string): Promise<readonly string[]> {
  const { stdout } = await deno(["doc", "--json", path]);
  const { nodes }: { nodes: Record<string, { symbols: { name: string }[] }> } = JSON.parse(stdout);
  return Object.values(nodes).flatMap(({ symbols }) => symbols.map(({ name }) => name));
}

const PARTS = Object.entries(config.exports).filter(([name]) => name !== "." && name !== "./cli");

Deno.test("the entry point that most callers import stays small", async () => {
  const names = await exportedNames("mod.ts");
  assertEquals(names.length <= 45 ? [] : names, []);
});

Deno.test("every name has one home among the entry points of the parts", async () => {
  const homes = new Map<string, string[]>();
  for (const [part, path] of PARTS) {
    for (const name of new Set(await exportedNames(path))) {
      homes.set(name, [...homes.get(name) ?? [], part]);
    }
  }
  assertEquals([...homes].filter(([, parts]) => parts.length > 1), []);
  // What the small entry point exports is documented with its part.
  const missing = (await exportedNames("mod.ts")).filter((name) => name !== "VERSION" && !homes.has(name));
  assertEquals(missing, []);
});

Deno.test("each file of api/ is an entry point, and README and mod.ts name them all", async () => {
  const files = [...Deno.readDirSync(join(ROOT, "api"))].map(({ name }) => `./api/${name}`).toSorted();
  assertEquals(PARTS.map(([, path]) => path).toSorted(), files);
  const readme = await Deno.readTextFile(join(ROOT, "README.md"));
  const root = await Deno.readTextFile(join(ROOT, "mod.ts"));
  assertEquals(PARTS.filter(([name]) => !readme.includes(`\`${name.slice(2)}\``)), []);
  assertEquals(PARTS.filter(([name]) => !root.includes(`\`${name}\``)), []);
});
