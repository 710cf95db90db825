// SPDX-License-Identifier: Apache-2.0

/**
 * Finds tables of ops in source text: `lib/ops` is the one place that lists what an op is.
 *
 * @module
 */

import { OP_DEFINITIONS } from "../lib/ops/op_book.ts";

const NAMES: ReadonlySet<string> = new Set(OP_DEFINITIONS.map(({ name }) => name));

/** Least number of ops that counts as a table. */
export const TABLE_SIZE = 3;

/**
 * The distinct ops that a file names in string literals outside of comments: by full name, or by plain name where a
 * literal is a list of them or stands at the head of an entry (`["relu", …`, `relu: "…"` is not looked for).
 */
export function opNamesIn(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const found = new Set<string>();
  for (const [, opening, body = ""] of code.matchAll(/(\[\s*)?"((?:[^"\\\n]|\\.)*)"/g)) {
    const words = body.split(" ").filter((word) => word !== "");
    const names = words.map((word) => word.includes(".") ? word : `ttnn.${word}`);
    const isList = words.length > 1 && names.every((name) => NAMES.has(name));
    const isFullName = words.length === 1 && body.startsWith("ttnn.") && NAMES.has(body);
    const isEntry = words.length === 1 && opening !== undefined && NAMES.has(`ttnn.${body}`);
    if (isList || isFullName || isEntry) names.forEach((name) => found.add(name));
  }
  return [...found];
}
