// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { Expertise } from "./check_subject.ts";
import rows from "./expertise.jsonl" with { type: "text" };
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

const TOLD = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((told) => [told].flat().map(markedRemedy)),
);

/** `/WORDS/i` */
const PATTERN = v.pipe(
  v.string(),
  v.regex(/^\/.+\/i?$/),
  v.transform((text) => new RegExp(text.replace(/^\/|\/i?$/g, ""), text.endsWith("i") ? "i" : "")),
);

const ROW = v.strictObject({
  subjects: v.exactOptional(v.array(v.string())),
  ops: v.exactOptional(PATTERN),
  says: v.exactOptional(PATTERN),
  /** Matches the op that a compiler refuses; of several rows the first counts. */
  refuses: v.exactOptional(PATTERN),
  title: v.exactOptional(v.string()),
  because: v.exactOptional(TOLD),
  advice: TOLD,
  instead: v.exactOptional(v.boolean()),
});

const ROWS = rows.trimEnd().split("\n").map((line) => v.parse(ROW, JSON.parse(line)));
const REFUSED = ROWS.flatMap(({ refuses }) => refuses ?? []);

/** What a compiler's message is about: the op that it quotes (`'ttir.gather'`), else all its words. */
function refusedIn(words: string): string {
  return /['\x60"](?:\w+\.)+(\w+)['\x60"]/.exec(words)?.[1] ?? words;
}

/** The rows of the table. */
export const EXPERTISE_TABLE: readonly Expertise[] = ROWS.map(({ refuses, ...row }) =>
  refuses === undefined ? row : {
    ...row,
    says: ({ words }) => REFUSED.find((first) => first.test(refusedIn(words))) === refuses,
  }
);
