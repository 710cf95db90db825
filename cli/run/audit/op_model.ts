// SPDX-License-Identifier: Apache-2.0
import {
  type Agreement,
  type AgreementTally,
  familyOf,
} from "../../../pipeline/backend_answers/agreement.ts";
import { auditRecordedAnswers, nameOfRow } from "../../../pipeline/backend_answers/ask_rule_book.ts";
import { type AnswerFile, readAnswers } from "../../../pipeline/backend_answers/read_answers.ts";
import { type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { printAnswer } from "../../print_answer.ts";
import { renderAgreement, renderAnswerMisses } from "../../render/backend_agreement.ts";

/** Runs `audit op-model`: agreement with recorded answers of the backend, or with those that it gives now. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { host, options, positionals: [, ...modules] } = invocation;
  const isAsked = options.text("against") !== undefined;
  const files = isAsked ? modules : options.texts("data");
  const read: AnswerFile[] = [];
  if (isAsked) {
    // The code that queries the real backend, which the other audits do not need.
    const asked: typeof import("./against_backend.ts") = await import(
      "./against_backend.ts" satisfies string
    );
    read.push(await asked.askAboutFiles(invocation, files));
  } else if (files.length === 0) {
    throw new UsageError("Option --data FILE is needed: it names the recorded answers");
  }
  for (const file of isAsked ? [] : files) {
    read.push(readAnswers(file, await host.readText(file), options.text("device")));
  }
  const wanted = options.texts("family");
  const all = read.flatMap(({ rows }) => rows);
  const rows = wanted.length === 0 ? all : all.filter(({ question }) => wanted.includes(familyOf(question)));
  if (rows.length === 0) {
    const families = [...new Set(all.map(({ question }) => familyOf(question)))].toSorted();
    throw new UsageError(`No answers of that family; there are ${families.join(", ")}`);
  }
  const tally = auditRecordedAnswers(rows);
  const leftOut = leftOutOf(read);
  const withMisses = options.flag("misses");
  return printAnswer({ host, options }, () => documentOf(files, tally, leftOut, withMisses), (style) => {
    const reasons = [...leftOut].map(([reason, count]) => `${reason} ${count}`).join(", ");
    return [
      renderAgreement(tally.families(), tally.total(), style),
      leftOut.size === 0 ? "" : `\nLeft out, because the dialect cannot say it: ${reasons}\n`,
      withMisses ? renderAnswerMisses(tally.misses, style) : "",
    ].join("");
  });
}

function leftOutOf(files: readonly AnswerFile[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const [reason, count] of files.flatMap(({ leftOut }) => [...leftOut])) {
    sum.set(reason, (sum.get(reason) ?? 0) + count);
  }
  return sum;
}

function documentOf(
  files: readonly string[],
  tally: AgreementTally,
  leftOut: ReadonlyMap<string, number>,
  withMisses: boolean,
) {
  const { family: _, ...summary }: Agreement = tally.total();
  return {
    schema: "tilewright.backend-agreement/1",
    input: files,
    device: null,
    summary: { ...summary, leftOut: [...leftOut.values()].reduce((sum, count) => sum + count, 0) },
    families: tally.families(),
    leftOut: [...leftOut].map(([reason, questions]) => ({ reason, questions })),
    misses: withMisses
      ? tally.misses.map(({ family, row, figure, backend, ours, reason }) => ({
        family,
        figure,
        backend,
        ours,
        reason,
        row: nameOfRow(row),
      }))
      : null,
  } as const;
}
