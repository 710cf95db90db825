// SPDX-License-Identifier: Apache-2.0
import { type Dispatch, dispatchesOf } from "../graph/dispatch.ts";
import { type GraphFunction, type OpId, returnPlace, valueAt, type ValueId } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import { layoutsEqual } from "../layout/layout_table.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import type { FunctionPlan, OperandSource } from "../plan/plan.ts";
import { planExecution } from "../plan/steps.ts";
import type { PolicyContext } from "./policy.ts";

/**
 * Lets every dispatched function return its result in the layout in which its caller's plan reads it
 * (tt-mlir:shard-solver): the op that makes the result writes that layout if it can, otherwise a copy before `return`
 * does.
 */
export function withDispatchedResults(
  { graph, opModel }: Pick<PolicyContext, "graph" | "opModel">,
  plans: readonly FunctionPlan[],
): readonly FunctionPlan[] {
  const planOf = (fn: GraphFunction): FunctionPlan | undefined => plans.find(({ name }) => name === fn.name);
  const layoutOf = ({ caller, op }: Dispatch): TtnnLayout | undefined =>
    planOf(caller)?.decisions[op]?.outputLayouts[0];
  const dispatches = dispatchesOf(graph);
  return plans.map((plan) => {
    const dispatch = dispatches.find(({ callee }) => callee.name === plan.name);
    const layout = dispatch === undefined ? undefined : layoutOf(dispatch);
    return dispatch === undefined || layout === undefined
      ? plan
      : returningIn(dispatch.callee, plan, layout, opModel);
  });
}

function returningIn(
  fn: GraphFunction,
  plan: FunctionPlan,
  layout: TtnnLayout,
  opModel: OpModel,
): FunctionPlan {
  const { layouts, results: [instance] } = planExecution(fn, plan);
  const [value] = fn.results;
  const delivered = instance === undefined ? undefined : layouts[instance];
  if (value === undefined || delivered === undefined || layoutsEqual(delivered, layout)) {
    return plan;
  }
  const note = "the caller reads the result so";
  const written = writtenAs(fn, plan, layout, opModel);
  if (written !== undefined) {
    const decisions = plan.decisions.map((decision) =>
      decision.op === written
        ? { ...decision, outputLayouts: [layout], reasons: [...decision.reasons, note] }
        : decision
    );
    return withoutCopies({ ...plan, decisions }, value);
  }
  const id = plan.conversions.length;
  const source: OperandSource = plan.results[0] ?? { kind: "value" };
  const beforeOp = returnPlace(fn);
  const copy = { id, value, source, layout, beforeOp, reason: "return", note } as const;
  return {
    ...plan,
    conversions: [...plan.conversions, copy],
    results: [{ kind: "conversion", conversion: id }],
  };
}

function writtenAs(
  fn: GraphFunction,
  plan: FunctionPlan,
  layout: TtnnLayout,
  opModel: OpModel,
): OpId | undefined {
  const [result] = fn.results;
  const value = result === undefined ? undefined : valueAt(fn, result);
  if (value?.definition.kind !== "result" || value.uses.length > 0 || value.returned !== 1) return undefined;
  const { op } = value.definition;
  const signature = opSignatures(fn)[op];
  const execution = planExecution(fn, plan);
  const step = execution.steps.find((candidate) => candidate.kind === "op" && candidate.op === op);
  if (signature === undefined || step?.kind !== "op" || !opModel.traits(signature).movable) return undefined;
  const inputs = step.operands.map((instance) => {
    const input = execution.layouts[instance];
    return input === undefined ? undefined : opModel.layouts.intern(input);
  });
  const wanted = opModel.layouts.intern(layout);
  const answer = opModel.queryOpConstraints(signature, inputs, wanted, step.config);
  return answer.status === "valid" && answer.outputLayouts[0] === wanted ? op : undefined;
}

/** The plan without the copies of a value that only `return` reads. */
function withoutCopies(plan: FunctionPlan, value: ValueId): FunctionPlan {
  const kept = plan.conversions.filter((conversion) => conversion.value !== value);
  const renamed = new Map(kept.map(({ id }, index) => [id, index]));
  const rename = (source: OperandSource): OperandSource =>
    source.kind === "value"
      ? source
      : { kind: "conversion", conversion: renamed.get(source.conversion) ?? source.conversion };
  return {
    ...plan,
    decisions: plan.decisions.map((decision) => ({ ...decision, operands: decision.operands.map(rename) })),
    conversions: kept.map((conversion, id) => ({ ...conversion, id, source: rename(conversion.source) })),
    results: [{ kind: "value" }],
  };
}
