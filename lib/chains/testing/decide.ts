// SPDX-License-Identifier: Apache-2.0
import type { Graph, GraphFunction } from "../../graph/graph.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { describeLayout } from "../../layout/describe.ts";
import { type PlanMemory, simulateMemory } from "../../memory/plan_memory.ts";
import type { OpModel } from "../../opmodel/op_model.ts";
import type { FunctionPlan, Plan } from "../../plan/plan.ts";
import { verifyPlan } from "../../plan/verify_plan.ts";
import { getPolicy } from "../../policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../../policy/options.ts";
import { ToyCostModel } from "../../propagation/testing/toy_models.ts";
import { realModels } from "../../propagation/testing/real_models.ts";

/** A decided function and everything needed to inspect the decision. */
export interface TestedDecision {
  readonly graph: Graph;
  readonly fn: GraphFunction;
  readonly plan: Plan;
  readonly functionPlan: FunctionPlan;
  readonly opModel: OpModel;
  readonly l1: PlanMemory;
  /** Output layout per op, as `describeLayout` spells it; `-` for none. */
  readonly outputs: readonly string[];
  /** Per op and operand: the layout that the op reads. */
  readonly inputs: readonly (readonly string[])[];
  /** Conversions as `value layout reason`, in the order in which they are made. */
  readonly conversions: readonly string[];
}

/** Options of {@linkcode decide}. */
export interface DecideOptions {
  readonly opModel?: OpModel;
  readonly options?: Partial<PolicyOptions>;
  readonly traceSolver?: (text: string) => void;
}

/**
 * Decides a function with a policy by name, the real op model and the real cost model, and checks the
 * invariants of every plan.
 */
export function decide(
  policyName: string,
  make: (builder: GraphBuilder) => void,
  { opModel, options, traceSolver }: DecideOptions = {},
): TestedDecision {
  const builder = new GraphBuilder();
  make(builder);
  const graph = builder.buildGraph();
  const [fn] = graph.functions;
  const policy = getPolicy(policyName);
  if (fn === undefined) throw new Error(`Cannot decide with ${policyName}`);
  // A toy op model launches no programs that could be priced.
  const { opModel: model, cost } = opModel === undefined
    ? realModels()
    : { opModel, cost: new ToyCostModel(opModel.layouts) };
  const merged = { ...DEFAULT_POLICY_OPTIONS, ...options };
  const plan = policy.decide({
    graph,
    opModel: model,
    cost,
    options: merged,
    ...(traceSolver === undefined ? {} : { traceSolver }),
  });
  const [functionPlan] = plan.functions;
  if (functionPlan === undefined) throw new Error("Cannot decide: the plan has no function");
  const problems = verifyPlan(graph, plan);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("\n"));
  const l1 = simulateMemory(fn, functionPlan, model, { cap: merged.tensorL1UsageCap, constEvalL1Bytes: 0 });
  const describe = (instance: number): string => {
    const layout = l1.execution.layouts[instance];
    return layout === undefined ? "-" : describeLayout(layout);
  };
  const inputs: string[][] = fn.ops.map(() => []);
  for (const step of l1.execution.steps) {
    if (step.kind === "op") inputs[step.op] = step.operands.map(describe);
  }
  return {
    graph,
    fn,
    plan,
    functionPlan,
    opModel: model,
    l1,
    outputs: fn.ops.map((op) => op.results[0] === undefined ? "-" : describe(op.results[0])),
    inputs,
    conversions: functionPlan.conversions.map((conversion) =>
      `${fn.values[conversion.value]?.name} ${describeLayout(conversion.layout)} ${conversion.reason}`
    ),
  };
}

/** All reasons of an op in one text. */
export function reasonsOf(decided: TestedDecision, op: number): string {
  return decided.functionPlan.decisions[op]?.reasons.join("; ") ?? "";
}
