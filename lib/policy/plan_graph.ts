// SPDX-License-Identifier: Apache-2.0
import type { FunctionKind, GraphFunction } from "../graph/graph.ts";
import { l1Region } from "../memory/l1_timeline.ts";
import { withLiveActivationsKept } from "../plan/live_activations.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { identityPlan } from "../plan/steps.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import type { FunctionContext } from "./function_context.ts";
import type { FinishedProgram } from "./pass_pipeline.ts";
import type { PolicyContext } from "./policy.ts";
import { traceOf } from "./trace_of.ts";

/** Functions whose layouts a policy decides; all others stay exactly as the input has them. */
export const DECIDED_KINDS: ReadonlySet<FunctionKind> = new Set<FunctionKind>([
  "forward_device",
  "trace_main",
]);

/** Builds a plan by deciding every function that runs on the device and keeping the others. */
export function planFunctions(
  { graph, opModel }: PolicyContext,
  policy: string,
  decide: (fn: GraphFunction) => FunctionPlan,
): Plan {
  return {
    schema: "tilewright.plan/1",
    policy,
    device: opModel.chip.name,
    functions: graph.functions.map((fn) =>
      DECIDED_KINDS.has(fn.kind) && fn.ops.length > 0 ? decide(fn) : identityPlan(fn)
    ),
  };
}

/** The plan of a pass-based policy: what `decide` finishes for each function. */
export function planGraph(
  context: PolicyContext,
  policy: string,
  decide: (fn: FunctionContext) => FinishedProgram,
): Plan {
  const { graph, opModel, cost, options, judge } = context;
  const region = l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  return planFunctions(context, policy, (fn) => {
    const evaluator = new OpEvaluator(fn, opModel, cost, options);
    const functionContext: FunctionContext = {
      fn,
      evaluator,
      roles: opRoles(evaluator),
      region,
      judge: judge === undefined ? undefined : (plan) => judge(fn, plan),
      deliverTrace: context.decisionTrace,
      solve: context.solveBinaryProgram,
    };
    const finished = decide(functionContext);
    context.decisionTrace?.(traceOf(policy, functionContext, finished));
    return withLiveActivationsKept(evaluator, finished.program.toPlan());
  });
}
