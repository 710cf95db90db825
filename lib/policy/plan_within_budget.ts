// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../graph/function_role.ts";
import type { Plan } from "../plan/plan.ts";
import { WorkAccount } from "../search/work_account.ts";
import type { FunctionContext } from "./function_context.ts";
import { type PolicyOptions, TIME_BUDGET } from "./options.ts";
import type { FinishedProgram } from "./pass_pipeline.ts";
import { planByPasses, type PolicyName } from "./plan_graph.ts";
import type { PolicyContext } from "./policy.ts";
import { SIZE_CLASSES } from "../search/limits.ts";
import { BEAMS_SHARE, EXPLORED_ANYWAY, EXPLORING_SHARE, FAR_ALLOWANCE, US_PER_OP } from "./search_limits.ts";
import { shareOf, WorkBudget } from "./work_budget.ts";

/** Work that the search for the plan of one function may spend, with its reserves. */
export interface SearchBudget {
  /** Its share of the budget left. */
  readonly whole: WorkBudget;
  /** `whole` and its share of {@linkcode FAR_ALLOWANCE}: what it may spend while its plan is far from its bound. */
  readonly far: WorkBudget;
  /**
   * µs of work of `whole` reserved for the beams of `beam-cost`, whatever earlier functions spent: under one
   * `--time-budget`, policies with more steps run the same beams.
   */
  readonly beamsUs: number;
  /**
   * µs of work that exploring may take even if `whole` is spent: exploring comes first, before other
   * functions leave budget unused; a partial one is useless.
   */
  readonly exploringUs: number;
}

/**
 * {@linkcode planByPasses} under `--time-budget` plus {@linkcode US_PER_OP} per op, divided among the functions in
 * proportion to their ops. Work beyond a function's share is charged to {@linkcode FAR_ALLOWANCE}, divided in the same
 * proportion, so that later functions keep their shares.
 */
export function planWithinBudget(
  context: PolicyContext,
  policy: PolicyName,
  decide: (fn: FunctionContext, options: PolicyOptions, budget: SearchBudget) => FinishedProgram,
): Plan {
  const { graph, opModel, options } = context;
  const work = new WorkAccount(opModel);
  const decided = graph.functions.filter(isDecided);
  const ops = decided.reduce((sum, fn) => sum + fn.ops.length, 0);
  const seconds = TIME_BUDGET.read(options.given.get(TIME_BUDGET.name));
  let budget = new WorkBudget(work, 1e6 * seconds + US_PER_OP * ops);
  let farUs = FAR_ALLOWANCE.perGraphUs + FAR_ALLOWANCE.perOpUs * ops;
  // The beams' share is independent of the work on earlier functions.
  const beamsOf = new Map(decided.map((fn) => {
    const share = fn.ops.length > SIZE_CLASSES.small ? BEAMS_SHARE.larger : BEAMS_SHARE.small;
    return [fn, share * budget.shareFor(fn, decided).leftUs];
  }));
  const waiting = [...decided];
  return planByPasses(
    context,
    policy,
    (fn, passOptions) => {
      const whole = budget.shareFor(fn.fn, waiting);
      const ownFarUs = farUs * shareOf(fn.fn, waiting);
      waiting.splice(waiting.indexOf(fn.fn), 1);
      const found = decide(fn, passOptions, {
        whole,
        far: whole.extendedBy(ownFarUs),
        beamsUs: beamsOf.get(fn.fn) ?? 0,
        exploringUs: Math.max(EXPLORED_ANYWAY, EXPLORING_SHARE * budget.leftUs),
      });
      const beyondUs = Math.min(whole.overdrawnUs, ownFarUs);
      farUs -= beyondUs;
      budget = budget.extendedBy(beyondUs);
      return found;
    },
    work,
  );
}
