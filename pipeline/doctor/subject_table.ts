// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { SubjectRow } from "./check_subject.ts";
import { PATTERN, TOLD_ON } from "./expertise_row.ts";
import rows from "./subjects.jsonl" with { type: "text" };

const ROW = v.strictObject({
  name: v.string(),
  title: v.exactOptional(v.string()),
  weight: v.exactOptional(v.number()),
  pattern: PATTERN,
  condition: v.exactOptional(PATTERN),
  files: v.exactOptional(PATTERN),
  ops: v.exactOptional(v.array(v.string())),
  because: v.exactOptional(TOLD_ON),
  advice: TOLD_ON,
});

const ROWS = new Map(
  rows.trimEnd().split("\n").map((line) => v.parse(ROW, JSON.parse(line))).map(({ name, ...row }) =>
    [name, row] as const
  ),
);

/**
 * A subject of which the same is said whatever the words, by its name in `subjects.jsonl`.
 *
 * @throws {RangeError} if the table has none of that name
 */
export function rowOf(name: string): SubjectRow {
  const row = ROWS.get(name);
  if (row === undefined) throw new RangeError(`No subject ${name}`);
  return row;
}
