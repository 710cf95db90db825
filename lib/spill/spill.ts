// SPDX-License-Identifier: Apache-2.0
import { improve } from "../improve/improve.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { spillExactly } from "./exact_spill.ts";
import { spillByEviction } from "./evict_spill.ts";
import { spillGreedily } from "./greedy_spill.ts";
import type { SpillResult } from "./shortage.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, type ProgramStep } from "../search/program.ts";
import { GREEDY_SPILL_POLICIES, type GreedySpillPolicy, type SpillPolicyName } from "./spill_policy.ts";

/** The result of pass 2 on a program. */
export interface SpillOutcome extends Pick<SpillResult, "fits" | "events"> {
  /** No failure; `too_large` steps do not count. */
  readonly withinBudget: boolean;
  /** Changes of spills that were undone or made smaller at the end, because later ones made enough room. */
  readonly restored: number;
}

/**
 * Pass 2: makes a program fit L1 by address. `exact` runs every greedy policy and, if the best of them made a move,
 * searches for a faster program ({@linkcode spillExactly}); the cheapest that fits is kept, so it is never slower than
 * any of them.
 */
export function manageL1(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: SpillPolicyName,
): SpillOutcome {
  if (policy === "evict") return outcomeOf(spillByEviction(program, roles, region), 0);
  if (policy !== "exact") return greedy(program, roles, region, policy);
  const start = program.clone();
  const runs = GREEDY_SPILL_POLICIES.map((name) => {
    const trial = start.clone();
    return { trial, outcome: greedy(trial, roles, region, name) };
  });
  const [best] = runs.toSorted((a, b) =>
    Number(b.outcome.fits) - Number(a.outcome.fits) || a.trial.microseconds() - b.trial.microseconds()
  );
  const isSpilled = best !== undefined && best.outcome.events.length > 0;
  const mostUs = best?.outcome.fits === true ? best.trial.microseconds() : Infinity;
  const exact = isSpilled ? spillExactly(program, roles, region, mostUs) : undefined;
  if (exact !== undefined) return outcomeOf(exact, restored(program, roles, region));
  if (best === undefined) throw new RangeError("Cannot spill: there are no greedy policies");
  program.assign(best.trial);
  return best.outcome;
}

function greedy(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: GreedySpillPolicy,
): SpillOutcome {
  const result = spillGreedily(program, roles, region, policy);
  return outcomeOf(result, result.events.length === 0 ? 0 : restored(program, roles, region));
}

/** Undoes spills for which later ones made enough room; returns how many. */
function restored(program: LayoutProgram, roles: OpRoles, region: L1Region): number {
  return improve(program, "spilled", { roles, region, mayChange: isSpill });
}

function outcomeOf({ fits, events, timeline }: SpillResult, restored: number): SpillOutcome {
  return { fits, withinBudget: timeline.withinBudget, events, restored };
}

/** Whether a step was created or changed by a spill. */
export function isSpill(step: ProgramStep, program: LayoutProgram): boolean {
  return step.kind === "op"
    ? decisionFor(program, step.op).isSpilled === true
    : copyAt(program, step.copy).reason === "spill";
}
