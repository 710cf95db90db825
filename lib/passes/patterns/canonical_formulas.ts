// SPDX-License-Identifier: Apache-2.0

/** Spellings of front ends that no formula is written for, in the one that formulas are written for. */

import { f32Text } from "../../dialect/float_text.ts";
import { attributes } from "../../dialect/printed_attributes.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import type { BodyOp } from "../body/body_op.ts";
import { sameType, type TensorValue } from "../body/body_value.ts";
import type { PassContext } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { constantOf, eitherOrder, madeBelowReshape, madeBy, makeTyped, withoutCasts } from "./matching.ts";

/** What an operand must be to leave the other one as it is. */
const NEUTRAL: Readonly<Record<string, number>> = {
  "ttnn.maximum": -Infinity,
  "ttnn.minimum": Infinity,
  "ttnn.multiply": 1,
  "ttnn.divide": 1,
};

/** Ops whose operands may not change places. */
const ORDERED: ReadonlySet<string> = new Set(["ttnn.divide"]);

/** An op with a constant that changes nothing is its other operand: JAX begins every maximum at `-inf`. */
export const foldNeutralConstant: RewritePattern = {
  name: "fold-neutral-constant",
  option: undefined,
  upstream: "none",
  roots: Object.keys(NEUTRAL),
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    const orders = eitherOrder(op).slice(0, ORDERED.has(op.name) ? 1 : 2);
    const [kept] = orders.find(([, constant]) => constantOf(constant, context) === NEUTRAL[op.name]) ?? [];
    if (result === undefined || kept === undefined || !sameType(kept.type, result.type)) return false;
    body.replaceAllUses(result, kept);
    body.erase(op);
    return true;
  },
};

/**
 * `1 / √x` is `rsqrt(x)`, also where it divides rows of which each has one `x`; and what is multiplied with the reciprocal of
 * a sum is divided by it.
 */
export const spellOutReciprocals: RewritePattern = {
  name: "spell-out-reciprocals",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.reciprocal", "ttnn.divide", "ttnn.multiply"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    if (result === undefined) return false;
    const site = { anchor: op, body, context };
    if (op.name === "ttnn.reciprocal") {
      const radicand = rootOf(op.tensorOperand(0), op);
      if (radicand === undefined) return false;
      body.replaceAllUses(result, makeTyped(site, "ttnn.rsqrt", [radicand], result.type));
      return true;
    }
    if (op.name === "ttnn.divide") {
      const [dividend, divisor] = [op.tensorOperand(0), op.tensorOperand(1)];
      const radicand = rootOf(divisor, op);
      const isPerRow = dividend !== undefined && divisor !== undefined && radicand !== undefined &&
        volume(divisor.type.shape) < volume(result.type.shape) &&
        sameExtents(dividend.type.shape, result.type.shape);
      if (!isPerRow) return false;
      const factor = makeTyped(site, "ttnn.rsqrt", [radicand], divisor.type);
      body.replaceAllUses(result, makeTyped(site, "ttnn.multiply", [dividend, factor], result.type));
      return true;
    }
    for (const [exponentials, factor] of eitherOrder(op)) {
      const sum = madeBy(factor, "reciprocal")?.tensorOperand(0);
      const isSoftmax = madeBy(exponentials, "exp") !== undefined &&
        madeBelowReshape(sum, "sum")?.operands[0] === exponentials;
      if (sum === undefined || factor.onlyUser !== op || !isSoftmax) continue;
      body.replaceAllUses(result, makeTyped(site, "ttnn.divide", [exponentials, sum], result.type));
      return true;
    }
    return false;
  },
};

/** What a value is the square root of, where only the op reads the root. */
function rootOf(value: TensorValue | undefined, reader: BodyOp): TensorValue | undefined {
  const radicand = value?.onlyUser === reader ? madeBy(value, "sqrt")?.tensorOperand(0) : undefined;
  return radicand !== undefined && value !== undefined && sameType(radicand.type, value.type)
    ? radicand
    : undefined;
}

/** `x > 0 ? x : slope · x`, as PyTorch/XLA and JAX spell it, is `leaky_relu(x)`, and `x > 0 ? x : 0` is `relu(x)`. */
export const fuseLeakyRelu: RewritePattern = {
  name: "fuse-leaky-relu",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.where"],
  rewrite: (op, body, context) => {
    const [condition, ...sides] = [0, 1, 2].map((index) => op.tensorOperand(index));
    const [whenTrue, whenFalse] = sides;
    const result = op.tensorResult;
    if (result === undefined || condition === undefined) return false;
    if (whenTrue === undefined || whenFalse === undefined) return false;
    for (const [input, scaled] of [[whenTrue, whenFalse], [whenFalse, whenTrue]] as const) {
      const slope = constantOf(scaled, context) === 0 ? 0 : slopeOf(scaled, input, context);
      if (slope === undefined || !sameType(input.type, result.type)) continue;
      if (!isPositive(condition, input, input === whenTrue, context)) continue;
      const rectified = { operands: [input], resultTypes: [result.type] };
      body.replaceOp(
        op,
        slope === 0 ? { ...rectified, name: "ttnn.relu" } : {
          ...rectified,
          name: "ttnn.leaky_relu",
          properties: attributes({ parameter: f32Text(slope) }),
        },
      );
      return true;
    }
    return false;
  },
};

/** The constant that a value is another one times. */
function slopeOf(value: TensorValue, input: TensorValue, context: PassContext): number | undefined {
  const product = madeBy(value, "multiply");
  const [, factor] = product === undefined ? [] : eitherOrder(product).find(([x]) => x === input) ?? [];
  return constantOf(factor, context);
}

const ABOVE: ReadonlySet<string> = new Set(["ttnn.gt", "ttnn.ge"]);
const BELOW: ReadonlySet<string> = new Set(["ttnn.lt", "ttnn.le"]);

/** Whether a condition holds where a value is above zero, or, unless asked so, where it is below; at zero it may be either. */
function isPositive(
  condition: TensorValue,
  input: TensorValue,
  above: boolean,
  context: PassContext,
): boolean {
  const comparison = withoutCasts(condition).producer;
  const [left, right] = [comparison?.tensorOperand(0), comparison?.tensorOperand(1)];
  if (comparison === undefined) return false;
  const isAbove = ABOVE.has(comparison.name);
  if (!isAbove && !BELOW.has(comparison.name)) return false;
  if (left === input && constantOf(right, context) === 0) return isAbove === above;
  return right === input && constantOf(left, context) === 0 && isAbove !== above;
}
