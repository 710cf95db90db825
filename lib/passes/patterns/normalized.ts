// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../../layout/extents.ts";
import { readBool, readIntegers, readNumber } from "../../dialect/attribute_values.ts";
import type { BodyOp } from "../body/body_op.ts";
import type { TensorValue } from "../body/body_value.ts";
import type { PassContext } from "../graph_pass.ts";
import { constantOf, eitherOrder, madeBy } from "./matching.ts";

/** `(x − mean(x)) / √(mean((x − mean(x))²) + ε)`. */
export interface Normalized {
  /** `x`. */
  readonly input: TensorValue;
  /** Dimensions that means are taken over, from the front; they stay as ones. */
  readonly dims: readonly number[];
  readonly epsilon: number;
}

/** `x − mean(x)`. */
export type Centred = Omit<Normalized, "epsilon">;

/** Reads `d · rsqrt(mean(d²) + ε)` or `d / √(mean(d²) + ε)` of `d = x − mean(x)`. */
export function normalizedBy(op: BodyOp, context: PassContext): Normalized | undefined {
  const isQuotient = op.name === "ttnn.divide";
  for (const [difference, deviation] of eitherOrder(op).slice(0, isQuotient ? 1 : 2)) {
    const root = madeBy(deviation, isQuotient ? "sqrt" : "rsqrt");
    const sum = madeBy(root?.operands[0], "add");
    const found = centred(difference);
    if (sum === undefined || found === undefined) continue;
    for (const [variance, shift] of eitherOrder(sum)) {
      const epsilon = constantOf(shift, context);
      const square = meanOf(variance);
      if (epsilon === undefined || square === undefined || !isSquare(square.input, difference)) continue;
      if (square.dims.join() === found.dims.join()) return { ...found, epsilon };
    }
  }
  return undefined;
}

/** Reads `x − mean(x)`. */
export function centred(value: TensorValue | undefined): Centred | undefined {
  const op = madeBy(value, "subtract");
  const [input, subtracted] = [op?.tensorOperand(0), op?.tensorOperand(1)];
  const mean = subtracted === undefined ? undefined : meanOf(subtracted);
  return input !== undefined && mean?.input === input ? mean : undefined;
}

/** What a value is the mean of; extents of one are not told from what it is taken over. */
function meanOf(value: TensorValue): Centred | undefined {
  const op = madeBy(value, "mean");
  const input = op?.tensorOperand(0);
  if (op === undefined || input === undefined || !(readBool(op.attributeMap(), "keep_dim") ?? false)) {
    return undefined;
  }
  const { shape } = input.type;
  const dims = (readIntegers(op.attributeMap(), "dim_arg") ?? shape.map((_, dim) => dim))
    .map((dim) => normalDim(dim, shape.length));
  return { input, dims: dims.filter((dim) => shape[dim] !== 1).sort((a, b) => a - b) };
}

/** Whether a value is the square of another. */
export function isSquare(value: TensorValue, base: TensorValue): boolean {
  const power = madeBy(value, "pow_scalar");
  if (power !== undefined) return power.operands[0] === base && readNumber(power.attributeMap(), "rhs") === 2;
  return madeBy(value, "multiply")?.operands.every((operand) => operand === base) === true;
}
