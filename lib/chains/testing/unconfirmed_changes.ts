// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../../graph/graph.ts";
import { opSignatures } from "../../graph/signature.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import { opFootprint } from "../../memory/op_footprint.ts";
import type { OpModel } from "../../opmodel/op_model.ts";
import type { FunctionPlan } from "../../plan/plan.ts";
import { identityPlan, planExecution } from "../../plan/steps.ts";

/** Ops whose layouts the plan changes without confirmation by the op model. */
export function unconfirmedChanges(fn: GraphFunction, plan: FunctionPlan, opModel: OpModel): string[] {
  const signatures = opSignatures(fn);
  const execution = planExecution(fn, plan);
  const layoutsOf = (instances: readonly number[]): (LayoutId | undefined)[] =>
    instances.map((instance) => {
      const layout = execution.layouts[instance];
      return layout === undefined ? undefined : opModel.layouts.intern(layout);
    });
  const asInput = planExecution(fn, identityPlan(fn)).layouts;
  return execution.steps.flatMap((step) => {
    if (step.kind !== "op") return [];
    const signature = signatures[step.op];
    const inputs = layoutsOf(step.operands);
    const outputs = layoutsOf(step.results);
    const isChanged = [...inputs, ...outputs].some((layout, index) => {
      const value = [...fn.ops[step.op]?.operands ?? [], ...step.results][index];
      const before = value === undefined ? undefined : asInput[value];
      return layout !== (before === undefined ? undefined : opModel.layouts.intern(before));
    });
    if (signature === undefined || !isChanged) return [];
    return opFootprint(opModel, signature, inputs, outputs, step.config).refusal === undefined
      ? []
      : [`${step.op} ${signature.name}`];
  });
}
