// SPDX-License-Identifier: Apache-2.0

/** Rewrites front ends' spellings into the ones that fusion patterns match. */

import { sameExtents, volume } from "../../../layout/extents.ts";
import { SLICE_DYNAMIC } from "../../../ops/attributes/movement.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, sameType, type TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { type DataType, isPlainFloat } from "../../../layout/data_type.ts";
import { roundedTo } from "../../../layout/float_rounding.ts";
import { scalarFunctionOf, scalarFunctionOps } from "../../scalar_functions.ts";
import {
  constantOf,
  eitherOrder,
  isAbout,
  isPlain,
  madeBelowReshape,
  madeBy,
  roundedConstant,
  withoutCasts,
} from "../matching.ts";
import { knownNumbers } from "./known_numbers.ts";
import { isSquare } from "./normalized.ts";

/** Neutral element per op: with it as an operand, the op returns its other operand. */
const NEUTRAL: Readonly<Record<string, number>> = {
  "ttnn.maximum": -Infinity,
  "ttnn.minimum": Infinity,
  "ttnn.multiply": 1,
  "ttnn.divide": 1,
  "ttnn.add": 0,
  "ttnn.subtract": 0,
};

/** Non-commutative ops. */
const ORDERED: ReadonlySet<string> = new Set(["ttnn.divide", "ttnn.subtract"]);

/** Replaces an op with its neutral element by the other operand: JAX starts every maximum at `-inf`. */
export const foldNeutralConstant: RewritePattern = replacing({
  name: "fold-neutral-constant",
  upstream: "none",
  roots: Object.keys(NEUTRAL),
  replace: (op, site, result) => {
    const orders = eitherOrder(op).slice(0, ORDERED.has(op.name) ? 1 : 2);
    const [kept] = orders.find(([, constant]) => constantOf(constant, site.context) === NEUTRAL[op.name]) ??
      [];
    if (kept === undefined || !sameType(kept.type, result.type)) return undefined;
    return kept;
  },
});

/** Replaces `relu(x)` by `x` where no number of `x` is negative: Equinox clamps the variance, a mean of squares. */
export const foldNeutralRelu: RewritePattern = replacing({
  name: "fold-neutral-relu",
  upstream: "none",
  roots: ["ttnn.relu"],
  replace: (op, _site, result) => {
    const input = op.tensorOperand(0);
    return input !== undefined && sameType(input.type, result.type) && isNonNegative(input)
      ? input
      : undefined;
  },
});

/** Whether a value is made of squares, absolute values and powers of e alone, by ops that keep signs. */
function isNonNegative(value: TensorValue): boolean {
  const operand = value.producer?.tensorOperand(0);
  if (operand === undefined) return false;
  if (isSquare(value, operand) || madeBy(value, "abs", "exp", "relu", "sigmoid") !== undefined) return true;
  const isKept = madeBy(value, "sum", "mean", "max", "reshape", "typecast") !== undefined;
  return isKept && isPlainFloat(operand.type.dataType) && isNonNegative(operand);
}

/** Reductions that are the identity on dimensions of extent 1. */
const REDUCTIONS: readonly string[] = ["ttnn.sum", "ttnn.mean", "ttnn.max", "ttnn.min", "ttnn.prod"];

/** Replaces a reduction over unit dimensions by a reshape: `einsum` sums them away. */
export const foldReductionOfOnes: RewritePattern = replacing({
  name: "fold-reduction-of-ones",
  upstream: "none",
  roots: REDUCTIONS,
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    if (input === undefined || !isPlain(input.type) || !isPlain(result.type)) return undefined;
    if (input.type.dataType !== result.type.dataType) return undefined;
    if (volume(input.type.shape) !== volume(result.type.shape)) return undefined;
    return site.reshape(input, result.type.shape);
  },
});

/**
 * Folds scalar arithmetic on constants, rounded to the result type: for example the element count of a mean,
 * as `jnp.var` computes it, and the place of `x[:, -1]`.
 */
export const foldNumbers: RewritePattern = replacing({
  name: "fold-numbers",
  upstream: "none",
  roots: scalarFunctionOps(),
  replace: (op, site, result) => {
    const compute = scalarFunctionOf(op);
    if (compute === undefined || !isPlain(result.type)) return undefined;
    if (![result, ...op.tensorOperands].every(({ type }) => isFolded(type.dataType))) return undefined;
    const operands = op.tensorOperands.map((operand) => constantOf(operand, site.context));
    const numbers = operands.filter((operand) => operand !== undefined);
    // A typecast of a constant is a constant already.
    if (numbers.length < operands.length || op.name === "ttnn.typecast") return undefined;
    const { shape, dataType } = result.type;
    const number = roundedTo(compute(...numbers), dataType);
    if (!Number.isFinite(number) || !isPlainFloat(dataType) && !isInteger(number)) return undefined;
    return site.full(shape, dataType, number);
  },
});

/** Formats of the numbers that are folded. */
function isFolded(dataType: DataType): boolean {
  return isPlainFloat(dataType) || dataType === "si32" || dataType === "u32";
}

/** Whether a number is the same in both formats of whole numbers; others wrap, and quotients are not whole. */
function isInteger(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < 2 ** 31;
}

/** Replaces a slice that begins at known positions by a static one: JAX indexes with tensors, also by a constant. */
export const foldKnownPosition: RewritePattern = replacing({
  name: "fold-known-position",
  upstream: "none",
  roots: ["ttnn.slice_dynamic"],
  replace: (op, site, result) => {
    const [input, positions] = [op.tensorOperand(0), op.tensorOperand(1)];
    const { step } = op.read(SLICE_DYNAMIC);
    const begins = positions === undefined ? undefined : knownNumbers(positions, site.context);
    if (input === undefined || begins === undefined || step?.some((each) => each !== 1) === true) {
      return undefined;
    }
    const { shape } = result.type;
    const fits = begins.length === shape.length && shape.length === input.type.shape.length &&
      begins.every((begin, dim) => begin >= 0 && begin + (shape[dim] ?? 0) <= (input.type.shape[dim] ?? 0));
    if (!fits) return undefined;
    // Positions in a tensor are read of rows alone, known ones of tiles as well.
    const source = madeBy(input, "to_layout")?.tensorOperand(0);
    const read = source?.type.dataType === input.type.dataType ? source : input;
    const type = isPlain(read.type) ? site.type(shape, read.type.dataType) : result.type;
    const slice = site.op("ttnn.slice_static", [read], type, {
      begins,
      ends: begins.map((begin, dim) => begin + (shape[dim] ?? 0)),
      step: begins.map(() => 1),
    });
    return sameType(type, result.type) ? slice : site.op("ttnn.to_layout", [slice], result.type);
  },
});

/** Looks rows up by slicing them, where their numbers are known and rise in steps: `x[..., ::2]` of JAX. */
export const foldKnownRows: RewritePattern = replacing({
  name: "fold-known-rows",
  upstream: "none",
  roots: ["ttnn.embedding"],
  replace: (op, site, result) => {
    const [places, table] = [op.tensorOperand(0), op.tensorOperand(1)];
    const numbers = places === undefined ? undefined : knownNumbers(places, site.context);
    const [first = -1, second = first + 1] = numbers ?? [];
    const step = second - first;
    const isRising = step > 0 && numbers?.every((number, at) => number === first + at * step) === true;
    if (table === undefined || numbers === undefined || first < 0 || !isRising) return undefined;
    const [rows = 1, width = 1] = table.type.shape.slice(-2);
    const last = first + (numbers.length - 1) * step;
    if (last >= rows || volume(table.type.shape) !== rows * width) return undefined;
    if (!isPlain(result.type) || table.type.dataType !== result.type.dataType) return undefined;
    const tiles = site.reshape(site.tiled(table), [rows, width]);
    const slice = site.tensor("ttnn.slice_static", [tiles], {
      shape: [numbers.length, width],
      dataType: result.type.dataType,
    }, { begins: [first, 0], ends: [last + 1, width], step: [step, 1] });
    return site.reshape(slice, result.type.shape);
  },
});

/** Looks up one row per user as rows of one matrix: alone, each would fill a tile of 32 rows, as tokens of a decoder's batch. */
export const lookUpAsOneMatrix: RewritePattern = replacing({
  name: "look-up-as-one-matrix",
  upstream: "none",
  roots: ["ttnn.embedding"],
  replace: (op, site, result) => {
    const [places, table] = [op.tensorOperand(0), op.tensorOperand(1)];
    const [count = 1, alone] = places?.type.shape ?? [];
    if (places === undefined || table === undefined || alone !== 1 || count === 1 || !isPlain(result.type)) {
      return undefined;
    }
    const { shape, dataType } = result.type;
    const flat = site.reshape(places, [count]);
    const rows = { shape: [count, shape.at(-1) ?? 1], dataType };
    return site.reshape(site.tensor("ttnn.embedding", [flat, table], rows), shape);
  },
});

/** Replaces `where` with a constant uniform condition by one of its branches. */
export const foldKnownSelection: RewritePattern = replacing({
  name: "fold-known-selection",
  upstream: "none",
  roots: ["ttnn.where"],
  replace: (op, site, result) => {
    const condition = constantOf(op.operands[0], site.context);
    const chosen = condition === undefined ? undefined : op.tensorOperand(condition === 0 ? 2 : 1);
    if (chosen === undefined || !sameType(chosen.type, result.type)) return undefined;
    return chosen;
  },
});

/** Ops whose results are zeros and ones. */
const TRUTHS: readonly string[] = [
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "logical_and",
  "logical_or",
  "logical_not",
];

/** Replaces `where(c, 1, 0)` by `c` if `c` consists of zeros and ones: JAX's `one_hot`. */
export const foldSelectionOfOne: RewritePattern = replacing({
  name: "fold-selection-of-one",
  upstream: "none",
  roots: ["ttnn.where"],
  replace: (op, site, result) => {
    const [condition, yes, no] = [0, 1, 2].map((index) => op.tensorOperand(index));
    const truth = condition === undefined ? undefined : withoutCasts(condition);
    if (truth === undefined || madeBy(truth, ...TRUTHS) === undefined) return undefined;
    if (constantOf(yes, site.context) !== 1 || constantOf(no, site.context) !== 0) return undefined;
    if (!sameShape(truth, result) || !isPlain(truth.type) || !isPlain(result.type)) return undefined;
    const { dataType } = result.type;
    return site.typecast(truth, dataType);
  },
});

/**
 * Rewrites `1 / √x` to `rsqrt(x)`; `y / √x` to `y · rsqrt(x)` if `x` is smaller than `y`, one per row for example;
 * and `e · (1 / sum(e))` with `e = exp(x)` to `e / sum(e)`, which the softmax pattern matches.
 */
export const spellOutReciprocals: RewritePattern = replacing({
  name: "spell-out-reciprocals",
  upstream: "none",
  roots: ["ttnn.reciprocal", "ttnn.divide", "ttnn.multiply"],
  replace: (op, site, result) => {
    if (op.name === "ttnn.reciprocal") {
      const radicand = rootOf(op.tensorOperand(0), op);
      if (radicand === undefined) return undefined;
      return site.op("ttnn.rsqrt", [radicand], result.type);
    }
    if (op.name === "ttnn.divide") {
      const [dividend, divisor] = [op.tensorOperand(0), op.tensorOperand(1)];
      const radicand = rootOf(divisor, op);
      const isPerRow = dividend !== undefined && divisor !== undefined && radicand !== undefined &&
        volume(divisor.type.shape) < volume(result.type.shape) &&
        sameExtents(dividend.type.shape, result.type.shape);
      if (!isPerRow) return undefined;
      const factor = site.op("ttnn.rsqrt", [radicand], divisor.type);
      return site.op("ttnn.multiply", [dividend, factor], result.type);
    }
    for (const [exponentials, factor] of eitherOrder(op)) {
      const sum = madeBy(factor, "reciprocal")?.tensorOperand(0);
      const isSoftmax = madeBy(exponentials, "exp") !== undefined &&
        madeBelowReshape(sum, "sum")?.operands[0] === exponentials;
      if (sum === undefined || factor.onlyUser !== op || !isSoftmax) continue;
      return site.op("ttnn.divide", [exponentials, sum], result.type);
    }
    return undefined;
  },
});

/** The operand of a square root whose only user is `reader`. */
function rootOf(value: TensorValue | undefined, reader: TtnnOp): TensorValue | undefined {
  const radicand = value?.onlyUser === reader ? madeBy(value, "sqrt")?.tensorOperand(0) : undefined;
  return radicand !== undefined && value !== undefined && sameType(radicand.type, value.type)
    ? radicand
    : undefined;
}

/** The name of a comparison with swapped operands. */
const MIRRORED: ReadonlyMap<string, string> = new Map([
  ["ttnn.le", "ttnn.ge"],
  ["ttnn.lt", "ttnn.gt"],
]);

/** Rewrites `a < b` to `b > a`, the canonical form of upstream too (files written by `ttmlir-opt`). */
export const mirrorLess: RewritePattern = replacing({
  name: "mirror-less",
  upstream: "level-0",
  roots: [...MIRRORED.keys()],
  replace: (op, site, result) => {
    const name = MIRRORED.get(op.name);
    return name === undefined || op.operands.length !== 2
      ? undefined
      : site.op(name, op.operands.toReversed(), result.type, op.properties, op.attributes);
  },
});

/** `sum(x) · (1 / n)` and `sum(x) / n` → `mean(x)`; a reshape in between moves after it. */
export const fuseMean: RewritePattern = replacing({
  name: "fuse-mean",
  upstream: "level-0",
  roots: ["ttnn.multiply", "ttnn.divide"],
  replace: (op, site, result) => {
    const isQuotient = op.name === "ttnn.divide";
    for (const [total, factor] of isQuotient ? eitherOrder(op).slice(0, 1) : eitherOrder(op)) {
      const number = roundedConstant(factor, site.context);
      const sum = madeBelowReshape(total, "sum");
      const [input, summed] = [sum?.tensorOperand(0), sum?.tensorResult];
      if (number === undefined || sum === undefined || input === undefined || summed === undefined) continue;
      const count = volume(input.type.shape) / volume(summed.type.shape);
      const divides = isAbout(number, isQuotient ? count : 1 / count);
      const fits = divides && summed.uses.size === 1 &&
        summed.onlyUser !== undefined &&
        result !== undefined && sameShape(result, total) &&
        isPlain(summed.type) && isPlain(result.type) && summed.type.dataType === result.type.dataType;
      if (!fits) continue;
      const type = site.type(summed.type.shape, summed.type.dataType);
      // At the position of the sum, with the sum's operand.
      const mean = site.at(sum).op("ttnn.mean", [input], type, sum.properties);
      const shaped = site.reshape(mean, result.type.shape);
      if (!sameType(shaped.type, result.type)) return undefined;
      return shaped;
    }
    return undefined;
  },
});
