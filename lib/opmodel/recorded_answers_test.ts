// SPDX-License-Identifier: Apache-2.0

/**
 * Holds the rule book to answers of the real backend that `deno task record:backend` recorded. The agreement that each
 * family must reach stands in testdata/backend/required_agreement.json; `tilewright audit op-model --data
 * testdata/backend/FAMILY.jsonl --misses` lists what is answered otherwise.
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import * as v from "valibot";
import { auditRecordedAnswers } from "../../pipeline/backend_answers/ask_rule_book.ts";
import { LIMITS_SCHEMA, shortfalls, standing } from "../../pipeline/backend_answers/limits.ts";
import { readAnswers } from "../../pipeline/backend_answers/read_answers.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";

const FOLDER = join(PROJECT_ROOT, "testdata", "backend");
const REQUIRED = v.parse(
  LIMITS_SCHEMA,
  JSON.parse(Deno.readTextFileSync(join(FOLDER, "required_agreement.json"))),
);

const names = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(".jsonl", "")).toSorted();

Deno.test("every file of recorded answers has a required agreement", () => {
  assertEquals(Object.keys(REQUIRED).toSorted(), names);
});

for (const name of names) {
  Deno.test(`the rule book agrees with ttnn 0.81.1 about ${name} as far as is required`, () => {
    const { rows, leftOut } = readAnswers(name, Deno.readTextFileSync(join(FOLDER, `${name}.jsonl`)));
    assertEquals([...leftOut], [], "a question that the rule book cannot be asked");
    const agreement = { ...auditRecordedAnswers(rows).total(), family: name };
    console.log(standing(agreement));
    const required = REQUIRED[name];
    assert(required !== undefined);
    assertEquals(shortfalls(agreement, required), []);
  });
}
