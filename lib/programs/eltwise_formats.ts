// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../layout/data_type.ts";

/** Formats of numbers with a fraction. */
export const FLOATS: readonly DataType[] = ["bf16", "f32", "bfp_bf8", "bfp_bf4"];

/** Whole numbers that products and quotients with floats cast first. */
const CAST: readonly DataType[] = ["si32", "u32"];

/** Whether a format has a fraction. */
export function isFloat(format: DataType): boolean {
  return FLOATS.includes(format);
}

/** Whether a product or quotient casts one of its operands, a whole number beside a float (`ttnn:backend-0-81-1`). */
export function castsOperand(a: DataType, b: DataType): boolean {
  return (isFloat(a) && CAST.includes(b)) || (CAST.includes(a) && isFloat(b));
}

/** An operand that a program of several operands does not read as it is. */
export interface OperandCast {
  readonly operand: number;
  readonly to: DataType;
}

/**
 * The operand that an op casts first: a whole number that is multiplied with, or divided by, a float, and the condition of
 * a choice between floats (`ttnn:backend-0-81-1`).
 */
export function operandCast(name: string, formats: readonly DataType[]): OperandCast | undefined {
  const [a, b, ...more] = formats;
  if (a === undefined || b === undefined) return undefined;
  if (name === "ttnn.where") {
    return !isFloat(a) && [b, ...more].every(isFloat) ? { operand: 0, to: b } : undefined;
  }
  if ((name !== "ttnn.multiply" && name !== "ttnn.divide") || !castsOperand(a, b)) return undefined;
  const float = isFloat(a) ? a : b;
  return { operand: isFloat(a) ? 1 : 0, to: isBlockFloat(float) ? "bf16" : float };
}
