// SPDX-License-Identifier: Apache-2.0

/**
 * Writes the table "Agreement with ttnn 0.81.1" of docs/op-model.md, from answers recorded with another seed than those
 * of testdata/backend, which rules were written against.
 *
 * Usage: `deno task docs:agreement --seed WORD FOLDER`, where FOLDER is what `deno task record:backend --seed WORD --out
 * FOLDER` wrote.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";
import { percent } from "../cli/render/backend_agreement.ts";
import type { Agreement, Share } from "../pipeline/backend_answers/agreement.ts";
import { auditRecordedAnswers } from "../pipeline/backend_answers/ask_rule_book.ts";
import { readAnswers } from "../pipeline/backend_answers/read_answers.ts";
import type { RecordedRow } from "../pipeline/backend_answers/recorded_answer.ts";
import { markdownTable } from "../sim/audit/markdown_section.ts";
import { ROOT } from "./steps.ts";

const PAGE = join(ROOT, "docs", "op-model.md");
const [BEGIN, END] = ["<!-- agreement: begin -->", "<!-- agreement: end -->"] as const;
const HEAD = "family | questions: | valid: | false accepts: | buffers: | peak: | layout: | sequence:";

function share({ equal, of }: Share): string {
  return of === 0 ? "–" : percent(equal, of);
}

function row({ questions, valid, falseAccepts, figures }: Agreement, name: string): readonly string[] {
  const { buffers, peak, layout, events } = figures;
  return [
    name,
    String(questions),
    share(valid),
    percent(falseAccepts, questions),
    ...[buffers, peak, layout, events].map(share),
  ];
}

/** The section between the markers. */
function section(families: ReadonlyMap<string, readonly RecordedRow[]>, seed: string): string {
  const rows = [...families.values()].flat();
  const devices = [...Map.groupBy(rows, ({ device }) => device)]
    .map(([device, own]) => `${own.length} on ${device}`).toSorted().join(", ");
  return [
    `${rows.length} questions made with the seed \`${seed}\` (${devices}), which no rule was tuned on. Percent.`,
    "",
    ...markdownTable(HEAD, [
      ...[...families].map(([family, own]) => row(auditRecordedAnswers(own).total(), `\`${family}\``)),
      row(auditRecordedAnswers(rows).total(), "**all**"),
    ]),
  ].join("\n");
}

const { seed, _: [folder] } = parseArgs(Deno.args, { string: ["seed", "_"] });
if (seed === undefined || typeof folder !== "string") {
  console.error("Usage: deno task docs:agreement --seed WORD FOLDER");
  Deno.exit(2);
}
const files = [...Deno.readDirSync(folder)].map(({ name }) => name)
  .filter((name) => name.endsWith(".jsonl") && !["found.jsonl", "plans.jsonl"].includes(name)).toSorted();
const families = new Map(files.map((file) => {
  const { rows } = readAnswers(file, Deno.readTextFileSync(join(folder, file)));
  return [file.replace(".jsonl", ""), rows] as const;
}));
const page = await Deno.readTextFile(PAGE);
const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
if (start < 0 || end < start) throw new Error(`${PAGE} has no ${BEGIN} … ${END}`);
await Deno.writeTextFile(
  PAGE,
  `${page.slice(0, start + BEGIN.length)}\n\n${section(families, seed)}\n\n${page.slice(end)}`,
);
await new Deno.Command("deno", { args: ["fmt", "-q", PAGE] }).output();
