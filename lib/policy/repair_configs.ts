// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../graph/function_role.ts";
import type { GraphFunction } from "../graph/graph.ts";
import { faultsOf, memoryOf, regionOf } from "./plan_memory.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { FunctionModel } from "../search/function_model.ts";
import type { PolicyContext } from "./policy.ts";

/**
 * The plan with another config for ops that the backend refuses with theirs, in the same layouts: the closest that it
 * takes, which differs in one field where one is enough. An input that was compiled for another chip or an earlier
 * backend states such configs, and policies that only choose layouts keep them. A function whose faults (steps that are
 * refused, do not fit or cannot be checked) do not become fewer stays as planned.
 */
export function repairConfigs(context: PolicyContext, plan: Plan): Plan {
  return {
    ...plan,
    functions: plan.functions.map((planned, index) => {
      const fn = context.graph.functions[index];
      return fn === undefined || !isDecided(fn) ? planned : repaired(context, fn, planned);
    }),
  };
}

function repaired(context: PolicyContext, fn: GraphFunction, planned: FunctionPlan): FunctionPlan {
  const memory = memoryOf(context, fn, planned);
  if (memory.verdict.refusedOps.length === 0) return planned;
  const { opModel } = context;
  const model = new FunctionModel(fn, opModel);
  const { budget } = regionOf(context);
  const idOf = (instance: number) => {
    const layout = memory.execution.layouts[instance];
    return layout === undefined ? undefined : opModel.layouts.intern(layout);
  };
  const decisions = [...planned.decisions];
  for (const [position, step] of memory.execution.steps.entries()) {
    if (memory.findings[position]?.refused === undefined) continue;
    const decision = step.kind === "op" ? decisions[step.op] : undefined;
    if (step.kind !== "op" || decision === undefined) continue;
    const [inputs, outputs] = [step.operands.map(idOf), step.results.map(idOf)];
    const config = model.closestConfig(step.op, { inputs, outputs, config: step.config }, budget);
    if (config === undefined) continue;
    const reasons = [...decision.reasons, "its own config is refused in these layouts"];
    decisions[decision.op] = { ...decision, config, reasons };
  }
  const made = { ...planned, decisions };
  return faultsOf(memoryOf(context, fn, made)) < faultsOf(memory) ? made : planned;
}
