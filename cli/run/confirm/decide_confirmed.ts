// SPDX-License-Identifier: Apache-2.0
import { parseModule } from "../../../lib/ir/mod.ts";
import type { CandidateFilter } from "../../../lib/opmodel/candidate_filter.ts";
import { RefusedCandidates } from "../../../lib/opmodel/refused_candidates.ts";
import type { Confirmation } from "../../../pipeline/confirm/confirmation.ts";
import { forbidRefused } from "../../../pipeline/confirm/forbid.ts";
import { createWorkbench } from "../../../pipeline/load.ts";
import { findBackend } from "../../backend/environment.ts";
import type { Host } from "../../host.ts";
import { baseName, type Progress } from "../../progress.ts";
import { plural } from "../../render/format.ts";
import { verdictWords } from "../../render/confirmation.ts";
import type { DecidedInput } from "../decide_input.ts";
import { confirmModule } from "./confirm_module.ts";

/** Most plans to ask about before the search is given up. */
const MOST_PLANS = 24;

/** The fields of a plan that a query needs. */
type Askable = Pick<DecidedInput, "mesh" | "policyOptions"> & {
  readonly workbench: Pick<DecidedInput["workbench"], "device">;
  readonly optimized: Pick<DecidedInput["optimized"], "text">;
};

/**
 * Decides, asks the backend, forbids the refused candidates and decides again, until a plan runs or nothing
 * new is refused. Standard error lists the forbidden candidates.
 *
 * @param decide decides without the refused candidates
 * @returns the last plan, and whether the backend refuses even that
 */
export async function decideConfirmed<Plan extends Askable>(
  host: Host,
  file: string,
  decide: (filters: readonly CandidateFilter[]) => Promise<Plan>,
  progress: Progress,
): Promise<{ readonly decided: Plan; readonly isRefused: boolean }> {
  const place = await findBackend(host);
  const refused = new RefusedCandidates();
  for (let plans = 1;; plans++) {
    const decided = await decide([refused]);
    const { workbench: { device }, mesh, policyOptions: { tensorL1UsageCap: cap }, optimized } = decided;
    const workbench = createWorkbench(parseModule(optimized.text, file), device, {
      tensorL1UsageCap: cap,
      meshShape: mesh.map(({ chips }) => chips),
    });
    const confirmation = await confirmModule(host, place, { workbench, file, cap }, progress);
    const forbidden = forbidRefused(workbench, confirmation, refused);
    for (const { name, op, function: fn, words } of forbidden) {
      host.stderr.write(`remark: ttnn does not run ${name} (op ${op} of @${fn}) so: ${words}\n`);
    }
    if (forbidden.some(({ isNew }) => isNew) && plans < MOST_PLANS) {
      progress.stage(`${baseName(file)}: deciding again`);
      continue;
    }
    host.stderr.write(`${wordsOf(confirmation, plans, refused.size)}\n`);
    return { decided, isRefused: confirmation.verdict === "refused" || confirmation.verdict === "different" };
  }
}

function wordsOf(confirmation: Confirmation, plans: number, forbidden: number): string {
  const after = plans === 1
    ? ""
    : `, after ${plural(plans - 1, "plan")} of which ${plural(forbidden, "candidate")} ${
      forbidden === 1 ? "was" : "were"
    } forbidden`;
  return `remark: the plan on ttnn ${confirmation.version}: ${verdictWords(confirmation)}${after}`;
}
