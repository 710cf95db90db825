// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../layout/extents.ts";
import { BF16, type FunctionLowering } from "../function_lowering.ts";
import { reshaped } from "../lazy_tensor.ts";
import type { LoweringRule, LoweringRules } from "../lowering_rule.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { Properties } from "../../ttnn/op.ts";
import type { NormalType, TtirOp } from "../ttir_op.ts";
import { isFloat } from "../../layout/data_type.ts";

/** Steps of optimizers, forward passes that keep what their gradients need, and these gradients. */
export const TRAINING: LoweringRules = {
  "ttir.adamw": { lower: adamw },
  "ttir.rmsnorm_fw": kernel("rmsnorm_fw", (op) => ({
    epsilon: op.requiredFloat("epsilon"),
    return_intermediates: op.flag("return_intermediates"),
  })),
  "ttir.layernorm_fw": kernel("layernorm_fw", (op) => ({
    epsilon: op.requiredFloat("epsilon"),
    return_mean_rstd: op.flag("return_mean_rstd"),
  })),
  "ttir.rmsnorm_bw": kernel("rmsnorm_bw"),
  "ttir.layernorm_bw": kernel("layernorm_bw"),
  "ttir.cross_entropy_fw": kernel("cross_entropy_fw", undefined, oneHead),
  "ttir.cross_entropy_bw": kernel("cross_entropy_bw", (op) => ({
    scaler: op.requiredFloat("scaler"),
  }), oneHead),
  "ttir.softmax_backward": kernel("softmax_backward", (op) => ({
    dimension: op.requiredInteger("dimension"),
  }), (shape) => shape),
  "ttir.silu_bw": kernel("silu_bw"),
  "ttir.swiglu_elemwise_bw": kernel("swiglu_elemwise_bw"),
};

/**
 * The kernels take bf16 and make bf16, and read classes in rows (tt-mlir:training-ops).
 *
 * @param shapeOf shape in which the kernel takes a tensor of another
 */
function kernel(
  name: string,
  propertiesOf: (op: TtirOp) => Properties = () => ({}),
  shapeOf: (shape: readonly number[], isFloat: boolean) => readonly number[] = fourDimensions,
): LoweringRule {
  return {
    operands: definitionOf(`ttnn.${name}`).operands.reduce((sum, { least }) => sum + least, 0),
    lower: (op, f) => {
      const operands = f.operandsFrom(op, 0).map((operand) => {
        const floats = isFloat(operand.element.dataType);
        const shaped = reshaped(operand, shapeOf(operand.shape, floats));
        return floats ? f.tile(f.typecast(shaped, BF16)) : f.rowMajor(shaped);
      });
      const typeOf = ({ shape }: NormalType) => f.type(shapeOf(shape, true), BF16);
      f.replaceMany(op, name, operands, propertiesOf(op), typeOf);
    },
  };
}

/** A shape of rank 4, which kernels of training take: leading 1s are added, or leading dimensions merged. */
export function fourDimensions(shape: readonly number[]): readonly number[] {
  const joined = Math.max(shape.length - 3, 0);
  return [volume(shape.slice(0, joined)), ...[1, 1, 1].slice(shape.length - joined), ...shape.slice(joined)];
}

/** Logits as `N, 1, H, W` and their classes as `N, H`. */
function oneHead(shape: readonly number[], isFloat: boolean): readonly number[] {
  if (!isFloat) return [volume(shape.slice(0, -1)), ...shape.slice(-1)];
  const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  return [volume(shape) / (rows * columns), 1, rows, columns];
}

/** Numbers of a step that stay the same. */
const ADAMW_NUMBERS = ["beta1", "beta2", "epsilon", "weight_decay"] as const;

/** Numbers that change from step to step: operands in this order since autumn 2026, all or the last two; properties before. */
const ADAMW_STEP_NUMBERS = ["lr", "beta1_pow", "beta2_pow"] as const;

/** Parameter, gradient, first and second moment, which are followed by numbers of the step and AMSGrad's moment. */
const ADAMW_TENSORS = 4;

/** The operand that the step only reads. */
const GRADIENT = 1;

/**
 * The kernel writes parameter and moments in place; results stand for them. It reads a gradient of the parameter's
 * format, or in bf16 since numbers of the step are operands (tt-mlir:training-ops).
 */
function adamw(op: TtirOp, f: FunctionLowering): void {
  const { element } = f.operand(op, 0);
  const given = ADAMW_STEP_NUMBERS.filter((name) => op.float(name) !== undefined);
  const numbers = ADAMW_STEP_NUMBERS.length - given.length;
  const [least, most] = [ADAMW_TENSORS + numbers, ADAMW_TENSORS + numbers + 1];
  if (op.operands.length < least || op.operands.length > most) {
    const operands = ADAMW_STEP_NUMBERS.filter((name) => !given.includes(name));
    throw op.error(
      `it has ${op.operands.length} operands, expected ${least} or ${most}` +
        (numbers === 0 ? "" : `, as ${operands.join(", ")} must be operands or properties`),
      "operands",
    );
  }
  const isRead = (index: number): boolean =>
    index === GRADIENT || (index >= ADAMW_TENSORS && index < ADAMW_TENSORS + numbers);
  const operands = op.operands.map((_, index) => {
    const operand = f.operand(op, index);
    return f.tile(index === GRADIENT ? f.typecast(operand, numbers > 0 ? BF16 : element) : operand);
  });
  const written = operands.filter((_, index) => !isRead(index));
  for (const tensor of written) f.writePendingViews(tensor, op.operation);
  f.emitEffect("adamw", operands, {
    ...Object.fromEntries(
      [...ADAMW_NUMBERS, ...given].map((name) => [name, op.requiredFloat(name)]),
    ),
    stochastic_rounding: op.flag("stochastic_rounding"),
  });
  written.forEach((tensor, result) => {
    f.forgetViews(tensor);
    if (op.operation.results[result] !== undefined) f.defineTensor(op, tensor, result);
  });
}
