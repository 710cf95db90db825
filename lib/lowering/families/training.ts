// SPDX-License-Identifier: Apache-2.0
import { f32Text } from "../../dialect/float_text.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Steps of optimizers. */
export const TRAINING: LoweringRules = {
  "ttir.adamw": { lower: adamw },
};

/** What a step is told. */
const ADAMW_NUMBERS = ["beta1", "beta1_pow", "beta2", "beta2_pow", "epsilon", "lr", "weight_decay"] as const;

/** Operands that the step writes: parameter, first and second moment, largest second moment (AMSGrad). */
const ADAMW_WRITTEN: readonly number[] = [0, 2, 3, 4];

/** The operand that the step only reads. */
const GRADIENT = 1;

/**
 * The kernel writes parameter and moments in place; results stand for them. It reads a gradient of the parameter's
 * format.
 */
function adamw(op: TtirOp, f: FunctionLowering): void {
  const { element } = f.operand(op, 0);
  const operands = op.operands.map((_, index) => {
    const operand = f.operand(op, index);
    return f.tile(index === GRADIENT ? f.typecast(operand, element) : operand);
  });
  const written = ADAMW_WRITTEN.flatMap((index) => operands[index] ?? []);
  for (const tensor of written) f.writePendingViews(tensor, op.operation);
  f.emitEffect("adamw", operands, {
    ...Object.fromEntries(ADAMW_NUMBERS.map((name) => [name, f32Text(op.requiredFloat(name))])),
    stochastic_rounding: String(op.flag("stochastic_rounding")),
  });
  written.forEach((tensor, result) => {
    f.forgetViews(tensor);
    if (op.operation.results[result] !== undefined) f.defineTensor(op, tensor, result);
  });
}
