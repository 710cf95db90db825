// SPDX-License-Identifier: Apache-2.0
import {
  type Agreement,
  type AgreementTally,
  familyOf,
} from "../../../pipeline/backend_answers/agreement.ts";
import { auditRecordedAnswers, chipOfRecording } from "../../../pipeline/backend_answers/ask_rule_book.ts";
import { storedLine } from "../../../pipeline/backend_answers/compact_row.ts";
import { type AnswerFile, readAnswers } from "../../../pipeline/backend_answers/read_answers.ts";
import { type CommandContext, type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { printAnswer } from "../../print_answer.ts";
import { renderAgreement, renderAnswerMisses } from "../../render/backend_agreement.ts";

/** Runs `audit op-model` on recorded answers of the backend. */
export async function auditAnswers(
  { host, options }: Invocation,
  files: readonly string[],
): Promise<ExitCode> {
  const read: AnswerFile[] = [];
  for (const file of files) read.push(readAnswers(file, await host.readText(file)));
  return tellAgreement({ host, options }, files, read);
}

/** Prints the agreement of the rule book with answers. */
export function tellAgreement(
  context: CommandContext,
  files: readonly string[],
  read: readonly AnswerFile[],
): ExitCode {
  const { options } = context;
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
  return printAnswer(context, () => documentOf(files, tally, leftOut, withMisses), (style) => {
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
        row: storedLine(row, chipOfRecording(row.device)),
      }))
      : null,
  } as const;
}
