// SPDX-License-Identifier: Apache-2.0
import { type GraphFunction, opAt, valueAt } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import type { PlannedExecution } from "../plan/steps.ts";

/**
 * Number of movable ops of a planned function with an operand in a layout that the op's input filter excludes
 * and the input does not use there. The backend accepts more than a device computes correctly
 * (tt-mlir:op-rules), and chain policies check nothing else: they may give decode attention keys from L1.
 */
export function misfedOps(
  fn: GraphFunction,
  { steps, layouts }: PlannedExecution,
  opModel: OpModel,
): number {
  const signatures = opSignatures(fn);
  return steps.filter((step) => {
    if (step.kind !== "op") return false;
    const signature = signatures[step.op];
    const { operands } = opAt(fn, step.op);
    // Ops that do not move read operands as in the input, or from a dispatch whose result they write.
    return signature !== undefined && opModel.traits(signature).movable &&
      step.operands.some((instance, operand) => {
        const layout = layouts[instance];
        const value = operands[operand];
        if (layout === undefined || value === undefined) return false;
        const id = opModel.layouts.intern(layout);
        const { layout: declared } = valueAt(fn, value);
        return !opModel.acceptsInput(signature, operand, id) &&
          (declared === undefined || opModel.layouts.intern(declared) !== id);
      });
  }).length;
}
