// SPDX-License-Identifier: Apache-2.0
import type { CandidateFilter } from "../../../lib/opmodel/candidate_filter.ts";
import { AskedCandidates } from "../../../pipeline/backend_answers/asked_candidates.ts";
import type { Workbench } from "../../../pipeline/load.ts";
import { findBackend } from "../../backend/environment.ts";
import { planCandidates } from "../../../pipeline/backend_answers/plan_candidates.ts";
import { VerdictBook } from "../../backend/verdict_book.ts";
import type { Host } from "../../host.ts";
import { baseName, type Progress } from "../../progress.ts";
import { plural } from "../../render/format.ts";
import type { DecidedInput } from "../decide_input.ts";
import { boardOf } from "./confirm_module.ts";

/** Number of refusals that are reported one by one. */
const MOST_TOLD = 8;

/**
 * `--op-model ttnn`: decides, asks the backend about the plan's candidates, and decides again with the
 * answers, until the plan has no open candidate. Candidates that the rule book refuses are not asked about:
 * without known programs they have no time.
 *
 * @param decide decides with further legality checks, which are called only after `onLoaded`
 * @throws {UsageError} if no mock device can be opened for the device
 * @throws {DiagnosticError} if the backend does not start, or ends; earlier verdicts are kept
 */
export async function decideByBackend(
  host: Host,
  file: string,
  decide: (
    filters: readonly CandidateFilter[],
    onLoaded: (workbench: Workbench) => Promise<void>,
  ) => Promise<DecidedInput>,
  progress: Progress,
): Promise<DecidedInput> {
  const place = await findBackend(host);
  let book: VerdictBook | undefined;
  let asked = 0;
  const open = async (workbench: Workbench): Promise<void> => {
    const board = boardOf(workbench);
    progress.stage(`${baseName(file)}: starting ttnn for ${board}`);
    book ??= await VerdictBook.open(host, place, board);
  };
  try {
    for (let searches = 1;; searches++) {
      const candidates = new AskedCandidates((question) => book?.get(question));
      const decided = await decide([candidates], open);
      const { optimized: { graph, plan }, workbench: { chip, device } } = decided;
      const questions = candidates.openAbout(planCandidates(graph, plan, chip));
      if (book === undefined || questions.length === 0) {
        host.stderr.write(wordsOf(candidates, { version: book?.version, asked, searches }));
        return decided;
      }
      asked += questions.length;
      await book.ask(
        questions,
        chip,
        (done) =>
          progress.stage(
            `${baseName(file)}: question ${done + 1} of ${questions.length} to ttnn on ${device.name}`,
          ),
      );
    }
  } finally {
    await book?.close();
  }
}

function wordsOf(
  { refused, openCount }: AskedCandidates,
  { version, asked, searches }: {
    readonly version: string | undefined;
    readonly asked: number;
    readonly searches: number;
  },
): string {
  const lines = refused.slice(0, MOST_TOLD).map(({ op, words }) =>
    `remark: ttnn does not run ${op} so: ${words}\n`
  );
  return `${
    lines.join("")
  }remark: every way to run an op that the plan is made of is one that ttnn ${version} takes: ${
    plural(asked, "question")
  } asked, ${plural(searches, "search run")}, ${
    plural(openCount, "way")
  } that no plan needed not asked about; ${plural(refused.length, "way")} refused that the rule book takes\n`;
}
