// SPDX-License-Identifier: Apache-2.0

/** Activations that front ends spell as formulas. */

import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { constantOf, eitherOrder, isAbout, madeBy, roundedConstant, withoutCasts } from "../matching.ts";
import { CLAMP } from "../../../ops/attributes/elementwise.ts";
import type { PassContext } from "../../graph_pass.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TtnnFunction } from "../../../ttnn/function.ts";
import { losslessSource } from "../formats/fold_typecasts.ts";
import { isPlainFloat } from "../../../layout/data_type.ts";

/** `maximum(x, 0)` → `relu(x)` (tt-mlir: `ReluFusionPattern`). */
export const fuseRelu: RewritePattern = replacing({
  name: "fuse-relu",
  upstream: "level-0",
  roots: ["ttnn.maximum"],
  replace: (op, site, result) => {
    const [input] = eitherOrder(op).find(([input, bound]) =>
      constantOf(bound, site.context) === 0 && sameType(input.type, result.type)
    ) ?? [];
    return input === undefined ? undefined : site.op("ttnn.relu", [input], result.type);
  },
});

/** The upper bound of `relu6` and the divisor of `hardsigmoid`. */
const SIX = 6;

/** `minimum(relu(x), 6)` → `relu6(x)` (tt-mlir:ttnn-fusing); also `clamp_scalar(x, 0, 6)`. */
export const fuseRelu6: RewritePattern = replacing({
  name: "fuse-relu6",
  upstream: "level-0",
  roots: ["ttnn.minimum", "ttnn.clamp_scalar"],
  replace: (op, site, result) => {
    const input = op.name === "ttnn.minimum"
      ? rectifiedBelow(eitherOrder(op), site.context)
      : op.read(CLAMP).min === 0 && op.read(CLAMP).max === SIX
      ? op.tensorOperand(0)
      : undefined;
    if (input === undefined || !sameType(input.type, result.type)) return undefined;
    return site.op("ttnn.relu6", [input], result.type);
  },
});

/** `where(x ≥ 0, x, slope · x)` → `leaky_relu(x)`: as JAX spells it. */
export const fuseLeakyRelu: RewritePattern = replacing({
  name: "fuse-leaky-relu",
  upstream: "none",
  roots: ["ttnn.where"],
  replace: (op, site, result) => {
    const condition = madeBy(op.operands[0], "ge", "gt", "le", "lt");
    const [input, zero] = [condition?.tensorOperand(0), condition?.operands[1]];
    const isNegative = condition?.name === "ttnn.le" || condition?.name === "ttnn.lt";
    const [kept, scaled] = isNegative ? [op.operands[2], op.operands[1]] : op.operands.slice(1);
    const product = madeBy(scaled, "multiply");
    if (input === undefined || product === undefined || kept !== input) return undefined;
    if (constantOf(zero, site.context) !== 0 || !sameType(input.type, result.type)) return undefined;
    const [, slope] = eitherOrder(product).find(([factor]) => factor === input) ?? [];
    const parameter = constantOf(slope, site.context);
    return parameter === undefined
      ? undefined
      : site.op("ttnn.leaky_relu", [input], result.type, { parameter });
  },
});

/** The operand of a relu below a clamp. */
function rectifiedBelow(
  orders: readonly (readonly [TensorValue, TensorValue])[],
  context: PassContext,
): TensorValue | undefined {
  for (const [rectified, bound] of orders) {
    const relu = constantOf(bound, context) === SIX ? madeBy(rectified, "relu") : undefined;
    if (relu !== undefined && rectified.onlyUser !== undefined) return relu.tensorOperand(0);
  }
  return undefined;
}

/** `relu6(x + 3) / 6` → `hardsigmoid(x)` (tt-mlir:ttnn-fusing); also with `· 1/6`. */
export const fuseHardsigmoid: RewritePattern = replacing({
  name: "fuse-hardsigmoid",
  upstream: "level-0",
  roots: ["ttnn.divide", "ttnn.multiply"],
  replace: (op, site, result) => {
    const isQuotient = op.name === "ttnn.divide";
    for (const [clipped, constant] of eitherOrder(op).slice(0, isQuotient ? 1 : 2)) {
      const number = roundedConstant(constant, site.context);
      const sum = clipped.onlyUser === op ? madeBy(clipped, "relu6")?.tensorOperand(0) : undefined;
      const addition = sum?.onlyUser === undefined ? undefined : madeBy(sum, "add");
      if (number === undefined || addition === undefined) continue;
      if (!isAbout(number, isQuotient ? SIX : 1 / SIX)) continue;
      const [input] = eitherOrder(addition).find(([, three]) =>
        constantOf(three, site.context) === SIX / 2
      ) ?? [];
      if (input === undefined || !sameType(input.type, result.type)) continue;
      return site.op("ttnn.hardsigmoid", [input], result.type);
    }
    return undefined;
  },
});

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

/**
 * `x · sigmoid(x)` → `silu(x)`, also if both are widened for the product and the product is narrowed again
 * (tt-mlir: `SiluFusionPattern`).
 */
export const fuseSilu: RewritePattern = {
  name: "fuse-silu",
  upstream: "level-0",
  roots: ["ttnn.multiply"],
  rewrite: (op, body) => {
    const result = op.tensorResult;
    if (result === undefined) return false;
    for (const [factor, gate] of eitherOrder(op)) {
      if (gate.onlyUser !== op) continue;
      const isFused = makeSilu(body, op, factor, gate, op) || makeNarrowSilu(body, result, factor, gate);
      if (isFused) return true;
    }
    return false;
  },
};

/** Replaces an op by `silu` if a gate is the sigmoid of an input that has the type of the op's result. */
function makeSilu(
  body: TtnnFunction,
  place: TtnnOp,
  input: TensorValue,
  gate: TensorValue,
  reader: TtnnOp,
): boolean {
  const sigmoid = madeBy(gate, "sigmoid");
  const result = place.tensorResult;
  if (sigmoid?.operands[0] !== input || gate.onlyUser !== reader || result === undefined) return false;
  if (!sameType(input.type, result.type)) return false;
  body.replaceOp(place, { name: "ttnn.silu", operands: [input], resultTypes: [result.type] });
  return true;
}

/** {@linkcode makeSilu} around a product of widened factors that is only narrowed again. */
function makeNarrowSilu(
  body: TtnnFunction,
  product: TensorValue,
  factor: TensorValue,
  gate: TensorValue,
): boolean {
  const narrowed = product.onlyUser;
  const widening = madeBy(gate, "typecast");
  const [input, sigmoid] = [losslessSource(factor), losslessSource(gate)];
  if (narrowed?.name !== "ttnn.typecast" || widening === undefined) return false;
  if (input === undefined || sigmoid === undefined || !isPlainFloat(input.type.dataType)) return false;
  return makeSilu(body, narrowed, input, sigmoid, widening);
}

/** From here on `log(1 + exp(x))` rounds to `x` in bf16: the difference is `exp(-x)`. */
const ALMOST_ITSELF = 8;

/**
 * `x · tanh(softplus(x))` → `mish(x)` (tt-mlir:ttnn-fusing). PyTorch/XLA spells softplus `x > 20 ? x :
 * log1p(exp(x))`; the product may be in a wider type.
 */
export const fuseMish: RewritePattern = replacing({
  name: "fuse-mish",
  upstream: "level-0",
  roots: ["ttnn.multiply"],
  replace: (op, site, result) => {
    for (const [factor, gate] of eitherOrder(op)) {
      const tanh = gate.onlyUser === op ? madeBy(losslessSource(gate) ?? gate, "tanh") : undefined;
      const soft = tanh?.tensorOperand(0);
      const input = tanh?.tensorResult?.onlyUser === undefined
        ? undefined
        : softplusBelow(soft, tanh, site.context);
      if (input === undefined || tanh === undefined) continue;
      if (factor !== input && losslessSource(factor) !== input) continue;
      const made = site.op("ttnn.mish", [input], input.type);
      return sameType(input.type, result.type) ? made : site.op("ttnn.typecast", [made], result.type);
    }
    return undefined;
  },
});

/** The operand of a softplus whose only user is `reader`. */
function softplusBelow(
  value: TensorValue | undefined,
  reader: TtnnOp,
  context: PassContext,
): TensorValue | undefined {
  if (value?.onlyUser !== reader) return undefined;
  const plain = logOfExponential(value);
  const choice = madeBy(value, "where");
  if (plain !== undefined || choice === undefined) return plain;
  const [condition, large, small] = [0, 1, 2].map((index) => choice.tensorOperand(index));
  const input = logOfExponential(small);
  if (input === undefined || large !== input || condition === undefined) return undefined;
  const comparison = madeBy(withoutCasts(condition), "gt", "ge");
  const threshold = constantOf(comparison?.operands[1], context);
  const isSafe = comparison?.operands[0] === input && threshold !== undefined && threshold >= ALMOST_ITSELF;
  return isSafe ? input : undefined;
}

/** The `x` of `log1p(exp(x))`. */
function logOfExponential(value: TensorValue | undefined): TensorValue | undefined {
  return madeBy(madeBy(value, "log1p")?.operands[0], "exp")?.tensorOperand(0);
}
