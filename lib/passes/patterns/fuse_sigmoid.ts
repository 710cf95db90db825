// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import type { PassContext } from "../graph_pass.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { constantOf, eitherOrder, madeBy } from "./matching.ts";

/**
 * `1 / (1 + exp(−x))`, `exp(x) / (1 + exp(x))` → `sigmoid(x)`; `1 / (1 + exp(x))` → `sigmoid(−x)` (tt-mlir:
 * `ExpandedSigmoidFusionPattern` has the first); `y / (1 + exp(−x))` → `y · sigmoid(x)`, which is `silu` if y
 * = x.
 */
export const fuseSigmoid: RewritePattern = replacing({
  name: "fuse-sigmoid",
  upstream: "level-0",
  roots: ["ttnn.divide", "ttnn.reciprocal"],
  replace: (op, site, result) => {
    const divisor = op.tensorOperand(op.name === "ttnn.divide" ? 1 : 0);
    const exponential = divisor === undefined ? undefined : besideOne(divisor, site.context);
    const power = exponential?.tensorOperand(0);
    const type = divisor?.type;
    if (type === undefined || exponential === undefined || power === undefined) return undefined;
    const numerator = op.name === "ttnn.divide" ? op.tensorOperand(0) : undefined;
    const isItself = numerator?.producer === exponential;
    const isOne = numerator === undefined || isItself || constantOf(numerator, site.context) === 1;
    // Broadcasting sums and intermediate type changes are left alone.
    if (!sameType(power.type, type) || (isOne && !sameType(type, result.type))) return undefined;
    const negated = negatedBy(power, site.context);
    const input = isItself ? power : negated ?? site.op("ttnn.neg", [power], type);
    const sigmoid = site.op("ttnn.sigmoid", [input], type);
    return isOne ? sigmoid : site.op("ttnn.multiply", [numerator, sigmoid], result.type);
  },
});

/** The exponential of `1 + exp(…)`. */
function besideOne(value: TensorValue, context: PassContext): TtnnOp | undefined {
  const sum = madeBy(value, "add");
  const found = sum === undefined
    ? undefined
    : eitherOrder(sum).find(([, other]) => constantOf(other, context) === 1);
  return madeBy(found?.[0], "exp");
}

/** `x` of `-x`, `x * -1` or `0 - x`. */
function negatedBy(value: TensorValue, context: PassContext): TensorValue | undefined {
  const op = madeBy(value, "neg", "multiply", "subtract");
  const operands = op === undefined ? [] : eitherOrder(op);
  const found = op?.name === "ttnn.neg"
    ? op.tensorOperand(0)
    : op?.name === "ttnn.multiply"
    ? operands.find(([, factor]) => constantOf(factor, context) === -1)?.[0]
    : operands.slice(0, 1).find(([from]) => constantOf(from, context) === 0)?.[1];
  return found !== undefined && sameType(found.type, value.type) ? found : undefined;
}
