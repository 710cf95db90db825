// SPDX-License-Identifier: Apache-2.0
import { improve } from "../improve/improve.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { spillExactly } from "./exact_spill.ts";
import { spillByEviction } from "./evict_spill.ts";
import { spillGreedily } from "./greedy_spill.ts";
import type { SpillEvent, SpillResult } from "./shortage.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, type ProgramStep } from "../search/program.ts";
import { GREEDY_SPILL_POLICIES, type GreedySpillPolicy, type SpillPolicyName } from "./spill_policy.ts";

/** The result of pass 2 on a program. */
export interface SpillOutcome {
  /** No failure except `over_budget`. */
  readonly fits: boolean;
  /** No failure; `too_large` steps do not count. */
  readonly withinBudget: boolean;
  readonly events: readonly SpillEvent[];
  /** Spills that were undone at the end, because later ones made enough room. */
  readonly restored: number;
}

/** The result of a greedy method on a program. */
interface GreedyRun {
  readonly program: LayoutProgram;
  readonly outcome: SpillOutcome;
}

/** Earlier runs of the greedy methods on one program; policies compared on one function need the same runs. */
export type GreedyRuns = Map<GreedySpillPolicy, GreedyRun>;

/** Options of pass 2. */
export interface SpillOptions {
  readonly policy: SpillPolicyName;
  /** Earlier runs of the greedy methods on this very program; new ones are added. */
  readonly runs?: GreedyRuns | undefined;
}

/**
 * Pass 2: makes a program fit L1 by address. `exact` also runs every greedy policy, unless everything fits as it is,
 * and keeps the cheapest result that fits, so it is never slower than any of them.
 */
export function manageL1(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  { policy, runs = new Map() }: SpillOptions,
): SpillOutcome {
  if (policy === "evict") {
    const { fits, events, timeline } = spillByEviction(program, roles, region);
    return { fits, withinBudget: timeline.withinBudget, events, restored: 0 };
  }
  if (policy !== "exact") {
    const run = greedyRun(program, roles, region, policy, runs);
    program.assign(run.program);
    return run.outcome;
  }
  let best: GreedyRun | undefined;
  for (const name of GREEDY_SPILL_POLICIES) {
    const run = greedyRun(program, roles, region, name, runs);
    if (best === undefined || isBetter(run, best)) best = run;
  }
  const exact = best !== undefined && best.outcome.events.length > 0
    ? spillExactly(program, roles, region, best.outcome.fits ? best.program.microseconds() : Infinity)
    : undefined;
  if (exact !== undefined) return outcomeOf(program, roles, region, exact);
  if (best === undefined) throw new RangeError("Cannot spill: there are no greedy policies");
  program.assign(best.program);
  return best.outcome;
}

/** Whether a run fits where another one does not, or takes less time. */
function isBetter(run: GreedyRun, than: GreedyRun): boolean {
  return run.outcome.fits === than.outcome.fits
    ? run.program.microseconds() < than.program.microseconds()
    : run.outcome.fits;
}

/** Runs a greedy method on a copy of a program, or returns the earlier run. */
function greedyRun(
  start: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: GreedySpillPolicy,
  runs: GreedyRuns,
): GreedyRun {
  return runs.getOrInsertComputed(policy, () => {
    const program = start.clone();
    return {
      program,
      outcome: outcomeOf(program, roles, region, spillGreedily(program, roles, region, policy)),
    };
  });
}

/** The outcome of spills on a program, whose moves are undone where later ones made enough room. */
function outcomeOf(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  { fits, events, timeline }: SpillResult,
): SpillOutcome {
  const restored = events.length === 0
    ? 0
    : improve(program, "spilled", { roles, region, mayChange: isSpill });
  return { fits, withinBudget: timeline.withinBudget, events, restored };
}

/** Whether a step was created or changed by a spill. */
export function isSpill(step: ProgramStep, program: LayoutProgram): boolean {
  return step.kind === "op"
    ? decisionFor(program, step.op).isSpilled === true
    : copyAt(program, step.copy).reason === "spill";
}
