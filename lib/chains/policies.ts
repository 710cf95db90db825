// SPDX-License-Identifier: Apache-2.0
import { planMicroseconds } from "../cost/plan_runtime.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import type { GraphFunction, OpId } from "../graph/graph.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { identityPlan } from "../plan/steps.ts";
import { DECIDED_KINDS } from "../policy/plan_graph.ts";
import type { Policy, PolicyContext } from "../policy/policy.ts";
import { ChainContext } from "./chain_context.ts";
import { applyChainMerges } from "./chain_merges.ts";
import { resolveConcatChains, setConcatChainPreferences } from "./concat_chains.ts";
import { type DecidedChains, scheduleChains, solveChains } from "./decide_chains.ts";
import { fitPlan } from "./fit_plan.ts";
import {
  bfInterleavedChoices,
  greedyL1InterleavedChoices,
  type InterleavedChoices,
} from "./interleaved_choices.ts";
import { l1InterleavedFallback } from "./l1_interleaved_fallback.ts";
import { MergeState } from "./merge_state.ts";
import { applyL1ReservationsForForkOps, applyL1ReservationsForReshapes } from "./output_reservations.ts";

/** `df-sharding`: chains in L1, everything between them through DRAM. */
export const DF_SHARDING_POLICY: Policy = {
  name: "df-sharding",
  summary:
    "Chains of ops solved by the ShardSolver, spilled to DRAM between each other (tt-mlir's former default)",
  decide: (context) =>
    planGraphChains(context, "df-sharding", (fn) => planFunction(context, fn, decideDfSharding)),
};

/** `df-sharding-2`: chains whose outputs wait in L1 for what reads them. */
export const DF_SHARDING_2_POLICY: Policy = {
  name: "df-sharding-2",
  summary: "Chains as in df-sharding, merged where their outputs can wait in L1 for what reads them",
  decide: (context) =>
    planGraphChains(context, "df-sharding-2", (fn) => {
      const merged = planFunction(context, fn, decideDfSharding2);
      if (context.options.legacyQuirks) return merged;
      const plain = planFunction(context, fn, decideDfSharding);
      const price = (plan: FunctionPlan) => planMicroseconds(fn, plan, context.opModel, context.cost);
      if (price(plain) >= price(merged)) return merged;
      return withReason(
        plain,
        `df-sharding-2 keeps the chains unmerged: merged they are slower (${
          price(merged).toFixed(1)
        } µs instead of ${price(plain).toFixed(1)} µs predicted)`,
      );
    }),
};

/** `greedy-l1-interleaved`: no sharding, L1 by usage. */
export const GREEDY_L1_INTERLEAVED_POLICY: Policy = {
  name: "greedy-l1-interleaved",
  summary:
    "L1 interleaved for the results that fill L1 best, ordered by what they need (tt-mlir's former baseline)",
  decide: (context) =>
    planGraphChains(
      context,
      "greedy-l1-interleaved",
      (fn) => planInterleaved(context, fn, greedyL1InterleavedChoices),
    ),
};

/** `bf-interleaved`: no sharding, breadth first. */
export const BF_INTERLEAVED_POLICY: Policy = {
  name: "bf-interleaved",
  summary: "L1 interleaved breadth first, the op that adds least to L1 next (tt-mlir's former baseline)",
  decide: (context) =>
    planGraphChains(context, "bf-interleaved", (fn) => planInterleaved(context, fn, bfInterleavedChoices)),
};

/** The chain policies, oldest first. */
export const CHAIN_POLICIES: readonly Policy[] = [
  DF_SHARDING_POLICY,
  DF_SHARDING_2_POLICY,
  GREEDY_L1_INTERLEAVED_POLICY,
  BF_INTERLEAVED_POLICY,
];

type Decide = (context: ChainContext, policy: PolicyContext) => DecidedChains;

/** DFSharding 1.0: concats stay in DRAM. */
function decideDfSharding(context: ChainContext, policy: PolicyContext): DecidedChains {
  const decided = scheduleChains(context);
  solveChains(context, decided, { countOperandBytes: false }, policy.traceSolver);
  for (const chain of decided.chains) {
    if (!chain.isConcatChain) continue;
    chain.fail("only df-sharding-2 keeps the inputs of a concat in L1");
    for (const op of chain.ops) decided.reasons.add(op, `chain ${chain.id} failed: ${chain.failure}`);
  }
  return decided;
}

/** DFSharding 2.0, its steps in the documented order (tt-mlir:optimizer-document §4.1.7). */
function decideDfSharding2(context: ChainContext, policy: PolicyContext): DecidedChains {
  const decided = scheduleChains(context);
  setConcatChainPreferences(context, decided);
  solveChains(context, decided, { countOperandBytes: !context.options.legacyQuirks }, policy.traceSolver);
  const state = new MergeState(context, decided);
  resolveConcatChains(state);
  applyL1ReservationsForReshapes(state);
  applyL1ReservationsForForkOps(state);
  applyChainMerges(state);
  return { ...decided, chains: state.chains };
}

/** Plans every function that runs on the device; the others stay as they are. */
function planGraphChains(
  { graph, opModel }: PolicyContext,
  policy: string,
  plan: (fn: GraphFunction) => FunctionPlan,
): Plan {
  return {
    schema: "tilewright.plan/1",
    policy,
    device: opModel.chip.name,
    functions: graph.functions.map((fn) =>
      DECIDED_KINDS.has(fn.kind) && fn.ops.length > 0 ? plan(fn) : identityPlan(fn)
    ),
  };
}

function planFunction(policy: PolicyContext, fn: GraphFunction, decide: Decide): FunctionPlan {
  const context = new ChainContext(fn, policy.opModel, policy.options);
  const { chains, order, reasons } = decide(context, policy);
  const request = {
    context,
    order,
    chains,
    singles: new Map<OpId, OpConfig>(),
    reasons,
    constEvalL1Bytes: policy.graph.constEvalL1Bytes,
  };
  const unsolved = chains.filter(({ state }) => state === "Failed").length;
  let { plan, demotions } = fitPlan(request);
  if (policy.options.l1InterleavedFallback) {
    for (const [op, config] of l1InterleavedFallback(context, plan)) {
      request.singles.set(op, config);
      reasons.add(
        op,
        "L1 interleaved: its only reader is the next op (--l1-interleaved-fallback-analysis-enabled)",
      );
    }
    const refitted = fitPlan(request);
    plan = refitted.plan;
    demotions += refitted.demotions;
  }
  const completed = chains.filter(({ state }) => state === "Completed");
  return {
    ...plan,
    counters: {
      "chains": chains.length,
      "without a solution": unsolved,
      "given up": chains.length - completed.length - unsolved,
      "outputs kept in L1": completed.filter(({ spillLocation }) => spillLocation !== "DRAM").length,
      "demotions": demotions,
    },
  };
}

function planInterleaved(
  policy: PolicyContext,
  fn: GraphFunction,
  choose: (context: ChainContext, constEvalL1Bytes: number) => InterleavedChoices,
): FunctionPlan {
  const context = new ChainContext(fn, policy.opModel, policy.options);
  const { constEvalL1Bytes } = policy.graph;
  return fitPlan({ context, ...choose(context, constEvalL1Bytes), chains: [], constEvalL1Bytes }).plan;
}

/** Adds a reason to the first op: it holds for the function as a whole. */
function withReason(plan: FunctionPlan, reason: string): FunctionPlan {
  return {
    ...plan,
    decisions: plan.decisions.map((decision, op) =>
      op === 0 ? { ...decision, reasons: [...decision.reasons, reason] } : decision
    ),
  };
}
