// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { isDecided } from "../../lib/graph/function_role.ts";
import { type Graph, valueAt } from "../../lib/graph/graph.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import { conversionSignature } from "../../lib/memory/op_footprint.ts";
import type { Candidate } from "../../lib/opmodel/candidate_filter.ts";
import { functionPlans, type Plan } from "../../lib/plan/plan.ts";
import { planExecution } from "../../lib/plan/steps.ts";

/** The candidates that a plan consists of, copies included. */
export function planCandidates(
  { functions }: Graph,
  plan: Plan,
  chip: ChipDescription,
): readonly Candidate[] {
  const planOf = functionPlans(plan);
  const found: Candidate[] = [];
  for (const fn of functions.filter(isDecided)) {
    const own = planOf(fn.name);
    if (own === undefined) continue;
    const { steps, layouts, valueOf } = planExecution(fn, own);
    const signatures = opSignatures(fn);
    for (const step of steps) {
      const inputs = step.operands.map((instance) => layouts[instance]);
      const outputs = step.results.map((instance) => layouts[instance]);
      // Candidates of a plan are compared by op and layouts; their budget is not read.
      const common = { inputs, outputs, chip, usableL1Bytes: 0 };
      if (step.kind === "op") {
        const op = signatures[step.op];
        if (op !== undefined) found.push({ ...common, op, config: step.config });
        continue;
      }
      const [source] = step.operands;
      const value = valueOf[source];
      const tensor = value === undefined ? undefined : valueAt(fn, value).tensor;
      const op = conversionSignature(tensor, layouts[source], step.conversion.layout, chip);
      found.push({ ...common, op, config: undefined });
    }
  }
  return found;
}
