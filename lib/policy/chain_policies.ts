// SPDX-License-Identifier: Apache-2.0
import { ChainContext } from "../chains/chain_context.ts";
import { fitPlan } from "../chains/fit_plan.ts";
import { bfInterleavedChoices, greedyL1InterleavedChoices } from "../chains/interleaved_choices.ts";
import { planDfSharding, planDfSharding2 } from "../chains/plan_chains.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { planFunctions } from "./plan_graph.ts";
import type { Policy, PolicyContext } from "./policy.ts";

/** `df-sharding`: chains in L1, everything between them through DRAM. */
export const DF_SHARDING_POLICY: Policy = {
  name: "df-sharding",
  summary:
    "Chains of ops solved by the ShardSolver, spilled to DRAM between each other (tt-mlir's former default)",
  decide: (context) =>
    planChains(context, "df-sharding", (chains) => planDfSharding(chains, context.traceSolver)),
};

/** `df-sharding-2`: chains whose outputs wait in L1 for what reads them. */
export const DF_SHARDING_2_POLICY: Policy = {
  name: "df-sharding-2",
  summary: "Chains as in df-sharding, merged where their outputs can wait in L1 for what reads them",
  decide: (context) =>
    planChains(
      context,
      "df-sharding-2",
      (chains) => planDfSharding2(chains, context.cost, context.traceSolver),
    ),
};

/** `greedy-l1-interleaved`: no sharding, L1 by usage. */
export const GREEDY_L1_INTERLEAVED_POLICY: Policy = {
  name: "greedy-l1-interleaved",
  summary:
    "L1 interleaved for the results that fill L1 best, ordered by what they need (tt-mlir's former baseline)",
  decide: (policy) =>
    planChains(
      policy,
      "greedy-l1-interleaved",
      (context) => fitPlan({ context, ...greedyL1InterleavedChoices(context), chains: [] }).plan,
    ),
};

/** `bf-interleaved`: no sharding, breadth first. */
export const BF_INTERLEAVED_POLICY: Policy = {
  name: "bf-interleaved",
  summary: "L1 interleaved breadth first, the op that adds least to L1 next (tt-mlir's former baseline)",
  decide: (policy) =>
    planChains(
      policy,
      "bf-interleaved",
      (context) => fitPlan({ context, ...bfInterleavedChoices(context), chains: [] }).plan,
    ),
};

/** The chain policies, oldest first. */
export const CHAIN_POLICIES: readonly Policy[] = [
  DF_SHARDING_POLICY,
  DF_SHARDING_2_POLICY,
  GREEDY_L1_INTERLEAVED_POLICY,
  BF_INTERLEAVED_POLICY,
];

function planChains(
  context: PolicyContext,
  name: string,
  plan: (chains: ChainContext) => FunctionPlan,
): Plan {
  const { graph, opModel, options } = context;
  return planFunctions(
    context,
    name,
    (fn) => plan(new ChainContext(fn, opModel, options, graph.constEvalL1Bytes)),
  );
}
