// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../graph/function_role.ts";
import { type GraphFunction, opAt } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import { type PlanMemory, simulateMemory } from "../memory/plan_memory.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { readOpConfig } from "../op_config/parse.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import type { PolicyContext } from "./policy.ts";

/**
 * The plan with another config for ops that the backend refuses with theirs, in the same layouts: the closest that it
 * takes, which differs in one field where one is enough. An input that was compiled for another chip or an earlier
 * backend states such configs, and policies that only choose layouts keep them.
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
  if (memory.refused.size === 0) return planned;
  const decisions = [...planned.decisions];
  for (const position of memory.refused.keys()) {
    const step = memory.execution.steps[position];
    const decision = step?.kind === "op" ? decisions[step.op] : undefined;
    const config = decision === undefined ? undefined : closestConfig(context, fn, memory, position);
    if (decision === undefined || config === undefined) continue;
    const reasons = [...decision.reasons, "its own config is refused in these layouts"];
    decisions[decision.op] = { ...decision, config, reasons };
  }
  const made = { ...planned, decisions };
  return faultsOf(memoryOf(context, fn, made)) < faultsOf(memory) ? made : planned;
}

function memoryOf(
  { opModel, options, graph }: PolicyContext,
  fn: GraphFunction,
  plan: FunctionPlan,
): PlanMemory {
  return simulateMemory(fn, plan, opModel, {
    cap: options.tensorL1UsageCap,
    constEvalL1Bytes: graph.constEvalL1Bytes,
    record: "failures",
  });
}

function faultsOf({ shortages, refused, unchecked }: PlanMemory): number {
  return shortages.size + refused.size + unchecked.size;
}

/** The first config that the op model takes in the layouts of a step, those that change one field in front. */
function closestConfig(
  { opModel, options, graph }: PolicyContext,
  fn: GraphFunction,
  { execution }: PlanMemory,
  position: number,
): OpSpecificAttributes | undefined {
  const step = execution.steps[position];
  const signature = step?.kind === "op" ? opSignatures(fn)[step.op] : undefined;
  if (step?.kind !== "op" || signature === undefined || opModel.freeConfigs === undefined) return undefined;
  const idOf = (instance: number) => {
    const layout = execution.layouts[instance];
    return layout === undefined ? undefined : opModel.layouts.intern(layout);
  };
  const [inputs, outputs] = [step.operands.map(idOf), step.results.map(idOf)];
  const { budget } = l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  const { name, attributes } = opAt(fn, step.op);
  const used = step.config ?? readOpConfig(name, attributes).config;
  const lists = opModel.freeConfigs(signature, inputs, outputs[0], used, budget);
  return lists.toReversed().flat().find((config) => {
    const answer = opModel.queryOpConstraints(signature, inputs, outputs[0], config);
    return answer.status === "valid" && answer.cbPlacedBytes <= budget &&
      outputs.every((layout, index) => layout === undefined || answer.outputLayouts[index] === layout);
  });
}
