// SPDX-License-Identifier: Apache-2.0
import { policies } from "../lib/policy/policies.ts";
import { ROUNDING } from "../lib/policy/search_end.ts";
import type { Plan } from "../lib/plan/plan.ts";
import type { FunctionTimeline, Timeline } from "../sim/timeline/timeline.ts";

/** What is known of the distance between a plan and the best one. */
export type Certificate = "exact" | "bound" | "none";

/** The figures of a summary that say how far a plan may be from the best one (docs/optimality.md). */
export interface PlanGap {
  /** µs of one inference that no plan over the explored layouts undercuts; absent without a bound. */
  readonly lowerBoundUs?: number;
  /** Share by which the predicted time lies above `lowerBoundUs`: 0.05 is 5 %; with it. */
  readonly gap?: number;
  /**
   * `exact`: no plan over the explored layouts is faster. `bound`: none is faster by more than `gap`. `none`: nothing is
   * known. Absent where nobody asked.
   */
  readonly certificate?: Certificate;
}

/**
 * How far a predicted time lies above a lower bound. A bound of no time says nothing of a plan that takes some, and
 * where no explored layouts are possible, nothing is said of the plan that is there.
 */
export function gapAbove(lowerBoundUs: number, predictedUs: number): PlanGap {
  if (lowerBoundUs === Infinity) return { certificate: "none" };
  if (lowerBoundUs <= 0 && predictedUs > 0) return { certificate: "none" };
  const gap = predictedUs === 0 ? 0 : predictedUs / lowerBoundUs - 1;
  // A plan that another order of ops makes possible, or another kind of plan.
  if (gap < -ROUNDING) return { certificate: "none" };
  return { lowerBoundUs, gap, certificate: gap <= ROUNDING ? "exact" : "bound" };
}

/**
 * The gap of a plan by the bounds that its policy found; functions that no policy decides take what they take in every
 * plan. Nothing where the policy looks for no bounds, `none` where it does and did not find them all.
 */
export function gapOfPlan(plan: Plan, { functions, inference }: Timeline): PlanGap {
  const policy = policies.find(({ name }) => name === plan.policy);
  if (policy?.tellsGap !== true) return {};
  const boundOf = (fn: FunctionTimeline): number | undefined =>
    plan.functions.find(({ name }) => name === fn.name)?.lowerBoundUs ??
      (isUndecided(fn) ? fn.totalUs : undefined);
  const bounds = functions.filter(({ role }) => role === "inference").map(boundOf);
  let sum = 0;
  for (const bound of bounds) {
    if (bound === undefined) return { certificate: "none" };
    sum += bound;
  }
  return gapAbove(sum, inference.totalUs);
}

function isUndecided({ kind, steps }: FunctionTimeline): boolean {
  return (kind !== "forward_device" && kind !== "trace_main") || steps.length === 0;
}
