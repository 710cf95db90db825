// SPDX-License-Identifier: Apache-2.0
import { REPEAT_INTERLEAVE } from "../../../ops/attributes/movement.ts";
import { SOFTMAX } from "../../../ops/attributes/normalization.ts";
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import { sameButOnes, sameExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, type TensorValue, type TtnnValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import {
  constantOf,
  dimensionOf,
  eitherOrder,
  madeBy,
  tensorOf,
  transposedFrom,
  withoutCasts,
} from "../matching.ts";

/** Decomposed attention: `softmax(query keyᵀ scale + mask) value`. */
export interface Attention {
  /** `[batch, heads, positions, size]`. */
  readonly query: TensorValue;
  /** `[batch, key heads, keys, size]`. */
  readonly key: TensorValue;
  readonly value: TensorValue;
  /** Added to the scaled scores; `undefined` without a mask. */
  readonly mask: Mask | undefined;
  readonly scale: number;
  /** Whether rows without visible keys give zeros. */
  readonly isSafe: boolean;
}

/** A mask: added to scores, or replacing them where they are hidden. */
export type Mask =
  | { readonly kind: "added"; readonly value: TensorValue }
  /**
   * `number` replaces the score where `condition` equals `hiddenWhere`; it is so low that adding it would do
   * the same.
   */
  | {
    readonly kind: "hidden";
    readonly condition: TensorValue;
    readonly hiddenWhere: boolean;
    readonly number: number;
  };

/**
 * A number this low hides any score that it is added to, even after scaling: in bf16, in which the kernel adds, the sum is
 * the number itself for every score below 262,144 (half a step of bf16 there), so that rows which see no key stay even. Models
 * hide by −1e9, by the least float or by −∞; −1e4 is no such number.
 */
export const HIDING: number = -1e8;

/** The attention whose last matmul is `op`; `undefined` if it is none. */
export function matchAttention(op: TtnnOp, context: PassContext): Attention | undefined {
  const [weights, values] = lastFactors(op);
  if (weights === undefined || values === undefined || weights.type.shape.length !== 4) return undefined;
  const guarded = matchGuard(withoutCasts(weights), context);
  const softmax = madeBy(withoutCasts(guarded?.weights ?? weights), "softmax");
  const scores = softmax?.tensorOperand(0);
  if (
    softmax === undefined || scores === undefined ||
    dimensionOf(softmax, softmax.read(SOFTMAX).dimension) !== 3
  ) {
    return undefined;
  }
  if (guarded !== undefined && withoutCasts(guarded.scores) !== withoutCasts(scores)) return undefined;
  const found = matchScores(withoutCasts(scores), context);
  if (found === undefined) return undefined;
  const { product, mask } = found;
  const left = peeled(product.tensorOperand(0), context);
  const right = peeled(product.tensorOperand(1), context);
  if (left === undefined || right === undefined || isTransposed(product, "a")) return undefined;
  const below = isTransposed(product, "b")
    ? peeled(right.value, context)
    : permutedKeys(right.value, context);
  const carried = peeled(values, context);
  if (below === undefined || carried === undefined || product.read(MATMUL).activation !== undefined) {
    return undefined;
  }
  if (left.repeats !== 1 || carried.scale !== 1 || carried.repeats !== right.repeats * below.repeats) {
    return undefined;
  }
  return {
    query: left.value,
    key: below.value,
    value: carried.value,
    mask,
    scale: found.scale * left.scale * right.scale * below.scale,
    isSafe: guarded !== undefined,
  };
}

/** Weights and values of the last matmul; with one key it is an elementwise product. */
function lastFactors(op: TtnnOp): readonly (TensorValue | undefined)[] {
  if (op.read(MATMUL).activation !== undefined) return [];
  if (op.name === "ttnn.multiply") {
    const shape = op.tensorResult?.type.shape ?? [];
    if (shape.length !== 4) return [];
    return eitherOrder(op).find(([weights, values]) =>
      sameExtents(weights.type.shape, shape.with(3, 1)) && sameExtents(values.type.shape, shape.with(2, 1))
    ) ?? [];
  }
  return isTransposed(op, "a") || isTransposed(op, "b") ? [] : [op.tensorOperand(0), op.tensorOperand(1)];
}

/** Keys below their transpose; for a single position the transpose is a reshape. */
function permutedKeys(value: TensorValue, context: PassContext): Peeled | undefined {
  const below = transposedFrom(value);
  if (below !== undefined) return peeled(below, context);
  const { shape } = value.type;
  const [size, keys] = [shape.at(-2) ?? 0, shape.at(-1) ?? 0];
  if (keys !== 1) return undefined;
  const reshaped = madeBy(value, "reshape")?.tensorOperand(0);
  const upright = [...shape.slice(0, -2), keys, size];
  if (reshaped !== undefined && sameExtents(reshaped.type.shape, upright)) return peeled(reshaped, context);
  const heads = copiedHeads(value, upright);
  const source = peeled(heads?.source, context);
  // A single element is its own transpose.
  if (heads === undefined && size === 1) return peeled(value, context);
  if (heads === undefined || source === undefined) return undefined;
  return { ...source, repeats: source.repeats * heads.repeats };
}

function isTransposed(op: TtnnOp, side: "a" | "b"): boolean {
  return op.read(MATMUL)[`transpose_${side}`];
}

interface Scores {
  readonly product: TtnnOp;
  readonly scale: number;
  readonly mask: Mask | undefined;
}

/** Scores `qk · scale + mask`, `where(seen, qk · scale, −∞)` or `qk · scale`. */
function matchScores(scores: TensorValue, context: PassContext): Scores | undefined {
  const plain = scaledProduct(scores, context);
  if (plain !== undefined) return { ...plain, mask: undefined };
  const where = madeBy(scores, "where");
  if (where !== undefined) return hiddenScores(where, scores, context);
  const sum = madeBy(scores, "add");
  if (sum === undefined) return undefined;
  for (const [product, mask] of eitherOrder(sum)) {
    const found = scaledProduct(product, context);
    if (found === undefined || !sameShape(product, scores)) continue;
    return { ...found, mask: { kind: "added", value: oncePerHead(mask) } };
  }
  return undefined;
}

function hiddenScores(where: TtnnOp, scores: TensorValue, context: PassContext): Scores | undefined {
  const condition = where.tensorOperand(0);
  if (condition === undefined) return undefined;
  for (const [seen, hidden] of [[1, 2], [2, 1]] as const) {
    const number = constantOf(where.operands[hidden], context);
    const value = where.tensorOperand(seen);
    if (number === undefined || number > HIDING || value === undefined) continue;
    const found = scaledProduct(value, context);
    if (found === undefined || !sameShape(value, scores)) continue;
    return {
      ...found,
      mask: { kind: "hidden", condition: oncePerHead(condition), hiddenWhere: hidden === 1, number },
    };
  }
  return undefined;
}

/** A mask before its repetition for every head. */
function oncePerHead(mask: TensorValue): TensorValue {
  let plain = withoutCasts(mask);
  for (;;) {
    const source = madeBy(plain, "repeat")?.tensorOperand(0);
    const { shape } = plain.type;
    const isRepeated = source?.type.shape.length === 4 && sameExtents(source.type.shape, shape.with(1, 1));
    if (!isRepeated) return plain;
    plain = withoutCasts(source);
  }
}

function scaledProduct(
  value: TensorValue,
  context: PassContext,
): { readonly product: TtnnOp; readonly scale: number } | undefined {
  const found = peeled(value, context);
  const product = madeBy(found?.value, "matmul");
  return found === undefined || found.repeats !== 1 || product === undefined
    ? undefined
    : { product, scale: found.scale };
}

interface Peeled {
  readonly value: TensorValue;
  /** Product of the scalar factors. */
  readonly scale: number;
  /** Query heads that share one key head. */
  readonly repeats: number;
}

/** Most scalings and repeats that are followed. */
const MOST_PEELED = 12;

/** The value below typecasts, scalings, and heads repeated for the query heads that share them. */
function peeled(
  value: TtnnValue | undefined,
  context: PassContext,
  left: number = MOST_PEELED,
): Peeled | undefined {
  const tensor = tensorOf(value);
  if (tensor === undefined) return undefined;
  const plain = withoutCasts(tensor);
  if (left === 0) return { value: plain, scale: 1, repeats: 1 };
  const heads = repeatedHeads(plain);
  if (heads !== undefined) {
    const below = peeled(heads.source, context, left - 1);
    return below === undefined ? undefined : { ...below, repeats: below.repeats * heads.repeats };
  }
  const op = madeBy(plain, "multiply", "divide");
  const orders = op === undefined ? [] : eitherOrder(op).slice(0, op.name === "ttnn.divide" ? 1 : 2);
  for (const [input, factor] of orders) {
    const number = constantOf(factor, context);
    if (number === undefined || !sameShape(input, plain)) continue;
    const below = peeled(input, context, left - 1);
    if (below === undefined) continue;
    return { ...below, scale: op?.name === "ttnn.divide" ? below.scale / number : below.scale * number };
  }
  return { value: plain, scale: 1, repeats: 1 };
}

/**
 * Heads before each was repeated for the query heads that share it; a single head may be repeated as a whole.
 */
function repeatedHeads(
  value: TensorValue,
): { readonly source: TensorValue; readonly repeats: number } | undefined {
  const copied = copiedHeads(value, value.type.shape);
  if (copied !== undefined) return copied;
  const op = madeBy(value, "repeat_interleave", "repeat");
  const source = op?.tensorOperand(0);
  if (op === undefined || source === undefined) return undefined;
  if (op.name === "ttnn.repeat_interleave") {
    const repeats = op.read(REPEAT_INTERLEAVE).repeats;
    return dimensionOf(op, op.read(REPEAT_INTERLEAVE).dim) !== 1 ? undefined : { source, repeats };
  }
  const [repeats = 1] = value.type.shape.slice(1, 2);
  const isOneHead = source.type.shape[1] === 1 &&
    sameExtents(source.type.shape.with(1, repeats), value.type.shape);
  return isOneHead ? { source, repeats } : undefined;
}

/** Heads that were copied along their own dimension, which a reshape to this shape absorbs. */
function copiedHeads(
  value: TensorValue,
  [batch = 1, heads = 1, keys = 1, size = 1]: readonly number[],
): { readonly source: TensorValue; readonly repeats: number } | undefined {
  const repeat = madeBy(madeBy(value, "reshape")?.operands[0], "repeat");
  const [copies, single] = [repeat?.tensorResult?.type.shape ?? [], repeat?.tensorOperand(0)];
  const source = madeBy(single, "reshape")?.tensorOperand(0);
  const [, own = 1] = copies;
  const repeats = heads / own;
  // Copies of a single position may also follow it.
  const isCopied = [[repeats, keys, 1, keys], ...(keys === 1 ? [[1, repeats, 1, 1]] : [])].some((
    [outer = 1, inner = 1, before = 1, behind = 1],
  ) =>
    sameExtents(copies, [batch, own, outer, inner, size]) &&
    sameExtents(single?.type.shape ?? [], [batch, own, before, behind, size])
  );
  const isWhole = source !== undefined && sameExtents(source.type.shape, [batch, own, keys, size]);
  return isCopied && isWhole ? { source, repeats } : undefined;
}

interface Guard {
  /** The softmax. */
  readonly weights: TensorValue;
  /** The scores whose rows are tested. */
  readonly scores: TensorValue;
}

/**
 * The guard `where(every score of the row is −∞, 0, weights)`, spelled `not any(not (scores == −∞))`, or
 * without the outer `not` and with swapped branches.
 */
function matchGuard(value: TensorValue, context: PassContext): Guard | undefined {
  const where = madeBy(value, "where");
  if (where === undefined) return undefined;
  const none = madeBy(withoutViews(where.operands[0]), "logical_not");
  const seen = none ?? where;
  const weights = where.tensorOperand(none === undefined ? 1 : 2);
  const otherwise = where.operands[none === undefined ? 2 : 1];
  if (weights === undefined || constantOf(otherwise, context) !== 0) return undefined;
  const any = madeBy(withoutViews(seen.operands[0]), "sum", "max");
  const kept = madeBy(withoutViews(any?.operands[0]), "logical_not");
  const hidden = madeBy(withoutViews(kept?.operands[0]), "eq");
  const reduced = any === undefined ? [] : (any.read(REDUCE).dim_arg ?? []);
  if (hidden === undefined || reduced.length !== 1 || (reduced[0] !== 3 && reduced[0] !== -1)) {
    return undefined;
  }
  const shape = seen.operandType(0)?.shape ?? [];
  const rows = weights.type.shape.with(3, 1);
  if (!sameButOnes(shape, rows) || !sameExtents(where.operandType(0)?.shape ?? [], rows)) return undefined;
  for (const [scores, infinity] of eitherOrder(hidden)) {
    if (constantOf(infinity, context) !== -Infinity) continue;
    if (sameShape(scores, weights)) return { weights, scores };
  }
  return undefined;
}

/** The value below typecasts and reshapes. */
function withoutViews(value: TtnnValue | undefined): TtnnValue | undefined {
  let current = value;
  for (;;) {
    const op = madeBy(current, "typecast", "reshape");
    if (op === undefined) return current;
    current = op.operands[0];
  }
}
