// SPDX-License-Identifier: Apache-2.0
import { isFloat } from "../element_type.ts";
import { f32Text } from "../../dialect/float_text.ts";
import { BF16, fromTensor, type FunctionLowering } from "../function_lowering.ts";
import type { LoweringRule, LoweringRules } from "../lowering_rule.ts";
import type { Properties } from "../op_writer.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Steps of optimizers, forward passes that keep what their gradients need, and these gradients. */
export const TRAINING: LoweringRules = {
  "ttir.adamw": { lower: adamw },
  "ttir.rmsnorm_fw": kernel("rmsnorm_fw", (op) => ({
    epsilon: f32Text(op.requiredFloat("epsilon")),
    return_intermediates: String(op.flag("return_intermediates")),
  })),
  "ttir.layernorm_fw": kernel("layernorm_fw", (op) => ({
    epsilon: f32Text(op.requiredFloat("epsilon")),
    return_mean_rstd: String(op.flag("return_mean_rstd")),
  })),
  "ttir.rmsnorm_bw": kernel("rmsnorm_bw"),
  "ttir.layernorm_bw": kernel("layernorm_bw"),
  "ttir.cross_entropy_fw": kernel("cross_entropy_fw"),
  "ttir.cross_entropy_bw": kernel("cross_entropy_bw", (op) => ({
    scaler: f32Text(op.requiredFloat("scaler")),
  })),
  "ttir.silu_bw": kernel("silu_bw"),
  "ttir.swiglu_elemwise_bw": kernel("swiglu_elemwise_bw"),
};

/** The kernels take bf16 and make bf16, and read classes in rows (tt-mlir:training-ops). */
function kernel(name: string, propertiesOf: (op: TtirOp) => Properties = () => ({})): LoweringRule {
  return {
    lower: (op, f) => {
      const operands = f.operandsFrom(op, 0).map((operand) =>
        isFloat(operand.element.dataType) ? f.tile(f.typecast(operand, BF16)) : f.rowMajor(operand)
      );
      const types = op.operation.results.map((_, index) => f.type(op.resultType(index).shape, BF16));
      f.emitMany(name, operands, types, propertiesOf(op)).forEach((output, index) =>
        f.defineResult(op, f.typecast(fromTensor(output), op.resultType(index).element), index)
      );
    },
  };
}

/** Scalars of a step. */
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
