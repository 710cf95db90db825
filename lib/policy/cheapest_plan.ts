// SPDX-License-Identifier: Apache-2.0
import { regionOf } from "./plan_memory.ts";
import { dispatchesOf } from "../graph/dispatch.ts";
import { isDecided } from "../graph/function_role.ts";
import { boundFunction, withWaits } from "../optimal/lower_bound.ts";
import type { HintConfigs } from "../opmodel/op_model.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import type { PlanPrices, Price } from "./plan_prices.ts";
import type { PolicyContext } from "./policy.ts";
import { SIZE_CLASSES } from "../search/limits.ts";

/** The plan chosen for each function, and which of the given plans it came from. */
export interface ChosenFunctions {
  readonly functions: readonly FunctionPlan[];
  /** Per function: the index of its plan. */
  readonly origins: readonly number[];
}

/**
 * The plan of each function: the lexicographic minimum of ({@linkcode Price.misfit}, unverified ops, µs), the first of
 * equal ones. An unchecked op has no memory need, which would flatter a plan. Functions that dispatch to each other
 * share layouts and take the same plan.
 *
 * @param prices of the plans
 * @param plans of the same graph. Lower bounds come from the first plan and are kept where the chosen plan is
 * not faster than them; a plan of another kind may be
 * @param hintConfigs op configs over which the lower bounds of the first plan hold
 */
export function cheapestFunctions(
  context: PolicyContext,
  prices: PlanPrices,
  plans: readonly [Plan, ...Plan[]],
  hintConfigs: HintConfigs = "upstream",
): ChosenFunctions {
  const { functions } = context.graph;
  const pricesOf = functions.map((fn, index) =>
    isDecided(fn) ? plans.map((plan) => prices.of(at(plan.functions, index), index)) : []
  );
  const origins = functions.map(() => 0);
  for (const group of dispatchGroups(context)) {
    const sums = plans.map((_, origin) => sumOf(group.map((index) => pricesOf[index]?.[origin])));
    const best = sums.reduce((least, sum, origin) => isBelow(sum, sums[least] ?? sum) ? origin : least, 0);
    for (const index of group) origins[index] = best;
  }
  const chosen = origins.map((origin, index): FunctionPlan => {
    const plan = at(at(plans, origin).functions, index);
    const { lowerBoundUs } = at(plans[0].functions, index);
    const price = pricesOf[index]?.[origin];
    if (lowerBoundUs === undefined || price === undefined) return plan;
    const layoutsUs = price.microseconds + (plan.configured?.savedUs ?? 0);
    if (layoutsUs >= lowerBoundUs) return { ...plan, lowerBoundUs };
    return withBoundOfAll(context, index, plan, layoutsUs, hintConfigs);
  });
  return { functions: chosen, origins };
}

/**
 * The same plan with the lower bound over plans of any kind, for a plan of another kind that beats the
 * bound over pass-based plans; without a bound if computing that takes too long. A plan that beats that bound too
 * has a layout that was not explored: its own time is then the bound.
 */
function withBoundOfAll(
  context: PolicyContext,
  index: number,
  plan: FunctionPlan,
  microseconds: number,
  hintConfigs: HintConfigs,
): FunctionPlan {
  const { graph, opModel, cost, options } = context;
  const fn = at(graph.functions, index);
  if (fn.ops.length > SIZE_CLASSES.short) return plan;
  const evaluator = new OpEvaluator(fn, opModel, cost, options, undefined, hintConfigs);
  const bound = withWaits(boundFunction(evaluator, opRoles(evaluator), regionOf(context), "confirmed"));
  return { ...plan, lowerBoundUs: Math.min(bound.microseconds, microseconds) };
}

/**
 * Whether every decided function has up to {@linkcode SIZE_CLASSES.short} ops, and all together up to {@linkcode
 * SIZE_CLASSES.shortGraph}.
 */
export function isShortGraph({ graph }: PolicyContext): boolean {
  const lengths = graph.functions.filter(isDecided).map(({ ops }) => ops.length);
  return lengths.every((ops) => ops <= SIZE_CLASSES.short) &&
    lengths.reduce((sum, ops) => sum + ops, 0) <= SIZE_CLASSES.shortGraph;
}

/**
 * Whether some decided function has more unverified ops (that do not fit, or cannot be checked) under a plan than with
 * everything in DRAM: an op that no plan verifies is no reason to look for other plans.
 *
 * @param inDram makes the plan with everything in DRAM, called only if an op is unverified; `undefined` if overrides
 * forbid that plan
 */
export function hasAvoidableUnverifiedOps(
  { graph }: PolicyContext,
  prices: PlanPrices,
  plan: Plan,
  inDram: () => Plan | undefined,
): boolean {
  const unverifiedOf = ({ functions }: Plan): readonly number[] =>
    graph.functions.map((fn, index) =>
      isDecided(fn) ? prices.of(at(functions, index), index).unverifiedOps : 0
    );
  const found = unverifiedOf(plan);
  if (found.every((ops) => ops === 0)) return false;
  const dram = inDram();
  if (dram === undefined) return true;
  const fewest = unverifiedOf(dram);
  return found.some((ops, index) => ops > (fewest[index] ?? 0));
}

/** Whether the first price is better, in the order of {@linkcode cheapestFunctions}. */
function isBelow(a: Price, b: Price): boolean {
  if (a.misfit !== b.misfit) return a.misfit < b.misfit;
  if (a.unverifiedOps !== b.unverifiedOps) return a.unverifiedOps < b.unverifiedOps;
  return a.microseconds < b.microseconds;
}

/** Times and unverified ops of functions added up, and the worst misfit; functions without a price are the same in every plan. */
function sumOf(prices: readonly (Price | undefined)[]): Price {
  return {
    microseconds: prices.reduce((sum, price) => sum + (price?.microseconds ?? 0), 0),
    misfit: prices.reduce((worst, price) => Math.max(worst, price?.misfit ?? 0), 0),
    unverifiedOps: prices.reduce((sum, price) => sum + (price?.unverifiedOps ?? 0), 0),
  };
}

/**
 * Groups of functions that dispatch to each other, directly or not, by index; every function is in exactly one
 * group.
 */
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
