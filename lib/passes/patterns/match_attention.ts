// SPDX-License-Identifier: Apache-2.0
import { readBool, readInteger } from "../../dialect/attribute_values.ts";
import { sameExtents } from "../../layout/extents.ts";
import type { BodyOp } from "../body/body_op.ts";
import type { BodyValue, TensorValue } from "../body/body_value.ts";
import type { PassContext } from "../graph_pass.ts";
import {
  constantOf,
  dimensionOf,
  eitherOrder,
  integersOf,
  madeBy,
  sameButOnes,
  tensorOf,
  transposedFrom,
  withoutCasts,
} from "./matching.ts";

/** Attention spelled out: `softmax(query keyᵀ scale + mask) value`. */
export interface Attention {
  /** `[batch, heads, positions, size]`. */
  readonly query: TensorValue;
  /** `[batch, key heads, keys, size]`. */
  readonly key: TensorValue;
  readonly value: TensorValue;
  /** What is added to the scaled scores; `undefined` for nothing. */
  readonly mask: TensorValue | undefined;
  readonly scale: number;
  /** Rows that see no key at all give zeros. */
  readonly isSafe: boolean;
}

/** Attention whose last product is `op`; `undefined` for any other. */
export function matchAttention(op: BodyOp, context: PassContext): Attention | undefined {
  const [weights, values] = [op.tensorOperand(0), op.tensorOperand(1)];
  if (weights === undefined || values === undefined || weights.type.shape.length !== 4) return undefined;
  if (isTransposed(op, "a") || isTransposed(op, "b") || op.attribute("activation") !== undefined) {
    return undefined;
  }
  const guarded = matchGuard(withoutCasts(weights), context);
  const softmax = madeBy(withoutCasts(guarded?.weights ?? weights), "softmax");
  const scores = softmax?.tensorOperand(0);
  if (softmax === undefined || scores === undefined || dimensionOf(softmax, "dimension") !== 3) {
    return undefined;
  }
  if (guarded !== undefined && withoutCasts(guarded.scores) !== withoutCasts(scores)) return undefined;
  const found = matchScores(withoutCasts(scores), context);
  if (found === undefined) return undefined;
  const { product, mask } = found;
  const left = peeled(product.tensorOperand(0), context);
  const right = peeled(product.tensorOperand(1), context);
  if (left === undefined || right === undefined || isTransposed(product, "a")) return undefined;
  const below = peeled(isTransposed(product, "b") ? right.value : transposedFrom(right.value), context);
  const carried = peeled(values, context);
  if (below === undefined || carried === undefined || product.attribute("activation") !== undefined) {
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

function isTransposed(op: BodyOp, side: "a" | "b"): boolean {
  return readBool(op.attributeMap(), `transpose_${side}`) ?? false;
}

interface Scores {
  readonly product: BodyOp;
  readonly scale: number;
  readonly mask: TensorValue | undefined;
}

/** `product scale + mask` or `product scale`. */
function matchScores(scores: TensorValue, context: PassContext): Scores | undefined {
  const plain = scaledProduct(scores, context);
  if (plain !== undefined) return { ...plain, mask: undefined };
  const sum = madeBy(scores, "add");
  if (sum === undefined) return undefined;
  for (const [product, mask] of eitherOrder(sum)) {
    const found = scaledProduct(product, context);
    if (found === undefined || !sameExtents(product.type.shape, scores.type.shape)) continue;
    return { ...found, mask: oncePerHead(mask) };
  }
  return undefined;
}

/** A mask before it was repeated for every head. */
function oncePerHead(mask: TensorValue): TensorValue {
  const plain = withoutCasts(mask);
  const source = madeBy(plain, "repeat")?.tensorOperand(0);
  const { shape } = plain.type;
  const isRepeated = source?.type.shape.length === 4 && sameExtents(source.type.shape, shape.with(1, 1));
  return isRepeated ? oncePerHead(source) : plain;
}

function scaledProduct(
  value: TensorValue,
  context: PassContext,
): { readonly product: BodyOp; readonly scale: number } | undefined {
  const found = peeled(value, context);
  const product = madeBy(found?.value, "matmul");
  return found === undefined || found.repeats !== 1 || product === undefined
    ? undefined
    : { product, scale: found.scale };
}

interface Peeled {
  readonly value: TensorValue;
  /** Product of the numbers that it was multiplied with. */
  readonly scale: number;
  /** Query heads that share one of its heads. */
  readonly repeats: number;
}

/** The value below typecasts, products with numbers, and heads repeated for those that share them. */
function peeled(value: BodyValue | undefined, context: PassContext): Peeled | undefined {
  const tensor = tensorOf(value);
  if (tensor === undefined) return undefined;
  const plain = withoutCasts(tensor);
  const heads = repeatedHeads(plain);
  if (heads !== undefined) {
    const below = peeled(heads.source, context);
    return below === undefined ? undefined : { ...below, repeats: below.repeats * heads.repeats };
  }
  const op = madeBy(plain, "multiply", "divide");
  const orders = op === undefined ? [] : eitherOrder(op).slice(0, op.name === "ttnn.divide" ? 1 : 2);
  for (const [input, factor] of orders) {
    const number = constantOf(factor, context);
    if (number === undefined || !sameExtents(input.type.shape, plain.type.shape)) continue;
    const below = peeled(input, context);
    if (below === undefined) continue;
    return { ...below, scale: op?.name === "ttnn.divide" ? below.scale / number : below.scale * number };
  }
  return { value: plain, scale: 1, repeats: 1 };
}

/** Heads before each was repeated for the query heads that share it; one head may be repeated as a whole. */
function repeatedHeads(
  value: TensorValue,
): { readonly source: TensorValue; readonly repeats: number } | undefined {
  const op = madeBy(value, "repeat_interleave", "repeat");
  const source = op?.tensorOperand(0);
  if (op === undefined || source === undefined) return undefined;
  if (op.name === "ttnn.repeat_interleave") {
    const repeats = readInteger(op.attributeMap(), "repeats");
    return dimensionOf(op, "dim") !== 1 || repeats === undefined ? undefined : { source, repeats };
  }
  const [repeats = 1] = value.type.shape.slice(1, 2);
  const isOneHead = source.type.shape[1] === 1 &&
    sameExtents(source.type.shape.with(1, repeats), value.type.shape);
  return isOneHead ? { source, repeats } : undefined;
}

interface Guard {
  /** The softmax. */
  readonly weights: TensorValue;
  /** The scores whose rows are looked at. */
  readonly scores: TensorValue;
}

/** `where(every score of the row is -inf, 0, weights)`, spelled `not any(not (scores == -inf))`. */
function matchGuard(value: TensorValue, context: PassContext): Guard | undefined {
  const where = madeBy(value, "where");
  const weights = where?.tensorOperand(2);
  if (where === undefined || weights === undefined || constantOf(where.operands[1], context) !== 0) {
    return undefined;
  }
  const none = madeBy(withoutViews(where.operands[0]), "logical_not");
  const any = madeBy(withoutViews(none?.operands[0]), "sum", "max");
  const kept = madeBy(withoutViews(any?.operands[0]), "logical_not");
  const hidden = madeBy(withoutViews(kept?.operands[0]), "eq");
  const reduced = any === undefined ? [] : integersOf(any, "dim_arg");
  if (hidden === undefined || reduced.length !== 1 || (reduced[0] !== 3 && reduced[0] !== -1)) {
    return undefined;
  }
  const shape = none?.operandType(0)?.shape ?? [];
  const rows = weights.type.shape.with(3, 1);
  if (!sameButOnes(shape, rows) || !sameExtents(where.operandType(0)?.shape ?? [], rows)) return undefined;
  for (const [scores, infinity] of eitherOrder(hidden)) {
    if (constantOf(infinity, context) !== -Infinity) continue;
    if (sameExtents(scores.type.shape, weights.type.shape)) return { weights, scores };
  }
  return undefined;
}

/** The value below typecasts and reshapes. */
function withoutViews(value: BodyValue | undefined): BodyValue | undefined {
  const op = madeBy(value, "typecast", "reshape");
  return op === undefined ? value : withoutViews(op.operands[0]);
}
