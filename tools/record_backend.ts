// SPDX-License-Identifier: Apache-2.0

/**
 * Records answers of the real backend into testdata/backend: a file per family of ops with questions made from a seed,
 * one with the questions that the plans of testdata/models consist of, and one whose questions are kept. Equal questions
 * give equal bytes.
 *
 * Usage: `TILEWRIGHT_TTNN=DIR deno task record:backend [--seed WORD] [--out FOLDER] [--only NAME]`
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { basename, join } from "@std/path";
import { chipOfRecording } from "../pipeline/backend_answers/ask_rule_book.ts";
import { storedLine } from "../pipeline/backend_answers/compact_row.ts";
import { isAccepted } from "../pipeline/backend_answers/compare_answer.ts";
import { readAnswers } from "../pipeline/backend_answers/read_answers.ts";
import type { RecordedRow } from "../pipeline/backend_answers/recorded_answer.ts";
import type { ConstraintsRequest } from "../pipeline/op_model_pipe/request.ts";
import { BackendProcess } from "../cli/backend/backend_process.ts";
import { findBackend } from "../cli/backend/environment.ts";
import { denoHost } from "../cli/deno_host.ts";
import { QUESTION_FAMILIES, questionsOf } from "./backend_questions/mod.ts";
import { ROOT } from "./steps.ts";
import { filesBelow } from "../testing/corpus.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { moduleQuestions } from "../pipeline/backend_answers/module_questions.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { workbenchFor } from "../pipeline/load.ts";
import { optimizeModule } from "../pipeline/optimize.ts";

/** Questions per family that are kept, of those the backend accepts and of those it refuses. */
const KEPT: readonly (readonly [device: string, accepted: number, refused: number])[] = [
  ["n150", 24, 6],
  ["p150", 9, 2],
  ["p150-13x10", 7, 2],
];

/** Most questions asked per family and device; a family that is refused (or accepted) too rarely gets fewer rows. */
const MOST_ASKED = 240;

/** File with the questions that the plans of testdata/models consist of. */
const PLANS = "plans";
/** File of questions that the rule book once answered wrongly, found by random programs: they are asked again. */
const FOUND = "found";
const POLICIES = ["auto", "greedy", "df-sharding"];

const options = parseArgs(Deno.args, { string: ["seed", "out", "only"], default: { seed: "tilewright" } });
const folder = options.out ?? join(ROOT, "testdata", "backend");

const place = await findBackend(denoHost);

async function write(name: string, rows: readonly RecordedRow[]): Promise<void> {
  const lines = [...new Set(rows.map((row) => storedLine(row, chipOfRecording(row.device))))].toSorted();
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, `${name}.jsonl`), lines.map((line) => `${line}\n`).join(""));
}

/** @throws {Error} if the pipe has no words for the question */
async function ask(
  backend: BackendProcess,
  device: string,
  question: ConstraintsRequest,
): Promise<RecordedRow> {
  const answer = await backend.ask(question);
  if ("unaskable" in answer) throw new Error(`${question.op} cannot be asked: ${answer.unaskable}`);
  return { device, question, answer };
}

/** Asks until there are enough accepted and refused questions. */
async function sample(
  backend: BackendProcess,
  device: string,
  family: string,
  accepted: number,
  refused: number,
): Promise<readonly RecordedRow[]> {
  const rows: RecordedRow[] = [];
  const left = { accepted, refused };
  let asked = 0;
  for (const question of questionsOf(family, chipOfRecording(device), options.seed)) {
    if (asked++ === MOST_ASKED || (left.accepted === 0 && left.refused === 0)) break;
    const row = await ask(backend, device, question);
    const kind = isAccepted(row) ? "accepted" : "refused";
    if (left[kind] === 0) continue;
    left[kind]--;
    rows.push(row);
  }
  return rows;
}

async function recordFamilies(families: readonly string[]): Promise<void> {
  const byFamily = new Map<string, RecordedRow[]>();
  for (const [device, accepted, refused] of KEPT) {
    const backend = await BackendProcess.start(denoHost, place, device);
    for (const family of families) {
      const rows = await sample(backend, device, family, accepted, refused);
      byFamily.getOrInsertComputed(family, () => []).push(...rows);
      console.log(`${device} ${family}: ${rows.length} answers`);
    }
    await backend.close();
  }
  for (const [family, rows] of byFamily) {
    await write(family, rows);
    const ran = rows.filter(isAccepted).length;
    console.log(`${family}: ${ran} accepted, ${rows.length - ran} refused`);
  }
}

/** Every distinct question about an op of a plan for n150, of a TTNN text: operands and result as the plan has them. */
function planQuestions(fileName: string, text: string, policy: string): readonly ConstraintsRequest[] {
  const loaded = loadModule(text, { device: "n150", fileName });
  const written = optimizeModule(loaded, getPolicy(policy), DEFAULT_POLICY_OPTIONS).text;
  return moduleQuestions(workbenchFor(written, fileName, loaded, {}));
}

/** Asks the distinct questions of the plans of all models and policies, on n150. */
async function recordPlans(): Promise<void> {
  const questions = new Map<string, ConstraintsRequest>();
  for (const path of filesBelow(join(ROOT, "testdata", "models"), ".mlir")) {
    const [file, text] = [basename(path), await Deno.readTextFile(path)];
    for (const policy of POLICIES) {
      for (const question of planQuestions(file, text, policy)) {
        questions.set(JSON.stringify(question), question);
      }
      console.log(`${file} ${policy}: ${questions.size} questions so far`);
    }
  }
  const backend = await BackendProcess.start(denoHost, place, "n150");
  const rows: RecordedRow[] = [];
  const unaskable = new Map<string, number>();
  for (const question of questions.values()) {
    const answer = await backend.ask(question);
    if ("unaskable" in answer) {
      const reason = `${question.op}: ${answer.unaskable}`;
      unaskable.set(reason, (unaskable.get(reason) ?? 0) + 1);
    } else rows.push({ device: "n150", question, answer });
  }
  await backend.close();
  for (const [reason, count] of unaskable) console.warn(`not asked, ${count} times: ${reason}`);
  await write(PLANS, rows);
  console.log(`${PLANS}: ${rows.filter(isAccepted).length} accepted of ${rows.length}`);
}

async function recordFound(): Promise<void> {
  const { rows } = readAnswers(FOUND, await Deno.readTextFile(join(folder, `${FOUND}.jsonl`)));
  const asked: RecordedRow[] = [];
  for (const [device, own] of Map.groupBy(rows, (row) => row.device)) {
    const backend = await BackendProcess.start(denoHost, place, device);
    for (const { question } of own) {
      asked.push(await ask(backend, device, question));
    }
    await backend.close();
  }
  await write(FOUND, asked);
}

const { only } = options;
if (only !== undefined && ![PLANS, FOUND, ...QUESTION_FAMILIES].includes(only)) {
  throw new RangeError(
    `Cannot record '${only}': it is ${PLANS}, ${FOUND} or one of ${QUESTION_FAMILIES.join(", ")}`,
  );
}
if (only === undefined || only === PLANS) await recordPlans();
if (only === undefined || only === FOUND) await recordFound();
if (only !== PLANS && only !== FOUND) {
  await recordFamilies(
    only === undefined ? QUESTION_FAMILIES : QUESTION_FAMILIES.filter((name) => name === only),
  );
}
