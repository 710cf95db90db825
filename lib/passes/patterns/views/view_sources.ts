// SPDX-License-Identifier: Apache-2.0
import { SOFTMAX } from "../../../ops/attributes/normalization.ts";
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import {
  inversePermutation,
  movesOnlyOnes,
  sameButOnes,
  sameExtents,
  volume,
  withOnesMoved,
} from "../../../layout/extents.ts";
import { tileCount } from "../../../layout/tile_shape.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, type TensorValue } from "../../../ttnn/value.ts";
import { InvariantValues, raiseConstant } from "../../invariant_values.ts";
import { dimensionOf, isPlain } from "../matching.ts";
import { anyView, applyView, inverse, isUndone, permutedBack, type View } from "./view.ts";
import type { PassBuilder } from "../../rewrite_pattern.ts";

/**
 * Operands of the op below a common view, found or made; `undefined` if one of them has none. If the source has at most
 * half as many tiles as the result, operands of the result's shape get the inverse view.
 */
export function elementwiseSources(
  operands: readonly TensorValue[],
  view: View,
  result: TensorValue,
  site: PassBuilder,
): readonly TensorValue[] | undefined {
  const isSmaller = 2 * tileCount(view.source.type.shape) <= tileCount(result.type.shape);
  const found = operands.map((operand) =>
    SOURCE_RULES.reduce<TensorValue | undefined>(
      (source, rule) => source ?? rule(operand, view, result, site),
      undefined,
    ) ?? (isSmaller && sameShape(operand, result) ? "permute" : undefined)
  );
  if (found.includes(undefined)) return undefined;
  return found.flatMap((source, index) => {
    const operand = operands[index];
    return source !== "permute"
      ? source ?? []
      : operand === undefined
      ? []
      : applyView(site, operand, inverse(view));
  });
}

/** Finds or makes the tensor below a view for one operand; `undefined` if the rule does not apply. */
type SourceRule = (
  operand: TensorValue,
  view: View,
  result: TensorValue,
  site: PassBuilder,
) => TensorValue | undefined;

/** The operand of the same view, or a tensor that broadcasts equally below it. */
const sourceOf: SourceRule = (operand, view, result) => {
  const { source, permutation } = view;
  const { shape } = source.type;
  const own = anyView(operand);
  const isSame = own !== undefined && sameExtents(own.source.type.shape, shape) &&
    sameShape(operand, result) &&
    (permutation === undefined
      ? own.permutation === undefined
      : own.permutation !== undefined && sameExtents(own.permutation, permutation));
  if (isSame) return own.source;
  if (operand.type.shape.length > shape.length) return undefined;
  if (volume(operand.type.shape) === 1) return operand;
  const width = shape.at(-1);
  const isRow = permutation === undefined && width === result.type.shape.at(-1) &&
    operand.type.shape.at(-1) === width && volume(operand.type.shape) === width;
  return isRow ? operand : undefined;
};

/** A scalar, or a row if the view keeps rows whole, reduced to the source's rank. */
const flatter: SourceRule = (operand, { source, permutation }, result, site) => {
  const { shape } = source.type;
  const ones = shape.map(() => 1);
  if (volume(operand.type.shape) === 1) return site.reshape(operand, ones);
  const width = operand.type.shape.at(-1) ?? 1;
  const isRow = permutation === undefined && volume(operand.type.shape) === width && width === shape.at(-1) &&
    width === result.type.shape.at(-1);
  return isRow ? site.reshape(operand, ones.with(-1, width)) : undefined;
};

/** A broadcast operand of a view that only moves unit dimensions: its own unit dimensions move likewise. */
const acrossOnes: SourceRule = (operand, { source, permutation }, result, site) => {
  const [from, to] = [result.type.shape, source.type.shape];
  const { shape } = operand.type;
  const moves = permutation === undefined && sameButOnes(from, to) && shape.length <= from.length;
  if (!moves || sameExtents(shape, from)) return undefined;
  return site.reshape(operand, withOnesMoved(shape, from, to));
};

/** Largest share of the result's elements for an operand that is permuted or reshaped so that a view can sink. */
export const SMALL: number = 1 / 16;

/**
 * An operand that broadcasts along some permuted dimensions, with the inverse permute, if that cancels later.
 */
const broadcastPermuted: SourceRule = (operand, view, result, site) => {
  const { permutation } = view;
  const { shape } = operand.type;
  if (permutation === undefined || shape.length !== permutation.length) return undefined;
  if (volume(shape) > SMALL * volume(result.type.shape) || !isUndone(result, view)) return undefined;
  const back = inversePermutation(permutation);
  return movesOnlyOnes(shape, back)
    ? site.reshape(operand, back.map((dim) => shape[dim] ?? 1))
    : permutedBack(site, operand, permutation);
};

/**
 * An operand that broadcasts along whole dimensions that a reshape split or merged, in the shape before the
 * reshape.
 */
const broadcastRegrouped: SourceRule = (operand, { source, permutation }, result, site) => {
  const { shape } = operand.type;
  if (permutation !== undefined || volume(shape) > SMALL * volume(result.type.shape)) return undefined;
  const extents = regroupedExtents(shape, result.type.shape, source.type.shape);
  return extents === undefined ? undefined : site.reshape(operand, extents);
};

/**
 * The inverse view of a constant, computed at load. A view of a constant is inverted only if that reduces its
 * tiles; otherwise two constants would be reshaped to each other's shape forever.
 */
const constantPermuted: SourceRule = (operand, view, result, site) => {
  const constants = InvariantValues.of(site.body);
  if (!constants.has(operand)) return undefined;
  if (constants.has(view.source) && tileCount(view.source.type.shape) >= tileCount(result.type.shape)) {
    return undefined;
  }
  raiseConstant(operand, site.anchor, site.body);
  const { permutation } = inverse(view);
  if (sameShape(operand, result)) return applyView(site, operand, inverse(view));
  if (permutation === undefined || operand.type.shape.length !== permutation.length) return undefined;
  const shape = permutation.map((dim) => operand.type.shape[dim] ?? 1);
  return applyView(site, operand, { shape, permutation });
};

/**
 * The result of an existing op that applies the inverse view to this operand and dominates the anchor. Operands
 * of the anchor are excluded: in `x · xᵀ` a permute that is its own inverse would sink without end.
 */
const inverseOf: SourceRule = (operand, view, _, { anchor, body }) => {
  const { shape, permutation } = inverse(view);
  for (const user of operand.uses.keys()) {
    const back = user.tensorResult;
    const isInverse = permutation === undefined
      ? user.name === "ttnn.reshape"
      : user.name === "ttnn.permute" && sameExtents(user.read(PERMUTE).permutation, permutation);
    if (!isInverse || back === undefined || !body.isBefore(user, anchor)) continue;
    if (anchor.operands.includes(back)) continue;
    if (sameExtents(back.type.shape, shape) && isPlain(back.type)) return back;
  }
  return undefined;
};

/**
 * Operands of a row-wise op below the reshape of its first one; `undefined` unless the reshape keeps rows whole, a
 * softmax is along them, and the other operands have rank one.
 */
export function rowwiseSources(
  op: TtnnOp,
  operands: readonly TensorValue[],
  { source, permutation }: View,
): readonly TensorValue[] | undefined {
  const [input, ...rows] = operands;
  const rank = input?.type.shape.length ?? 0;
  const keepsRows = permutation === undefined && source.type.shape.at(-1) === input?.type.shape.at(-1);
  const overRows = op.name !== "ttnn.softmax" || dimensionOf(op, op.read(SOFTMAX).dimension) === rank - 1;
  const plain = rows.every(({ type }) => type.shape.length === 1);
  return keepsRows && overRows && plain ? [source, ...rows] : undefined;
}

/**
 * The shape in which a tensor that broadcasts to `result` broadcasts to `source`, another shape of the same
 * elements. Wherever the reshape splits or merges dimensions, the tensor must have either their full extent
 * or extent 1 in all of them; otherwise `undefined`.
 */
export function regroupedExtents(
  operand: readonly number[],
  result: readonly number[],
  source: readonly number[],
): readonly number[] | undefined {
  if (volume(result) !== volume(source) || volume(result) === 0 || operand.length > result.length) {
    return undefined;
  }
  const filled = [...result.slice(operand.length).map(() => 1), ...operand];
  const extents: number[] = [];
  let [from, to] = [0, 0];
  while (from < result.length || to < source.length) {
    const [start, begin] = [from, to];
    let [left, right] = [result[from++] ?? 1, source[to++] ?? 1];
    while (left !== right) {
      if (left < right) left *= result[from++] ?? 1;
      else right *= source[to++] ?? 1;
    }
    const own = filled.slice(start, from);
    const isWhole = own.every((extent, dim) => extent === result[start + dim]);
    if (!isWhole && own.some((extent) => extent !== 1)) return undefined;
    extents.push(...source.slice(begin, to).map((extent) => isWhole ? extent : 1));
  }
  return extents;
}

/** In the order in which they are tried. */
const SOURCE_RULES: readonly SourceRule[] = [
  sourceOf,
  flatter,
  acrossOnes,
  inverseOf,
  constantPermuted,
  broadcastPermuted,
  broadcastRegrouped,
];
