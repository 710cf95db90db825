// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "./cost_model.ts";
import { takesNoTime } from "./takes_no_time.ts";
import { type GraphFunction, valueAt } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { opFootprint } from "../memory/op_footprint.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { planExecution } from "../plan/steps.ts";

/**
 * Predicted time of a planned function in µs: the sum of its ops and conversions as the search prices them,
 * without congestion and without waits for the dispatcher.
 *
 * @throws {RangeError} if the plan does not belong to the function
 */
export function planMicroseconds(
  fn: GraphFunction,
  plan: FunctionPlan,
  opModel: OpModel,
  cost: CostModel,
): number {
  const execution = planExecution(fn, plan);
  const signatures = opSignatures(fn);
  const layoutsOf = (instances: readonly number[]): (LayoutId | undefined)[] =>
    instances.map((instance) => {
      const layout = execution.layouts[instance];
      return layout === undefined ? undefined : opModel.layouts.intern(layout);
    });
  let microseconds = 0;
  for (const step of execution.steps) {
    const inputs = layoutsOf(step.operands);
    const outputs = layoutsOf(step.results);
    if (step.kind === "conversion") {
      const tensor = valueAt(fn, step.conversion.value).tensor;
      const [from] = inputs;
      const [to] = outputs;
      if (tensor === undefined || from === undefined || to === undefined) {
        throw new RangeError(
          `Cannot price conversion ${step.conversion.id} of ${fn.name}: its layouts are not known`,
        );
      }
      microseconds += cost.getReshardRuntime(tensor, from, to).microseconds;
      continue;
    }
    const signature = signatures[step.op];
    if (signature === undefined) {
      throw new RangeError(`Cannot price op ${step.op} of ${fn.name}: it has no such op`);
    }
    const { isView, config } = opFootprint(opModel, signature, inputs, outputs, step.config);
    if (takesNoTime(signature, isView)) continue;
    microseconds += cost.getOpRuntime(signature, inputs, outputs, config).microseconds;
  }
  return microseconds;
}
