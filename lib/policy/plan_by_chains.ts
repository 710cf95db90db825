// SPDX-License-Identifier: Apache-2.0
import { ChainContext } from "../chains/chain_context.ts";
import { dispatchOpsOf } from "../graph/dispatch.ts";
import { type GraphFunction, valueAt } from "../graph/graph.ts";
import { obeysOverride } from "../overrides/op_overrides.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { overrideRefused } from "../search/op_overrides.ts";
import { planFunctions } from "./plan_graph.ts";
import type { PolicyContext } from "./policy.ts";

/**
 * The last context of each function, so that chain policies compared on one graph share its enumerated
 * configs.
 */
const CHAIN_CONTEXTS: WeakMap<GraphFunction, ChainContext> = new WeakMap();

/** The plan of a chain policy, which `plan` makes function by function. */
export function planByChains(
  context: PolicyContext,
  policy: string,
  plan: (chains: ChainContext) => FunctionPlan,
): Plan {
  const { graph, opModel, options } = context;
  return planFunctions(context, policy, (fn) => {
    let chains = CHAIN_CONTEXTS.get(fn);
    if (chains === undefined || chains.opModel !== opModel || chains.options !== options) {
      chains = new ChainContext(fn, opModel, options, graph.constEvalL1Bytes, dispatchOpsOf(graph, fn));
      CHAIN_CONTEXTS.set(fn, chains);
    }
    const decided = plan(chains);
    requireObeyed(chains, decided);
    return decided;
  });
}

/** @throws {DiagnosticError} if an op does not have the layout that its override asks for */
function requireObeyed({ fn, overrides }: ChainContext, { decisions }: FunctionPlan): void {
  for (const op of fn.ops) {
    const override = overrides.get(op.id)?.outputLayout;
    const [result] = op.results;
    if (override === undefined || result === undefined) continue;
    const layout = decisions[op.id]?.outputLayouts[0] ?? valueAt(fn, result).layout;
    if (layout === undefined || obeysOverride(layout, override)) continue;
    throw overrideRefused(op, decisions[op.id]?.reasons.at(-1) ?? "no chain runs it like that");
  }
}
