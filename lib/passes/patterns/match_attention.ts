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
  const left = withoutScale(product.tensorOperand(0), context);
  const right = withoutScale(product.tensorOperand(1), context);
  if (left === undefined || right === undefined || isTransposed(product, "a")) return undefined;
  const turned = isTransposed(product, "b") ? right.value : transposedFrom(right.value);
  const below = withoutScale(turned, context);
  if (below === undefined || product.attribute("activation") !== undefined) return undefined;
  const query = left.value;
  const [key, value] = sharedHeads(below.value, withoutCasts(values));
  const scale = found.scale * left.scale * right.scale * below.scale;
  return { query, key, value, mask, scale, isSafe: guarded !== undefined };
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
    return { ...found, mask: withoutCasts(mask) };
  }
  return undefined;
}

function scaledProduct(
  value: TensorValue,
  context: PassContext,
): { readonly product: BodyOp; readonly scale: number } | undefined {
  const found = withoutScale(value, context);
  const product = madeBy(found?.value, "matmul");
  return found === undefined || product === undefined ? undefined : { product, scale: found.scale };
}

/** The value below typecasts and products with numbers, and the product of these numbers. */
function withoutScale(
  value: BodyValue | undefined,
  context: PassContext,
): { readonly value: TensorValue; readonly scale: number } | undefined {
  const tensor = tensorOf(value);
  if (tensor === undefined) return undefined;
  const plain = withoutCasts(tensor);
  const op = madeBy(plain, "multiply", "divide");
  for (
    const [input, factor] of op === undefined
      ? []
      : eitherOrder(op).slice(0, op.name === "ttnn.divide" ? 1 : 2)
  ) {
    const number = constantOf(factor, context);
    if (number === undefined || !sameExtents(input.type.shape, plain.type.shape)) continue;
    const below = withoutScale(input, context);
    if (below === undefined) continue;
    return {
      value: below.value,
      scale: op?.name === "ttnn.divide" ? below.scale / number : below.scale * number,
    };
  }
  return { value: plain, scale: 1 };
}

/** Keys and values before every head of theirs was repeated for the query heads that share it. */
function sharedHeads(key: TensorValue, value: TensorValue): readonly [TensorValue, TensorValue] {
  const sources = [key, value].map((tensor) => {
    const repeated = madeBy(tensor, "repeat_interleave");
    const source = repeated?.tensorOperand(0);
    if (repeated === undefined || source === undefined || dimensionOf(repeated, "dim") !== 1) {
      return undefined;
    }
    return { source: withoutCasts(source), repeats: readInteger(repeated.attributeMap(), "repeats") };
  });
  const [first, second] = sources;
  if (first === undefined || second === undefined || first.repeats !== second.repeats) return [key, value];
  return [first.source, second.source];
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
