// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../memory/l1_timeline.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { SolveBinaryProgram } from "../solver/binary_program.ts";
import { type ExactSpillResult, spillExactly } from "./exact_spill.ts";
import { type SpillEvent, spillGreedily } from "./greedy_spill.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { restoreSpills } from "./restore.ts";
import { type GreedySpillPolicy, SPILL_POLICY_NAMES, type SpillPolicyName } from "./spill_policy.ts";

/** What pass 2 made of a program. */
export interface SpillOutcome {
  /** Every step finds its place on the chip. */
  readonly fits: boolean;
  /** No step exceeds the cap either. */
  readonly withinBudget: boolean;
  readonly events: readonly SpillEvent[];
  /** Spills that were taken back in the end. */
  readonly restored: number;
  /** Proof of the exact method, where it was asked for. */
  readonly exact: ExactSpillResult | undefined;
}

/** What a greedy method made of a program. */
interface GreedyRun {
  readonly program: LayoutProgram;
  readonly outcome: SpillOutcome;
}

/** What greedy methods made of one program before: policies that are compared on one function ask for the same runs. */
export type GreedyRuns = Map<GreedySpillPolicy, GreedyRun>;

/** How pass 2 goes about it. */
export interface SpillOptions {
  readonly policy: SpillPolicyName;
  /** Solver for problems that dynamic programming cannot finish. */
  readonly solve?: SolveBinaryProgram | undefined;
  /** Runs of the greedy methods on this very program; takes those that are made. */
  readonly runs?: GreedyRuns | undefined;
}

/**
 * Pass 2: makes a program fit L1 by address. `exact` also runs every greedy policy and keeps the cheapest, so that it
 * is never dearer than one of them.
 */
export function manageL1(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  { policy, solve, runs = new Map() }: SpillOptions,
): SpillOutcome {
  if (policy !== "exact") {
    const run = greedyRun(program, roles, region, policy, runs);
    program.assign(run.program);
    return run.outcome;
  }
  const start = program.clone();
  const exactProgram = start.clone();
  const exact = spillExactly(exactProgram, roles, region, solve);
  // Where no exact method finished the program is as it was.
  const isUnchanged = exact.method === "bound_only";
  let best: GreedyRun = isUnchanged
    ? greedyRun(start, roles, region, "cost-aware", runs)
    : { program: exactProgram, outcome: greedy(exactProgram, roles, region, "cost-aware") };
  if (exact.method !== "nothing_to_do") {
    for (const name of SPILL_POLICY_NAMES) {
      if (name === "exact" || (isUnchanged && name === "cost-aware")) continue;
      const run = greedyRun(start, roles, region, name, runs);
      if (
        best.outcome.fits &&
        (!run.outcome.fits || run.program.microseconds() >= best.program.microseconds())
      ) {
        continue;
      }
      best = run;
    }
  }
  program.assign(best.program);
  return { ...best.outcome, exact };
}

/** A run of a greedy method on a copy of a program, or the one that was made before. */
function greedyRun(
  start: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: GreedySpillPolicy,
  runs: GreedyRuns,
): GreedyRun {
  let run = runs.get(policy);
  if (run === undefined) {
    const program = start.clone();
    runs.set(policy, run = { program, outcome: greedy(program, roles, region, policy) });
  }
  return run;
}

function greedy(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: GreedySpillPolicy,
): SpillOutcome {
  const original = program.clone();
  const { fits, events, timeline } = spillGreedily(program, roles, region, policy);
  const restored = events.length === 0 ? 0 : restoreSpills(program, original, roles, region);
  return { fits, withinBudget: timeline.withinBudget, events, restored, exact: undefined };
}
