// SPDX-License-Identifier: Apache-2.0
import { ChainContext } from "../chains/chain_context.ts";
import { dispatchOpsOf } from "../graph/dispatch.ts";
import { type GraphFunction, valueAt } from "../graph/graph.ts";
import { obeysOverride } from "../overrides/op_overrides.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { overrideRefused } from "../search/op_overrides.ts";
import { obeyingFree } from "./obeying_free.ts";
import { planFunctions } from "./plan_graph.ts";
import type { Policy, PolicyContext } from "./policy.ts";

/**
 * The last context of each function, so that chain policies compared on one graph share its enumerated
 * configs.
 */
const CHAIN_CONTEXTS: WeakMap<GraphFunction, ChainContext> = new WeakMap();

/** A chain policy: it plans function by function, and obeys `--free`. */
interface ChainPolicy extends Omit<Policy, "decide"> {
  plan(chains: ChainContext, context: PolicyContext): FunctionPlan;
}

/** The policy that decides by chains. */
export function chainPolicy({ plan, ...policy }: ChainPolicy): Policy {
  return obeyingFree({
    ...policy,
    decide: (context) =>
      planFunctions(context, policy.name, (fn) => {
        const chains = chainsOf(context, fn);
        const decided = plan(chains, context);
        requireObeyed(chains, decided);
        return decided;
      }),
  });
}

function chainsOf({ graph, opModel, options }: PolicyContext, fn: GraphFunction): ChainContext {
  const cached = CHAIN_CONTEXTS.get(fn);
  if (cached?.opModel === opModel && cached.options === options) return cached;
  const chains = new ChainContext(fn, opModel, options, graph.constEvalL1Bytes, dispatchOpsOf(graph, fn));
  CHAIN_CONTEXTS.set(fn, chains);
  return chains;
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
