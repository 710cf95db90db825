// SPDX-License-Identifier: Apache-2.0
import { POWER } from "../../../ops/attributes/elementwise.ts";
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import { normalDim, sameExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { losslessSource } from "../formats/fold_typecasts.ts";
import { constantOf, eitherOrder, madeBelowReshape, madeBy } from "../matching.ts";

/** `(x − mean(x)) / √(mean((x − mean(x))²) + ε)`. */
export interface Normalized {
  /** `x`. */
  readonly input: TensorValue;
  /** Dimensions of the means, from the front; kept as ones. */
  readonly dims: readonly number[];
  readonly epsilon: number;
}

/** `x − mean(x)`. */
export type Centred = Omit<Normalized, "epsilon">;

/** `x`, dimensions and `ε` of `d · rsqrt(mean(d²) + ε)` or `d / √(mean(d²) + ε)`, `d = x − mean(x)`; `undefined` for other ops. */
export function normalizedBy(op: TtnnOp, context: PassContext): Normalized | undefined {
  const isQuotient = op.name === "ttnn.divide";
  for (const [difference, deviation] of eitherOrder(op).slice(0, isQuotient ? 1 : 2)) {
    // A mean that keeps no dimensions has them again at last behind the root.
    const root = madeBelowReshape(deviation, isQuotient ? "sqrt" : "rsqrt");
    const sum = madeBy(root?.operands[0], "add");
    const found = centred(difference);
    if (sum === undefined || found === undefined) continue;
    if (!sameExtents(deviation.type.shape, keptShape(found))) continue;
    for (const [variance, shift] of eitherOrder(sum)) {
      const epsilon = constantOf(shift, context);
      if (epsilon === undefined) continue;
      if (isVariance(variance, found) || isWideVariance(variance, found)) return { ...found, epsilon };
      const square = meanBelow(variance);
      if (square === undefined || !isSquare(square.input, difference)) continue;
      if (square.dims.join() === found.dims.join()) return { ...found, epsilon };
    }
  }
  return undefined;
}

/** `x` and the dimensions of `x − mean(x)`; `undefined` for other values. */
export function centred(value: TensorValue | undefined): Centred | undefined {
  const op = madeBy(value, "subtract");
  const [input, subtracted] = [op?.tensorOperand(0), op?.tensorOperand(1)];
  const mean = subtracted === undefined ? undefined : meanOf(subtracted);
  return input !== undefined && mean?.input === input ? mean : undefined;
}

/** The operand of a mean. Unit dimensions are not distinguished from reduced ones. */
function meanOf(value: TensorValue): Centred | undefined {
  const found = meanBelow(value);
  return found !== undefined && sameExtents(keptShape(found), value.type.shape) ? found : undefined;
}

/** The shape of a mean with reduced dimensions as ones. */
function keptShape({ input, dims }: Centred): readonly number[] {
  return input.type.shape.map((extent, dim) => (dims.includes(dim) ? 1 : extent));
}

/**
 * As {@linkcode meanOf}, with or without reduced dimensions; also an f32 mean of narrow numbers that is
 * narrowed again.
 */
function meanBelow(value: TensorValue | undefined): Centred | undefined {
  const below = belowReshape(value);
  const narrowed = madeBy(below, "typecast")?.tensorOperand(0);
  const op = madeBy(belowReshape(narrowed) ?? below, "mean");
  const [read, type] = [op?.tensorOperand(0), value?.type];
  const source = narrowed === undefined || read === undefined ? read : losslessSource(read);
  const input = source?.type.dataType === type?.dataType ? source : undefined;
  if (op === undefined || input === undefined) return undefined;
  const { shape } = input.type;
  const dims = (op.read(REDUCE).dim_arg ?? shape.map((_, dim) => dim))
    .map((dim) => normalDim(dim, shape.length));
  return { input, dims: dims.filter((dim) => shape[dim] !== 1).sort((a, b) => a - b) };
}

function belowReshape(value: TensorValue | undefined): TensorValue | undefined {
  return madeBy(value, "reshape")?.tensorOperand(0) ?? value;
}

/**
 * Whether a value is `mean(x²) − mean(x)²`, clamped at 0 or not: Flax's variance, equal to that of `x −
 * mean(x)`.
 */
function isVariance(value: TensorValue, { input, dims }: Centred): boolean {
  const rectified = madeBy(belowReshape(value), "relu");
  const difference = madeBy(belowReshape(rectified?.tensorOperand(0) ?? value), "subtract");
  const [squares, squared] = [difference?.tensorOperand(0), difference?.tensorOperand(1)];
  const mean = madeBy(squared, "multiply", "pow_scalar")?.tensorOperand(0);
  if (squares === undefined || squared === undefined || mean === undefined) return false;
  const [ofSquares, ofInput] = [meanBelow(squares), meanBelow(mean)];
  return ofSquares !== undefined && ofInput?.input === input && isSquare(squared, mean) &&
    isSquare(ofSquares.input, input) && sameExtents(ofSquares.dims, dims) &&
    sameExtents(ofInput.dims, dims);
}

/**
 * Whether a value is `mean((x − mean(x))²)` computed in f32 of narrow numbers and narrowed at its end, as `jnp.var()` does,
 * beside a mean that is narrowed before it is subtracted: the fused kernel rounds neither.
 */
function isWideVariance(value: TensorValue, { input, dims }: Centred): boolean {
  const square = meanBelow(madeBy(belowReshape(value), "typecast")?.tensorOperand(0));
  const difference = square?.input.producer?.tensorOperand(0);
  const wide = centred(difference);
  return square !== undefined && difference !== undefined && wide !== undefined &&
    isSquare(square.input, difference) && losslessSource(wide.input) === input &&
    sameExtents(square.dims, dims) && sameExtents(wide.dims, dims);
}

export function isSquare(value: TensorValue, base: TensorValue): boolean {
  const power = madeBy(value, "pow_scalar");
  if (power !== undefined) return power.operands[0] === base && power.read(POWER).rhs === 2;
  return madeBy(value, "multiply")?.operands.every((operand) => operand === base) === true;
}
