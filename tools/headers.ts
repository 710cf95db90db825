// SPDX-License-Identifier: Apache-2.0

/**
 * Checks that every TypeScript file says its licence in its first two lines.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "./steps.ts";

const HEADER = "// SPDX-License-Identifier: Apache-2.0";
const SKIPPED = new Set(["node_modules", "coverage", "dist"]);

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(ROOT, folder))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory) {
      if (!entry.name.startsWith(".") && !SKIPPED.has(entry.name)) yield* sources(path);
    } else if (entry.name.endsWith(".ts")) yield path;
  }
}

for await (const path of sources("")) {
  const lines = (await Deno.readTextFile(join(ROOT, path))).split("\n", 2);
  if (lines.includes(HEADER)) continue;
  console.error(`${path}:1:1: error: missing licence header, first line should be: ${HEADER}`);
  Deno.exitCode = 1;
}
