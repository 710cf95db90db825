// SPDX-License-Identifier: Apache-2.0

/**
 * Holds `docs/sources.md` against what cites it: comments, messages, device files and pages name a source by its key,
 * `project:name`.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "./steps.ts";

/** The page that lists the sources, and this test, which must be able to spell what it refuses. */
const EXEMPT: ReadonlySet<string> = new Set(["docs/sources.md", "tools/sources_test.ts"]);

/** What is no text of the project. */
const FOREIGN: ReadonlySet<string> = new Set([".git", "coverage", "dist", "node_modules"]);

/** Notes that are not in the repository, by number: `spec` or `specs`, then two digits. */
const INTERNAL_NOTE = /\bspecs?(?:[ /]|\s*\*?\s*)0?\d+(?:-[a-z]|[^\d\w]|$)/;

/** Keys in the order of the rows that define them. */
function definedKeys(markdown: string): string[] {
  return [...markdown.matchAll(/^\| `([a-z][a-z-]*:[a-z0-9-]+)` \|/gm)].map((match) => match[1] ?? "");
}

/** Keys that a text cites: a project that the page knows, a colon and a name. */
function citedKeys(text: string, projects: ReadonlySet<string>): string[] {
  return [...text.matchAll(/(?<![\w/.-])([a-z][a-z-]*):[a-z][a-z0-9-]*[a-z0-9]/g)]
    .filter(([, project = ""]) => projects.has(project))
    .map(([key]) => key);
}

async function* textFiles(folder = ""): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(ROOT, folder))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory && !FOREIGN.has(entry.name)) yield* textFiles(path);
    else if (entry.isFile && /\.(?:ts|md|json|snap)$/.test(entry.name) && !EXEMPT.has(path)) yield path;
  }
}

const DEFINED = definedKeys(await Deno.readTextFile(join(ROOT, "docs/sources.md")));
const PROJECTS: ReadonlySet<string> = new Set(DEFINED.map((key) => key.split(":")[0] ?? ""));

/** Texts of the repository that may cite, by path. */
const TEXTS: ReadonlyMap<string, string> = await (async () => {
  const texts = new Map<string, string>();
  for await (const path of textFiles()) texts.set(path, await Deno.readTextFile(join(ROOT, path)));
  return texts;
})();

Deno.test("docs/sources.md lists each key once", () => {
  assertEquals(DEFINED.filter((key, index) => DEFINED.indexOf(key) !== index), []);
});

Deno.test("every cited key is in docs/sources.md", () => {
  const unknown: string[] = [];
  for (const [path, text] of TEXTS) {
    for (const key of citedKeys(text, PROJECTS)) if (!DEFINED.includes(key)) unknown.push(`${path}: ${key}`);
  }
  assertEquals(unknown, []);
});

Deno.test("every key of docs/sources.md is cited", () => {
  const cited = new Set([...TEXTS.values()].flatMap((text) => citedKeys(text, PROJECTS)));
  assertEquals(DEFINED.filter((key) => !cited.has(key)), []);
});

Deno.test("no file cites notes that are not in the repository", () => {
  const citing = [...TEXTS].filter(([, text]) => INTERNAL_NOTE.test(text)).map(([path]) => path);
  assertEquals(citing, []);
});

Deno.test("every constant of the device files cites a key", () => {
  const bare: string[] = [];
  for (const [path, text] of TEXTS) {
    if (!/^sim\/(?:devices|microbenchmarks)\//.test(path)) continue;
    for (const [, source = ""] of text.matchAll(/^\s*"source": "(.*)"/gm)) {
      if (citedKeys(source, PROJECTS).length === 0) bare.push(`${path}: ${source}`);
    }
  }
  assertEquals(bare, []);
});

Deno.test("keys and internal notes are told from other text", () => {
  const projects = new Set(["tt-metal", "derived"]);
  assertEquals(
    citedKeys("(tt-metal:conv2d), `derived:audit`; tt-metal: x, tt-metal::f, https://tt-metal:80", projects),
    ["tt-metal:conv2d", "derived:audit"],
  );
  assertEquals(definedKeys("| `a-b:c-1` | file | facts |\n| `x` | no key |\n"), ["a-b:c-1"]);
  const spelled = ["specs 03 §B", "spec 3.", "specs/03-op-model.md", "specs\n * 02 §6", "(specs 04 A.1)"];
  assertEquals(spelled.filter((text) => !INTERNAL_NOTE.test(text)), []);
  const harmless = ["docs/src/specs/tensor-layout.md", "specs: readonly OptionSpec[]", "tensor specs"];
  assertEquals(harmless.filter((text) => INTERNAL_NOTE.test(text)), []);
});
