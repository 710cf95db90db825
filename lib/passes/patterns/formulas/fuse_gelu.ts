// SPDX-License-Identifier: Apache-2.0
import { POWER } from "../../../ops/attributes/elementwise.ts";
import { sameItems } from "../../../layout/extents.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import {
  type Constant,
  eitherOrder,
  isAbout,
  madeBy,
  productOfConstants,
  roundedConstant,
} from "../matching.ts";

/**
 * `0.5 x (1 + erf(x / √2))`, `0.5 x erfc(-x / √2)` → `gelu`; also `0.5 x (1 + tanh(0.79788 (x + 0.044715
 * x³)))`, which differs by less than 0.001 (tt-mlir: `GeluFusionPattern`). Factors may be in any order.
 */
export const fuseGelu: RewritePattern = replacing({
  name: "fuse-gelu",
  upstream: "level-0",
  roots: ["ttnn.multiply"],
  replace: (_op, site, result) => {
    const product = productOf(result, site.context);
    const { factors } = product;
    const [first, second] = factors;
    if (first === undefined || second === undefined || factors.length > 2 || !isAbout(product, 0.5)) {
      return undefined;
    }
    for (const [input, gate] of [[first, second], [second, first]] as const) {
      if (!isGate(gate, input, site.context) || !sameType(input.type, result.type)) continue;
      return site.op("ttnn.gelu", [input], result.type);
    }
    return undefined;
  },
});

/** Whether a value is `1 + erf(x / √2)` or an equivalent, twice gelu's gate. */
function isGate(gate: TensorValue, x: TensorValue, context: PassContext): boolean {
  const complement = madeBy(gate, "erfc")?.tensorOperand(0);
  if (complement !== undefined) return isMultiple(complement, -Math.SQRT1_2, [x], context);
  const curve = besideOne(gate, context);
  const error = madeBy(curve, "erf")?.tensorOperand(0);
  if (error !== undefined) return isMultiple(error, Math.SQRT1_2, [x], context);
  const angle = madeBy(curve, "tanh")?.tensorOperand(0);
  return angle !== undefined && isCubicAngle(angle, x, context);
}

/** `0.79788 (x + 0.044715 x³)`, or with `x` in front. */
function isCubicAngle(angle: TensorValue, x: TensorValue, context: PassContext): boolean {
  const product = productOf(angle, context);
  const { factors } = product;
  if (!isAbout(product, Math.sqrt(2 / Math.PI))) return false;
  const [first, second] = factors;
  if (first === undefined || factors.length > 2) return false;
  if (second === undefined) {
    const sum = madeBy(first, "add");
    return sum !== undefined &&
      eitherOrder(sum).some(([linear, cubic]) =>
        linear === x && isMultiple(cubic, CUBIC, [x, x, x], context)
      );
  }
  const square = besideOne(first === x ? second : first, context);
  return (first === x || second === x) && square !== undefined && isMultiple(square, CUBIC, [x, x], context);
}

/** Factor of the cube in the approximation. */
const CUBIC = 0.044715;

/** A value as a constant times tensors. */
interface Product extends Constant {
  readonly factors: readonly TensorValue[];
}

/** Most ops of a product in gelu. */
const MOST_OPS = 12;

function productOf(
  value: TensorValue,
  context: PassContext,
  steps: { left: number } = { left: MOST_OPS },
): Product {
  const op = madeBy(value, "multiply", "divide", "neg", "pow_scalar");
  const [left, right] = [op?.tensorOperand(0), op?.tensorOperand(1)];
  const own: Product = { number: 1, rounding: 0, factors: [value] };
  if (op === undefined || left === undefined || steps.left-- <= 0) return own;
  if (op.name === "ttnn.neg") {
    const inner = productOf(left, context, steps);
    return { ...inner, number: -inner.number };
  }
  if (op.name === "ttnn.pow_scalar") {
    const exponent = op.read(POWER).rhs;
    return exponent === 2 || exponent === 3
      ? { number: 1, rounding: 0, factors: new Array<TensorValue>(exponent).fill(left) }
      : own;
  }
  if (right === undefined) return own;
  if (op.name === "ttnn.divide") {
    const divisor = roundedConstant(right, context);
    const dividend = productOf(left, context, steps);
    return divisor === undefined ? own : {
      number: dividend.number / divisor.number,
      rounding: dividend.rounding + divisor.rounding,
      factors: dividend.factors,
    };
  }
  const [a, b] = [left, right].map((side): Product => {
    const constant = roundedConstant(side, context);
    return constant === undefined ? productOf(side, context, steps) : { ...constant, factors: [] };
  });
  return a === undefined || b === undefined
    ? own
    : { ...productOfConstants(a, b), factors: [...a.factors, ...b.factors] };
}

function isMultiple(
  value: TensorValue,
  number: number,
  factors: readonly TensorValue[],
  context: PassContext,
): boolean {
  const found = productOf(value, context);
  return isAbout(found, number) && sameItems(found.factors, factors);
}

/** The other summand of a sum with about 1. */
function besideOne(value: TensorValue, context: PassContext): TensorValue | undefined {
  const op = madeBy(value, "add");
  const found = op === undefined ? undefined : eitherOrder(op).find(([, other]) => {
    const constant = roundedConstant(other, context);
    return constant !== undefined && isAbout(constant, 1);
  });
  return found?.[0];
}
