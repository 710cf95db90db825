// SPDX-License-Identifier: Apache-2.0
import type { FunctionSearchLog, SearchStepRecord } from "../lib/policy/search_log.ts";
import { stepFacts } from "../lib/policy/search_plan.ts";
import type { PlanGap } from "./plan_gap.ts";

/** Smaller savings are noise of floating-point sums. */
const LEAST_SAVED_US = 1e-6;

/**
 * Why a search ended with its plan, in two sentences: the step that found it, by how much it won and against what;
 * and what ended the search. Only about the longest function. Empty without a search in steps.
 *
 * @param logs of the search behind the plan
 * @param gap of the plan
 */
export function searchReasons(logs: readonly FunctionSearchLog[], gap: PlanGap): readonly string[] {
  const [log] = logs.toSorted((a, b) => b.ops - a.ops);
  if (log === undefined) return [];
  const won = winnerOf(log);
  const where = logs.length > 1 ? `@${log.function}: ` : "";
  return [...(won === undefined ? [] : [where + foundText(log, won)]), endText(log, gap)];
}

/** The step whose program is the fastest; the first of those that found any if none found a faster one. */
function winnerOf({ steps }: FunctionSearchLog): SearchStepRecord | undefined {
  const found = steps.filter(({ runs, incumbentUs }) => runs > 0 && incumbentUs !== undefined);
  const [fastest] = found.filter(({ savedUs }) => savedUs > LEAST_SAVED_US)
    .toSorted((a, b) => (a.incumbentUs ?? Infinity) - (b.incumbentUs ?? Infinity));
  return fastest ?? found[0];
}

function foundText(
  { steps }: FunctionSearchLog,
  { step, policy, incumbentUs = 0, savedUs }: SearchStepRecord,
): string {
  const others = steps.filter((other) => other.runs > 0 && other.step !== step && other.step !== "explore")
    .map((other) => other.step);
  const by = savedUs > LEAST_SAVED_US
    ? `${microseconds(savedUs)} (${
      percent(savedUs / (incumbentUs + savedUs))
    }) faster than the best before it`
    : "the first that was tried";
  const beaten = others.length === 0 ? "" : `; ${listOf(others)} found nothing faster`;
  const plan = policy === undefined ? stepFacts(step).finds : `The plan of ${policy}`;
  return `${plan} won (${step}), ${by}${beaten}.`;
}

function endText({ steps, isSpent }: FunctionSearchLog, { certificate, gap = 0 }: PlanGap): string {
  if (certificate === "exact") {
    return "The search ended because the plan meets its lower bound: no plan of the explored layouts is faster.";
  }
  const unrun = steps.filter(({ skipped }) => skipped === "budget spent").map(({ step }) => step);
  const why = unrun.length > 0
    ? `--time-budget was spent before ${listOf(unrun)}`
    : isSpent
    ? "--time-budget was spent"
    : "every step that applies had run";
  const open = certificate === "bound"
    ? `the plan is ${percent(gap)} above its lower bound`
    : "nothing is known of how much faster another plan could be";
  return `The search ended because ${why}; ${open}.`;
}

function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function microseconds(us: number): string {
  return `${us < 100 ? us.toPrecision(3) : us.toFixed(0)} µs`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
