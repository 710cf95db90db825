// SPDX-License-Identifier: Apache-2.0
import { regionOf } from "./plan_memory.ts";
import { ImprovementLog } from "../improve/improvement_log.ts";
import { isDecided } from "../graph/function_role.ts";
import type { GraphFunction } from "../graph/graph.ts";
import { withLiveActivationsKept } from "../plan/live_activations.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { identityPlan } from "../plan/steps.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import { WorkAccount } from "../search/work_account.ts";
import { withDispatchedResults } from "./dispatched_plans.ts";
import type { FunctionContext } from "./function_context.ts";
import { hintConfigsOf } from "./free.ts";
import type { PolicyOptions } from "./options.ts";
import type { FinishedProgram } from "./pass_pipeline.ts";
import type { Policy, PolicyContext } from "./policy.ts";
import { traceOf } from "./trace_of.ts";

/** Builds a plan by deciding every function that runs on the device and leaving the others as they are. */
export function planFunctions(
  context: PolicyContext,
  policy: string,
  decide: (fn: GraphFunction) => FunctionPlan,
): Plan {
  const { graph, opModel } = context;
  const plans = graph.functions.map((fn) => isDecided(fn) ? decide(fn) : identityPlan(fn));
  return {
    schema: "tilewright.plan/1",
    policy,
    device: opModel.chip.name,
    functions: withDispatchedResults(context, plans),
  };
}

/** The parts of a policy that go into its plans. */
export type PolicyName = Pick<Policy, "name" | "free">;

/**
 * The plan of a pass-based policy, which `decide` makes function by function.
 *
 * @param work account that all functions charge their work to
 */
export function planByPasses(
  context: PolicyContext,
  policy: PolicyName,
  decide: (fn: FunctionContext, options: PolicyOptions) => FinishedProgram,
  work: WorkAccount = new WorkAccount(context.opModel),
): Plan {
  const { opModel, cost, options, detailedCost } = context;
  const region = regionOf(context);
  return planFunctions(context, policy.name, (fn) => {
    const evaluator = new OpEvaluator(fn, opModel, cost, options, work, hintConfigsOf(policy, options));
    const functionContext: FunctionContext = {
      fn,
      evaluator,
      roles: opRoles(evaluator),
      region,
      detailedCost: detailedCost === undefined ? undefined : (plan) => {
        work.charge("simulatedOp", fn.ops.length);
        return detailedCost(fn, plan);
      },
      deliverTrace: context.decisionTrace,
      improvements: new ImprovementLog(),
      leftOut: context.leftOut ?? new Set(),
      deliverSearchLog: context.searchLog,
      onOp: context.onOp === undefined ? undefined : (op) => context.onOp?.(fn, op),
    };
    const finished = decide(functionContext, options);
    context.evaluated?.(evaluator);
    context.decisionTrace?.(traceOf(policy.name, functionContext, finished));
    const plan = withLiveActivationsKept(evaluator, finished.program.toPlan());
    const { lowerBoundUs } = finished;
    return lowerBoundUs === undefined ? plan : { ...plan, lowerBoundUs };
  });
}
