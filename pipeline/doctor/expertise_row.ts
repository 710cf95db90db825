// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { type Remedy, remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

const KINDS: Readonly<Record<string, asks.RemedyKind | undefined>> = asks;

/** A remedy whose kinds stand before its alternatives: `smaller blocks{{MORE_CORES}}, or more cores`. */
function markedRemedy(text: string): Remedy {
  const [first = "", ...rest] = text.split(/\{\{(\w+)\}\}/);
  if (rest.length === 0) return text;
  const kinds = rest.filter((_, index) => index % 2 === 0).map((name) => {
    const kind = KINDS[name];
    if (kind === undefined) throw new RangeError(`Unknown kind of remedies: ${name}`);
    return kind;
  });
  return remedy([first, ...rest.filter((_, index) => index % 2 === 1)], ...kinds);
}

/** What a row of a table tells: remedies with their kinds. */
export const TOLD: v.GenericSchema<string | string[], Remedy[]> = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((told) => [told].flat().map(markedRemedy)),
);

/** `/WORDS/i` */
export const PATTERN: v.GenericSchema<string, RegExp> = v.pipe(
  v.string(),
  v.regex(/^\/.+\/i?$/),
  v.transform((text) => new RegExp(text.replace(/^\/|\/i?$/g, ""), text.endsWith("i") ? "i" : "")),
);
