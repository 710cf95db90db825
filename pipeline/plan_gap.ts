// SPDX-License-Identifier: Apache-2.0
import { isDecidedKind } from "../lib/graph/function_role.ts";
import { freeOf } from "../lib/policy/free.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import type { PolicyFacts } from "../lib/policy/policy.ts";
import { POLICY_FACTS } from "../lib/policy/policy_facts.ts";
import { ON_BOUND } from "../lib/policy/search_limits.ts";
import type { FunctionPlan, Plan } from "../lib/plan/plan.ts";
import type { PlanKind } from "../lib/optimal/exploration/impl_table.ts";
import type { FunctionTimeline, Timeline } from "../sim/timeline/timeline.ts";

/** The proven relation of a plan's time to the optimum. */
export type Certificate = "exact" | "bound" | "none";

/** The figures of a summary about the distance of a plan from the best one (docs/optimality.md). */
export interface PlanGap {
  /** The µs of one inference that no plan over the explored layouts undercuts; absent without a bound. */
  readonly lowerBoundUs?: number;
  /** `(predictedUs + (configsSavedUs ?? 0)) / lowerBoundUs − 1`: 0.05 is 5 %; absent without a bound. */
  readonly gap?: number;
  /**
   * Saving in µs of op configs that were chosen afterwards for the plan's layouts, and that the bound does
   * not cover: the best configs of other layouts might save more or less. Absent if they save nothing, if
   * `certificate` is absent, or if a function has no bound.
   */
  readonly configsSavedUs?: number;
  /**
   * Ops of the plan that the op model could not check: nobody knows whether they run as they are priced. Absent if there
   * are none, or if `certificate` is absent or `none`.
   */
  readonly uncheckedOps?: number;
  /**
   * `exact`: no plan over the explored layouts is faster. `bound`: none is faster by more than `gap`. `none`: nothing
   * is known. Absent if not requested.
   */
  readonly certificate?: Certificate;
  /** Whether the best plan follows the same overrides; absent without any. */
  readonly withOverrides?: true;
  /**
   * The µs of one inference that no plan undercuts, with or without the overrides; absent if not requested, or if
   * {@linkcode gapAbove} gives no gap for it.
   */
  readonly freeLowerBoundUs?: number;
  /** `(predictedUs + (configsSavedUs ?? 0)) / freeLowerBoundUs − 1`; present with `freeLowerBoundUs`. */
  readonly freeGap?: number;
}

/**
 * The gap of a predicted time above a lower bound. The certificate is `none` if the bound is infinite (no explored
 * layouts are possible), 0 with a time > 0, or above a time > 0 by more than {@linkcode ON_BOUND} (it does not
 * cover the plan). A time of 0 has gap 0.
 */
export function gapAbove(lowerBoundUs: number, predictedUs: number): PlanGap {
  if (lowerBoundUs === Infinity) return { certificate: "none" };
  if (lowerBoundUs <= 0 && predictedUs > 0) return { certificate: "none" };
  const gap = predictedUs === 0 ? 0 : predictedUs / lowerBoundUs - 1;
  // The bound does not cover the plan: another order of ops, or another kind of plan.
  if (gap < -ON_BOUND) return { certificate: "none" };
  return { lowerBoundUs, gap, certificate: gap <= ON_BOUND ? "exact" : "bound" };
}

/**
 * The gap of a plan by the bounds of its policy; functions that no policy decides take the same time in every
 * plan. Empty if the policy searches for no bounds, `none` if it did not find all of them.
 */
export function gapOfPlan(plan: Plan, timeline: Timeline): PlanGap {
  const { functions } = timeline;
  if (policyOf(plan)?.tellsGap !== true) return {};
  const boundOf = (fn: FunctionTimeline): number | undefined =>
    planOf(plan, fn)?.lowerBoundUs ??
      (isDecidedKind(fn.kind) && fn.steps.length > 0 ? undefined : fn.totalUs);
  const bounds = functions.filter(({ role }) => role === "inference").map(boundOf);
  let sum = 0;
  for (const bound of bounds) {
    if (bound === undefined) return { certificate: "none" };
    sum += bound;
  }
  return gapOfLayouts(plan, timeline, sum);
}

/**
 * The gap of a plan above a bound that does not cover the op configs chosen afterwards for its layouts. `none` where an op's
 * time is unknown, the plan does not run or finds no room in DRAM, or no op could be checked: no plan that runs was compared then.
 */
export function gapOfLayouts(
  plan: Plan,
  { functions, inference, unpriced, verdict }: Pick<
    Timeline,
    "functions" | "inference" | "unpriced" | "verdict"
  >,
  lowerBoundUs: number,
): PlanGap {
  const steps = functions.filter(({ role }) => role === "inference").flatMap((fn) => fn.steps);
  const isUnchecked = steps.length > 0 && steps.every(({ unchecked }) => unchecked !== undefined);
  const isImpossible = verdict.status === "does_not_run" ||
    verdict.misfits.some(({ memory }) => memory === "dram");
  if (unpriced.length > 0 || isUnchecked || isImpossible) return { certificate: "none" };
  const configsSavedUs = functions.filter(({ role }) => role === "inference")
    .reduce((sum, fn) => sum + (planOf(plan, fn)?.configured?.savedUs ?? 0), 0);
  const gap = gapAbove(lowerBoundUs, inference.totalUs + configsSavedUs);
  const unchecked = verdict.uncheckedOps.length;
  return {
    ...gap,
    ...(configsSavedUs === 0 ? {} : { configsSavedUs }),
    ...(unchecked === 0 || gap.certificate === "none" ? {} : { uncheckedOps: unchecked }),
  };
}

function planOf({ functions }: Plan, fn: FunctionTimeline): FunctionPlan | undefined {
  return functions.find(({ name }) => name === fn.name);
}

/**
 * The kind of the plans to compare with: that of the policy, or `hinted` if the policy finds the bound
 * itself or is unknown.
 */
export function comparedPlanKind(plan: Plan): PlanKind {
  const policy = policyOf(plan);
  return policy === undefined || policy.tellsGap === true ? "hinted" : policy.planKind;
}

/** The options of a plan's decision; `free` lists all its freedoms, the policy's defaults included. */
export function decidedWith(plan: Plan, options: PolicyOptions): PolicyOptions {
  return { ...options, free: freeOf(policyOf(plan) ?? {}, options) };
}

function policyOf({ policy }: Plan): PolicyFacts | undefined {
  return POLICY_FACTS.find(({ name }) => name === policy);
}

/**
 * Adds the gap to the best plan without overrides; `gap` itself without overrides or certificate.
 *
 * @param freeLowerBoundUs bound of plans that need not follow them; `undefined` if not requested
 */
export function besideOverrides(
  gap: PlanGap,
  isOverridden: boolean,
  predictedUs: number,
  freeLowerBoundUs: number | undefined,
): PlanGap {
  if (!isOverridden || gap.certificate === undefined) return gap;
  const layoutsUs = predictedUs + (gap.configsSavedUs ?? 0);
  const free = freeLowerBoundUs === undefined ? {} : gapAbove(freeLowerBoundUs, layoutsUs);
  return {
    ...gap,
    withOverrides: true,
    ...(free.lowerBoundUs === undefined || free.gap === undefined
      ? {}
      : { freeLowerBoundUs: free.lowerBoundUs, freeGap: free.gap }),
  };
}
