// SPDX-License-Identifier: Apache-2.0
import { denseArrayText } from "../../dialect/printed_attributes.ts";
import { sameExtents } from "../../layout/extents.ts";
import { reshapeKeepsPages } from "../../ops/view_shapes.ts";
import type { BodyOp } from "../body/body_op.ts";
import type { TensorValue } from "../body/body_value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { integersOf, isPlain, madeBy, makeReshape, makeTensor, sameButOnes, tilesOf } from "./matching.ts";

/**
 * A permute turns the tensor without the dimensions of extent 1 that a reshape in front of it adds, or one behind it takes
 * away, where that is fewer tiles: a row of a tile that holds one number is as dear as a full one. Front ends write
 * one-dimensional convolutions so (`1x80x3000` as `1x80x1x3000`, 94 times the tiles).
 */
export const permuteWithoutOnes: RewritePattern = {
  name: "permute-without-ones",
  option: undefined,
  roots: ["ttnn.permute"],
  rewrite: (op, body, context) => {
    const [turned, result] = [op.tensorOperand(0), op.tensorResult];
    if (turned === undefined || result === undefined || !isPlain(result.type)) return false;
    const permutation = integersOf(op, "permutation");
    const source = onesBelow(turned, op);
    const target = onesAbove(result);
    const ways = [
      source === undefined ? undefined : fromSource(source.type.shape, turned.type.shape, permutation),
      target === undefined ? undefined : toTarget(target.type.shape, turned.type.shape, permutation),
    ];
    const from = source ?? turned;
    const to = target ?? result;
    const now = cost(from.type.shape, turned.type.shape, result.type.shape, to.type.shape);
    const best = ways.flatMap((way) => way ?? [])
      .map((way) => ({ ...way, cost: cost(from.type.shape, way.before, way.after, to.type.shape) }))
      .sort((a, b) => a.cost - b.cost)[0];
    if (best === undefined || best.cost >= now) return false;
    const site = { anchor: op, body, context };
    const less = makeReshape(site, from, best.before);
    const moved = makeTensor(site, "ttnn.permute", [less], best.after, result.type.dataType, {
      permutation: denseArrayText(best.permutation, "i64"),
    });
    body.replaceAllUses(to, makeReshape(site, moved, to.type.shape));
    return true;
  },
};

/** A permute of one shape to another. */
interface Turn {
  readonly before: readonly number[];
  readonly permutation: readonly number[];
  readonly after: readonly number[];
}

/** The tensor below a reshape that only adds or moves extents of 1, when nothing but the op reads its result. */
function onesBelow(value: TensorValue, reader: BodyOp): TensorValue | undefined {
  const below = madeBy(value, "reshape")?.tensorOperand(0);
  return below !== undefined && value.onlyUser === reader && isSameButOnes(below, value) ? below : undefined;
}

/** The result of the only reader, a reshape that only takes away or moves extents of 1. */
function onesAbove(value: TensorValue): TensorValue | undefined {
  const reader = value.onlyUser;
  const above = reader?.name === "ttnn.reshape" ? reader.tensorResult : undefined;
  return above !== undefined && isSameButOnes(value, above) ? above : undefined;
}

function isSameButOnes(a: TensorValue, b: TensorValue): boolean {
  return isPlain(a.type) && isPlain(b.type) && a.type.dataType === b.type.dataType &&
    sameButOnes(a.type.shape, b.type.shape);
}

/** Dimensions of a shape that hold more than one element, in order. */
function dimensionsOf(shape: readonly number[]): readonly number[] {
  return shape.flatMap((extent, dim) => (extent === 1 ? [] : [dim]));
}

/** The order in which a permute puts the dimensions of more than one element, counted among themselves. */
function orderOf(turned: readonly number[], permutation: readonly number[]): readonly number[] {
  const dims = dimensionsOf(turned);
  return permutation.flatMap((dim) => {
    const index = dims.indexOf(dim);
    return index < 0 ? [] : [index];
  });
}

/** The same turn of the shape below: its extents of 1 stay where they are. */
function fromSource(
  shape: readonly number[],
  turned: readonly number[],
  permutation: readonly number[],
): Turn {
  const dims = dimensionsOf(shape);
  const order = orderOf(turned, permutation).flatMap((index) => dims[index] ?? []);
  const own = shape.map((extent, dim) => extent === 1 ? dim : order[dims.indexOf(dim)] ?? dim);
  return { before: shape, permutation: own, after: own.map((dim) => shape[dim] ?? 1) };
}

/** The same turn to the shape above, whose extents of 1 are where they will be. */
function toTarget(shape: readonly number[], turned: readonly number[], permutation: readonly number[]): Turn {
  const inverse = permutation.map((_, dim) => permutation.indexOf(dim));
  const result = permutation.map((dim) => turned[dim] ?? 1);
  const { permutation: back, after } = fromSource(shape, result, inverse);
  return { before: after, permutation: back.map((_, dim) => back.indexOf(dim)), after: shape };
}

/** Tiles that a reshape, a permute and a reshape read and write; one that leaves the tiles as they are costs none. */
function cost(
  from: readonly number[],
  before: readonly number[],
  after: readonly number[],
  to: readonly number[],
): number {
  const turn = sameExtents(before, after) ? 0 : tilesOf(before) + tilesOf(after);
  return reshaped(from, before) + turn + reshaped(after, to);
}

function reshaped(from: readonly number[], to: readonly number[]): number {
  return reshapeKeepsPages(from, to, true) ? 0 : tilesOf(from) + tilesOf(to);
}
