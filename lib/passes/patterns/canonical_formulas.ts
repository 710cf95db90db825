// SPDX-License-Identifier: Apache-2.0

/** Spellings of front ends that no formula is written for, in the one that formulas are written for. */

import { sameExtents, volume } from "../../layout/extents.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { constantOf, eitherOrder, madeBelowReshape, madeBy } from "./matching.ts";
import { PassBuilder } from "../pass_builder.ts";

/** Value of an operand that makes the op return its other operand. */
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
 * Rewrites `1 / √x` to `rsqrt(x)`, also as a divisor with one `x` per row, and a product with the reciprocal
 * of a sum to a division by the sum.
 */
export const spellOutReciprocals: RewritePattern = {
  name: "spell-out-reciprocals",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.reciprocal", "ttnn.divide", "ttnn.multiply"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    if (result === undefined) return false;
    const site = new PassBuilder(body, op, context);
    if (op.name === "ttnn.reciprocal") {
      const radicand = rootOf(op.tensorOperand(0), op);
      if (radicand === undefined) return false;
      body.replaceAllUses(result, site.op("ttnn.rsqrt", [radicand], result.type));
      return true;
    }
    if (op.name === "ttnn.divide") {
      const [dividend, divisor] = [op.tensorOperand(0), op.tensorOperand(1)];
      const radicand = rootOf(divisor, op);
      const isPerRow = dividend !== undefined && divisor !== undefined && radicand !== undefined &&
        volume(divisor.type.shape) < volume(result.type.shape) &&
        sameExtents(dividend.type.shape, result.type.shape);
      if (!isPerRow) return false;
      const factor = site.op("ttnn.rsqrt", [radicand], divisor.type);
      body.replaceAllUses(result, site.op("ttnn.multiply", [dividend, factor], result.type));
      return true;
    }
    for (const [exponentials, factor] of eitherOrder(op)) {
      const sum = madeBy(factor, "reciprocal")?.tensorOperand(0);
      const isSoftmax = madeBy(exponentials, "exp") !== undefined &&
        madeBelowReshape(sum, "sum")?.operands[0] === exponentials;
      if (sum === undefined || factor.onlyUser !== op || !isSoftmax) continue;
      body.replaceAllUses(result, site.op("ttnn.divide", [exponentials, sum], result.type));
      return true;
    }
    return false;
  },
};

/** The operand of a square root, if `reader` is the only user of the root. */
function rootOf(value: TensorValue | undefined, reader: TtnnOp): TensorValue | undefined {
  const radicand = value?.onlyUser === reader ? madeBy(value, "sqrt")?.tensorOperand(0) : undefined;
  return radicand !== undefined && value !== undefined && sameType(radicand.type, value.type)
    ? radicand
    : undefined;
}
