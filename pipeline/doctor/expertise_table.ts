// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { Expertise } from "./check_subject.ts";
import { PATTERN, TOLD_ON } from "./expertise_row.ts";
import rows from "./expertise.jsonl" with { type: "text" };

const ROW = v.strictObject({
  subjects: v.exactOptional(v.array(v.string())),
  ops: v.exactOptional(PATTERN),
  says: v.exactOptional(PATTERN),
  /** Matches the op that a compiler refuses; of several rows the first counts. */
  refuses: v.exactOptional(PATTERN),
  title: v.exactOptional(v.string()),
  because: v.exactOptional(TOLD_ON),
  advice: TOLD_ON,
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
