// SPDX-License-Identifier: Apache-2.0
import { planMicroseconds } from "../cost/plan_runtime.ts";
import { dispatchesOf } from "../graph/dispatch.ts";
import { isDecided } from "../graph/function_role.ts";
import { simulateMemory } from "../memory/plan_memory.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import type { PolicyContext } from "./policy.ts";
import { isTooGoodForChains } from "./search_end.ts";

/** What some functions cost under a plan, and whether they fit. */
interface Price {
  readonly microseconds: number;
  /** 0 fits, 1 has ops whose memory nobody knows, 2 does not fit. */
  readonly misfit: number;
  /** Ops that do not fit or are not checked. */
  readonly doubtfulOps: number;
}

const MISFIT = { fits: 0, unchecked: 1, does_not_fit: 2 } as const;

/** Functions of a plan, and where each is from. */
export interface ChosenFunctions {
  readonly functions: readonly FunctionPlan[];
  /** Per function the index of its plan. */
  readonly origins: readonly number[];
}

/**
 * For every function the plan that costs least of those that fit, the first of equals. Where none fits or all have ops
 * that are not checked, those with the fewest such ops compete: a plan is not better for what nobody can vouch for. Functions that dispatch to one
 * another agree on layouts and take theirs from one plan.
 *
 * @param plans of the same graph; lower bounds are those of the first one, as far as the chosen plan lies above them: one
 * of another freedom may not
 */
export function cheapestFunctions(
  context: PolicyContext,
  plans: readonly [Plan, ...Plan[]],
): ChosenFunctions {
  const { functions } = context.graph;
  const prices = functions.map((fn, index) =>
    isDecided(fn) ? plans.map((plan) => priceOf(context, plan, index)) : []
  );
  const origins = functions.map(() => 0);
  for (const group of dispatchGroups(context)) {
    const sums = plans.map((_, origin) => sumOf(group.map((index) => prices[index]?.[origin])));
    const best = sums.reduce((least, sum, origin) => isBelow(sum, sums[least] ?? sum) ? origin : least, 0);
    for (const index of group) origins[index] = best;
  }
  const chosen = origins.map((origin, index): FunctionPlan => {
    const plan = at(at(plans, origin).functions, index);
    const { lowerBoundUs } = at(plans[0].functions, index);
    const price = prices[index]?.[origin];
    if (lowerBoundUs === undefined || price === undefined || price.microseconds < lowerBoundUs) return plan;
    return { ...plan, lowerBoundUs };
  });
  return { functions: chosen, origins };
}

/** Whether the memory of some decided function does not fit, or cannot be checked, under a plan. */
export function isInDoubt(context: PolicyContext, plan: Plan): boolean {
  return context.graph.functions.some((fn, index) =>
    isDecided(fn) && priceOf(context, plan, index).doubtfulOps > 0
  );
}

/** Whether every decided function fits and lies so near its lower bound that policies of chains are not worth trying. */
export function leavesChainsOut(context: PolicyContext, plan: Plan): boolean {
  return context.graph.functions.every((fn, index) => {
    if (!isDecided(fn)) return true;
    const { lowerBoundUs } = at(plan.functions, index);
    if (lowerBoundUs === undefined) return false;
    const { microseconds, doubtfulOps } = priceOf(context, plan, index);
    return doubtfulOps === 0 && isTooGoodForChains(fn.ops.length, microseconds, lowerBoundUs);
  });
}

function isBelow(a: Price, b: Price): boolean {
  if (a.misfit !== b.misfit) return a.misfit < b.misfit;
  if (a.doubtfulOps !== b.doubtfulOps) return a.doubtfulOps < b.doubtfulOps;
  return a.microseconds < b.microseconds;
}

function priceOf({ graph, opModel, cost, options, judge }: PolicyContext, plan: Plan, index: number): Price {
  const fn = at(graph.functions, index);
  const functionPlan = at(plan.functions, index);
  const { verdict } = simulateMemory(fn, functionPlan, opModel, {
    cap: options.tensorL1UsageCap,
    constEvalL1Bytes: graph.constEvalL1Bytes,
  });
  return {
    microseconds: judge?.(fn, functionPlan) ?? planMicroseconds(fn, functionPlan, opModel, cost),
    misfit: MISFIT[verdict.status],
    doubtfulOps: verdict.misfits.length + verdict.uncheckedOps.length,
  };
}

/** The sum over functions; those without a price are the same in every plan. */
function sumOf(prices: readonly (Price | undefined)[]): Price {
  return {
    microseconds: prices.reduce((sum, price) => sum + (price?.microseconds ?? 0), 0),
    misfit: prices.reduce((worst, price) => Math.max(worst, price?.misfit ?? 0), 0),
    doubtfulOps: prices.reduce((sum, price) => sum + (price?.doubtfulOps ?? 0), 0),
  };
}

/** Indices of functions that dispatch to one another, directly or not; every function is in one group. */
function dispatchGroups({ graph }: PolicyContext): readonly (readonly number[])[] {
  const { functions } = graph;
  const groupOf = functions.map((_, index) => index);
  for (const { caller, callee } of dispatchesOf(graph)) {
    const from = groupOf[functions.indexOf(callee)];
    const to = groupOf[functions.indexOf(caller)];
    if (from === undefined || to === undefined) continue;
    groupOf.forEach((group, index) => {
      if (group === from) groupOf[index] = to;
    });
  }
  return [...Map.groupBy(groupOf.keys(), (index) => groupOf[index] ?? index).values()];
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`Cannot look up function ${index}: there are ${items.length}`);
  return item;
}
