// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../memory/l1_timeline.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { SolveBinaryProgram } from "../solver/binary_program.ts";
import { type ExactSpillResult, spillExactly } from "./exact_spill.ts";
import { type SpillEvent, spillGreedily } from "./greedy_spill.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { restoreSpills } from "./restore.ts";
import { SPILL_POLICY_NAMES, type SpillPolicyName } from "./spill_policy.ts";

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

/**
 * Pass 2: makes a program fit L1 by address. `exact` also runs every greedy policy and keeps the cheapest, so that it
 * is never dearer than one of them.
 *
 * @param solve solver for problems that dynamic programming cannot finish
 */
export function manageL1(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: SpillPolicyName,
  solve: SolveBinaryProgram | undefined,
): SpillOutcome {
  if (policy !== "exact") return greedy(program, roles, region, policy, undefined);
  const start = program.clone();
  const exactProgram = start.clone();
  const exact = spillExactly(exactProgram, roles, region, solve);
  const first = greedy(exactProgram, roles, region, "cost-aware", exact);
  let best = { program: exactProgram, outcome: first };
  if (exact.method !== "nothing_to_do") {
    for (const name of SPILL_POLICY_NAMES) {
      // Where no exact method finished the program is as it was, and the first try was this one.
      if (name === "exact" || (name === "cost-aware" && exact.method === "bound_only")) continue;
      const trial = start.clone();
      const outcome = greedy(trial, roles, region, name, exact);
      if (best.outcome.fits && (!outcome.fits || trial.microseconds() >= best.program.microseconds())) {
        continue;
      }
      best = { program: trial, outcome };
    }
  }
  program.assign(best.program);
  return best.outcome;
}

function greedy(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: Exclude<SpillPolicyName, "exact">,
  exact: ExactSpillResult | undefined,
): SpillOutcome {
  const original = program.clone();
  const { fits, events, timeline } = spillGreedily(program, roles, region, policy);
  const restored = events.length === 0 ? 0 : restoreSpills(program, original, roles, region);
  return { fits, withinBudget: timeline.withinBudget, events, restored, exact };
}
