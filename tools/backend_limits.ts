// SPDX-License-Identifier: Apache-2.0

/**
 * Writes the agreement with the recorded answers that tests require, testdata/backend/required_agreement.json: what is
 * measured now, never less than what was required before unless `--reset` says so.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";
import * as v from "valibot";
import { auditRecordedAnswers } from "../pipeline/backend_answers/ask_rule_book.ts";
import {
  type Limits,
  LIMITS_SCHEMA,
  limitsOf,
  standing,
  stricter,
} from "../pipeline/backend_answers/limits.ts";
import { readAnswers } from "../pipeline/backend_answers/read_answers.ts";
import { ROOT } from "./steps.ts";

const { reset } = parseArgs(Deno.args, { boolean: ["reset"] });
const folder = join(ROOT, "testdata", "backend");
const file = join(folder, "required_agreement.json");

async function requiredBefore(): Promise<Readonly<Record<string, Limits>>> {
  if (reset) return {};
  try {
    return v.parse(LIMITS_SCHEMA, JSON.parse(await Deno.readTextFile(file)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

const before = await requiredBefore();
const limits: Record<string, Limits> = {};
const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".jsonl"));
for (const name of names.map((name) => name.replace(".jsonl", "")).toSorted()) {
  const { rows } = readAnswers(name, await Deno.readTextFile(join(folder, `${name}.jsonl`)));
  const agreement = { ...auditRecordedAnswers(rows).total(), family: name };
  const old = before[name];
  limits[name] = old === undefined ? limitsOf(agreement) : stricter(old, limitsOf(agreement));
  console.log(standing(agreement));
}
await Deno.writeTextFile(file, `${JSON.stringify(limits, null, 2)}\n`);
