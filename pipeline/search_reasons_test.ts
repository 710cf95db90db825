// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { FunctionSearchLog, SearchStepRecord } from "../lib/policy/search_log.ts";
import { searchReasons } from "./search_reasons.ts";

function record(step: SearchStepRecord["step"], rest: Partial<SearchStepRecord> = {}): SearchStepRecord {
  return {
    step,
    runs: 1,
    skipped: undefined,
    workUs: 1,
    incumbentUs: undefined,
    savedUs: 0,
    boundUs: undefined,
    raisedUs: 0,
    ...rest,
  };
}

function log(steps: readonly SearchStepRecord[], isSpent = false): FunctionSearchLog {
  return { function: "main", ops: steps.length, steps, isSpent, moves: [] };
}

const FOUND = [record("explore"), record("eliminate", { incumbentUs: 100 })];

Deno.test("searchReasons() names the step that found the fastest plan, by how much, and what found none", () => {
  const steps = [
    ...FOUND,
    record("addresses", { incumbentUs: 90, savedUs: 10 }),
    record("beams", { incumbentUs: 88, savedUs: 2 }),
    record("interleaved", { incumbentUs: 88 }),
    record("memory-order", { runs: 0, skipped: "does not apply" }),
  ];
  assertEquals(searchReasons([log(steps)], { certificate: "bound", gap: 0.1, lowerBoundUs: 80 }), [
    "A plan of beam-cost won (beams), 2.00 µs (2.2 %) faster than the best before it; " +
    "eliminate, addresses and interleaved found nothing faster.",
    "The search ended because every step that applies had run; the plan is 10.0 % above its lower bound.",
  ]);
});

Deno.test("searchReasons() says what ended the search: the bound, or the budget", () => {
  const first = "The exact assignment of layouts won (eliminate), the first that was tried";
  assertEquals(searchReasons([log(FOUND)], { certificate: "exact" }), [
    `${first}.`,
    "The search ended because the plan meets its lower bound: no plan of the explored layouts is faster.",
  ]);
  const cut = [...FOUND, record("other-policies"), record("addresses", { runs: 0, skipped: "budget spent" })];
  assertEquals(searchReasons([log(cut)], { certificate: "none" }), [
    `${first}; other-policies found nothing faster.`,
    "The search ended because --time-budget was spent before addresses; " +
    "nothing is known of how much faster another plan could be.",
  ]);
  assertEquals(
    searchReasons([log(FOUND, true)], { certificate: "bound", gap: 0.5 })[1],
    "The search ended because --time-budget was spent; the plan is 50.0 % above its lower bound.",
  );
});

Deno.test("searchReasons() tells about the longest function, and nothing without a search in steps", () => {
  assertEquals(searchReasons([], {}), []);
  const short = { ...log([record("beams", { incumbentUs: 1 })]), function: "load" };
  assertEquals(
    searchReasons([short, log(FOUND)], { certificate: "exact" })[0]?.slice(0, 29),
    "@main: The exact assignment o",
  );
});
