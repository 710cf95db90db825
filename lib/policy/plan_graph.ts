// SPDX-License-Identifier: Apache-2.0
import type { FunctionKind, GraphFunction } from "../graph/graph.ts";
import { type L1Region, l1Region } from "../memory/l1_timeline.ts";
import { withLiveActivationsKept } from "../plan/live_activations.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { identityPlan } from "../plan/steps.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { type OpRoles, opRoles } from "../search/op_roles.ts";
import type { SolveBinaryProgram } from "../solver/binary_program.ts";
import type { DecisionTrace } from "../propagation/decision_trace.ts";
import type { FinishedProgram } from "./pass_pipeline.ts";
import type { PolicyContext } from "./policy.ts";
import { traceOf } from "./trace_of.ts";

/** Functions whose layouts a policy decides; all others stay exactly as the input has them. */
export const DECIDED_KINDS: ReadonlySet<FunctionKind> = new Set<FunctionKind>([
  "forward_device",
  "trace_main",
]);

/** What the pass-based policies need to decide one function. */
export interface FunctionContext {
  readonly fn: GraphFunction;
  readonly evaluator: OpEvaluator;
  readonly roles: OpRoles;
  readonly region: L1Region;
  /** Predicted µs of a finished plan by a finer model, where the caller has one. */
  readonly judge: ((plan: FunctionPlan) => number) | undefined;
  /** Wants to know what was decided and why; recording costs time, so only where somebody asks. */
  readonly deliverTrace: ((trace: DecisionTrace) => void) | undefined;
  /** Solver of 0/1 programs, where the caller has loaded one. */
  readonly solve: SolveBinaryProgram | undefined;
}

/** Builds a plan by deciding every function that runs on the device and keeping the others. */
export function planGraph(
  context: PolicyContext,
  policy: string,
  decide: (fn: FunctionContext) => FinishedProgram,
): Plan {
  const { graph, opModel, cost, options } = context;
  const region = l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  return {
    schema: "tilewright.plan/1",
    policy,
    device: opModel.chip.name,
    functions: graph.functions.map((fn) => {
      if (!DECIDED_KINDS.has(fn.kind) || fn.ops.length === 0) return identityPlan(fn);
      const evaluator = new OpEvaluator(fn, opModel, cost, options);
      const { judge } = context;
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
      return withLiveActivationsKept(fn, finished.program.toPlan(), {
        ownConfig: (op) => evaluator.ownConfig(op.id),
        viewOf: (op) => evaluator.traits(op).viewOf,
      });
    }),
  };
}
