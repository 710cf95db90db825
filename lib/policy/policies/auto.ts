// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { isDecided } from "../../graph/function_role.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Plan } from "../../plan/plan.ts";
import type { DecisionTrace } from "../../propagation/decision_trace.ts";
import { OVERRIDE_REFUSED } from "../../search/op_overrides.ts";
import { cheapestFunctions, hasAvoidableUnverifiedOps, isShortGraph } from "../cheapest_plan.ts";
import { BEAM_WIDTH, PASS_OPTIONS, SHARD_SOLVER_OPTIONS, TIME_BUDGET } from "../options.ts";
import { PlanPrices } from "../plan_prices.ts";
import { planWithinBudget } from "../plan_within_budget.ts";
import type { Policy, PolicyContext } from "../policy.ts";
import { policy as beamCost } from "./beam_cost.ts";
import { policy as bfInterleaved } from "./bf_interleaved.ts";
import { policy as dfSharding } from "./df_sharding.ts";
import { policy as dfSharding2 } from "./df_sharding_2.ts";
import { policy as dram } from "./dram.ts";
import { policy as greedyL1Interleaved } from "./greedy_l1_interleaved.ts";
import type { FunctionSearchLog, SearchStepRecord } from "../search_log.ts";
import { CLOSE } from "../search_limits.ts";
import { OTHER_POLICIES } from "../search_plan.ts";
import { searchExactly } from "./optimal.ts";
import { configurePlan } from "../configure_plan.ts";
import { obeyingFree } from "../obeying_free.ts";
import { freeOf, hintConfigsOf } from "../free.ts";

/** The search of `optimal`, and for short graphs other policies as well; reports a certificate. */
export const policy: Policy = obeyingFree({
  name: "auto",
  summary:
    "Exact assignments, beams and spills within --time-budget; in short graphs also chains; with its gap",
  rank: 0,
  planKind: "confirmed",
  ranksByTime: true,
  options: [...new Set([TIME_BUDGET, BEAM_WIDTH, ...PASS_OPTIONS, ...SHARD_SOLVER_OPTIONS])],
  tellsGap: true,
  free: ["layouts", "configs"],
  decide: auto,
});

/**
 * Policies that compete with the search. `all` is `beam-cost` and the chain policies, the most promising first. Of these
 * only the best chain policy competes with a plan within {@linkcode CLOSE} of its bound: it queries without hints, which
 * that bound does not cover. In 726 runs (364 short inputs, two chips) the others gained at most 2.4 % then (a transposed
 * convolution, n150), and took up to a quarter of the processor time.
 */
const OTHERS: { readonly all: readonly Policy[]; readonly ofClose: readonly Policy[] } = {
  all: [beamCost, dfSharding2, dfSharding, greedyL1Interleaved, bfInterleaved],
  ofClose: [dfSharding2],
};

function auto(context: PolicyContext): Plan {
  const { graph, decisionTrace, searchLog } = context;
  const traces: DecisionTrace[] = [];
  const logs: FunctionSearchLog[] = [];
  const byPasses = planWithinBudget(
    {
      ...context,
      decisionTrace: decisionTrace && ((trace) => traces.push(trace)),
      searchLog: searchLog && ((log) => logs.push(log)),
    },
    policy,
    searchExactly,
  );
  const prices = new PlanPrices(context);
  const competition = compete(context, prices, byPasses);
  for (const trace of traces) {
    if (competition.origins[indexOf(graph, trace.function)] === 0) decisionTrace?.(trace);
  }
  for (const log of logs) {
    searchLog?.({
      ...log,
      steps: [...log.steps, othersRecord(competition, prices, indexOf(graph, log.function))],
    });
  }
  return competition.plan;
}

function indexOf({ functions }: Graph, name: string): number {
  return functions.findIndex((fn) => fn.name === name);
}

/** The search's plan against those of the other policies. */
interface Competition {
  /** Why the other policies did not compete; `undefined` if they did. */
  readonly skipped: SearchStepRecord["skipped"];
  /** The search's plan, with its final op configs if it competed. */
  readonly own: Plan;
  /** The fastest of each function. */
  readonly plan: Plan;
  /** By function: 0 if its plan is the search's. */
  readonly origins: readonly number[];
  /** By function: the policy of its plan; empty without a competition. */
  readonly policies: readonly (string | undefined)[];
}

function compete(context: PolicyContext, prices: PlanPrices, byPasses: Plan): Competition {
  const { options, graph, leftOut } = context;
  // Traces and evaluators are those of the search.
  const silent: PolicyContext = { ...context, decisionTrace: undefined, evaluated: undefined };
  // The search need not have explored what a beam finds. And the check of finished plans may reject a plan that
  // the search accepted, which drops slower plans that pass it.
  const needsOthers = OTHER_POLICIES.applies.holds({
    isShortGraph: isShortGraph(context),
    hasAvoidableUnverifiedOps: () =>
      hasAvoidableUnverifiedOps(context, prices, byPasses, () => carriedOut(dram, silent)[0]),
  });
  const isLeftOut = leftOut?.has(OTHER_POLICIES.step) === true;
  const skipped = isLeftOut ? "left out" : needsOthers ? undefined : "does not apply";
  if (!needsOthers) {
    return { skipped, own: byPasses, plan: byPasses, origins: graph.functions.map(() => 0), policies: [] };
  }
  const others = (isLeftOut ? [] : isCloseToBound(graph, prices, byPasses) ? OTHERS.ofClose : OTHERS.all)
    .filter(({ needsSharding }) => needsSharding !== true || options.enableL1ShardingLayouts)
    // Chain policies tell none.
    .flatMap((other) => carriedOut(other, other === beamCost ? silent : context));
  // Plans compete with their final op configs.
  const finished = (plan: Plan): Plan =>
    freeOf(policy, options).includes("configs") ? configurePlan(context, plan, true) : plan;
  const own = finished(byPasses);
  const competing = [own, ...others.map(finished)] as const;
  const hints = hintConfigsOf(policy, options);
  const { functions, origins } = cheapestFunctions(context, prices, competing, hints);
  const policies = origins.map((origin) => competing[origin]?.policy);
  return { skipped, own, plan: { ...byPasses, functions }, origins, policies };
}

/** Whether every decided function runs under a plan, and within {@linkcode CLOSE} of its lower bound. */
function isCloseToBound({ functions }: Graph, prices: PlanPrices, plan: Plan): boolean {
  return functions.every((fn, index) => {
    const planned = plan.functions[index];
    if (!isDecided(fn) || planned === undefined) return true;
    const { microseconds, misfit, unverifiedOps } = prices.of(planned, index);
    return misfit === 0 && unverifiedOps === 0 && microseconds <= (planned.lowerBoundUs ?? 0) * (1 + CLOSE);
  });
}

/** Record of the other policies for a function, by the prices of finished plans. */
function othersRecord(
  { skipped, own, plan, policies }: Competition,
  prices: PlanPrices,
  index: number,
): SearchStepRecord {
  const [before, after] = [own.functions[index], plan.functions[index]];
  const incumbentUs = after && prices.of(after, index).microseconds;
  const savedUs = before === undefined || incumbentUs === undefined || skipped !== undefined
    ? 0
    : Math.max(0, prices.of(before, index).microseconds - incumbentUs);
  const winner = policies[index];
  return {
    step: OTHER_POLICIES.step,
    ...(savedUs > 0 && winner !== undefined ? { policy: winner } : {}),
    runs: skipped === undefined ? 1 : 0,
    skipped,
    workUs: undefined,
    incumbentUs,
    savedUs,
    boundUs: after?.lowerBoundUs,
    raisedUs: 0,
  };
}

/** The plan of a policy; empty if it cannot follow an override, which another policy may follow. */
function carriedOut(policy: Policy, context: PolicyContext): readonly Plan[] {
  try {
    return [policy.decide(context)];
  } catch (error) {
    if (
      error instanceof DiagnosticError && error.diagnostics.every(({ code }) => code === OVERRIDE_REFUSED)
    ) {
      return [];
    }
    throw error;
  }
}
