// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../graph/graph.ts";
import { DECIDED_KINDS } from "../policy/plan_graph.ts";
import type { Policy, PolicyContext } from "../policy/policy.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { identityPlan } from "../plan/steps.ts";
import { ChainContext } from "./chain_context.ts";
import { type DecidedChains, scheduleChains, solveChains } from "./decide_chains.ts";
import { fitPlan } from "./fit_plan.ts";

/** `df-sharding`: chains in L1, everything between them through DRAM. */
export const DF_SHARDING_POLICY: Policy = {
  name: "df-sharding",
  summary:
    "Chains of ops solved by the ShardSolver, spilled to DRAM between each other (tt-mlir's former default)",
  decide: (context) => planChains(context, "df-sharding", decideDfSharding),
};

/** DFSharding 1.0: concats stay in DRAM. */
function decideDfSharding(context: ChainContext, policy: PolicyContext): DecidedChains {
  const decided = scheduleChains(context);
  solveChains(context, decided, policy.traceSolver);
  for (const chain of decided.chains) {
    if (!chain.isConcatChain) continue;
    chain.fail("only df-sharding-2 keeps the inputs of a concat in L1");
    for (const op of chain.ops) decided.reasons.add(op, `chain ${chain.id} failed: ${chain.failure}`);
  }
  return decided;
}

/** Plans every function that runs on the device by its chains; the others stay as they are. */
function planChains(
  context: PolicyContext,
  policy: string,
  decide: (context: ChainContext, policy: PolicyContext) => DecidedChains,
): Plan {
  const { graph, opModel, options } = context;
  const planFunction = (fn: GraphFunction): FunctionPlan => {
    const chainContext = new ChainContext(fn, opModel, options);
    const { chains, order, reasons } = decide(chainContext, context);
    return fitPlan({
      context: chainContext,
      order,
      chains,
      singles: new Map(),
      reasons,
      constEvalL1Bytes: graph.constEvalL1Bytes,
    }).plan;
  };
  return {
    schema: "tilewright.plan/1",
    policy,
    device: opModel.chip.name,
    functions: graph.functions.map((fn) =>
      DECIDED_KINDS.has(fn.kind) && fn.ops.length > 0 ? planFunction(fn) : identityPlan(fn)
    ),
  };
}

/** The chain policies, oldest first. */
export const CHAIN_POLICIES: readonly Policy[] = [DF_SHARDING_POLICY];
