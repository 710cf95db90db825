// SPDX-License-Identifier: Apache-2.0
import { makeAttributes } from "../../ops/attributes/print_attributes.ts";
import { PERMUTE } from "../../ops/attributes/movement.ts";
import { inversePermutation, volume } from "../../layout/extents.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../ttnn/value.ts";
import type { PassContext } from "../graph_pass.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy, reshapeMicroseconds, sameButOnes } from "./matching.ts";
import { PassBuilder } from "../pass_builder.ts";

/**
 * Replaces reshape → permute → reshape by the equivalent permute whose shape is predicted to be fastest:
 * dimensions of extent 1 dropped, adjacent dimensions that stay adjacent merged, or dimensions that a reshape joined
 * apart. A tile row with one element
 * costs as much as a full one: `1x80x1x3000`, as front ends write a one-dimensional convolution, has 94 times
 * the tiles of `1x80x3000`, and an image of 80x80 has fewer tiles as 6400 rows of channels than as 80x80.
 */
export const permuteFewerTiles: RewritePattern = {
  name: "permute-fewer-tiles",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.permute"],
  rewrite: (op, body, context) => {
    const [permuted, result] = [op.tensorOperand(0), op.tensorResult];
    if (permuted === undefined || result === undefined || !isPlain(result.type)) return false;
    // A tensor without elements takes no time.
    if (volume(result.type.shape) === 0) return false;
    const permutation = op.read(PERMUTE).permutation;
    const [from, to] = [reshapedBelow(permuted, op) ?? permuted, reshapedAbove(result) ?? result];
    if (!isPlain(from.type) || from.type.dataType !== result.type.dataType) return false;
    const permute = { before: permuted.type.shape, permutation, after: result.type.shape };
    const price = (form: PermuteForm): number => microseconds(from, form, to, context);
    const forms = [
      fromSource(from.type.shape, permute),
      toTarget(to.type.shape, permute),
      split(from.type.shape, permute),
      splitBack(to.type.shape, permute),
      merged(permute),
    ];
    const [best] = forms.flatMap((form) => form ?? [])
      .map((form) => ({ ...form, time: price(form) }))
      .sort((a, b) => a.time - b.time);
    // Forms of equal time could be swapped back and forth, so the gain must be real.
    if (best === undefined || !(best.time < 0.99 * price(permute))) return false;
    const site = new PassBuilder(body, op, context);
    const less = site.reshape(from, best.before);
    const moved = site.tensor("ttnn.permute", [less], {
      shape: best.after,
      dataType: result.type.dataType,
    }, {
      permutation: best.permutation,
    });
    body.replaceAllUses(to, site.reshape(moved, to.type.shape));
    return true;
  },
};

/** A permute of one shape to another. */
interface PermuteForm {
  readonly before: readonly number[];
  readonly permutation: readonly number[];
  readonly after: readonly number[];
}

/** The tensor below a reshape, when nothing but the op reads its result. */
function reshapedBelow(value: TensorValue, reader: TtnnOp): TensorValue | undefined {
  return value.onlyUser === reader ? madeBy(value, "reshape")?.tensorOperand(0) : undefined;
}

/** The result of the only reader, a reshape. */
function reshapedAbove(value: TensorValue): TensorValue | undefined {
  const above = value.onlyUser?.name === "ttnn.reshape" ? value.onlyUser.tensorResult : undefined;
  return above !== undefined && isPlain(above.type) && above.type.dataType === value.type.dataType
    ? above
    : undefined;
}

/** Dimensions of a shape that hold more than one element, in order. */
function dimensionsOf(shape: readonly number[]): readonly number[] {
  return shape.flatMap((extent, dim) => (extent === 1 ? [] : [dim]));
}

/** The order in which a permute puts the dimensions of more than one element, counted among themselves. */
function orderOf({ before, permutation }: PermuteForm): readonly number[] {
  const dims = dimensionsOf(before);
  return permutation.flatMap((dim) => {
    const index = dims.indexOf(dim);
    return index < 0 ? [] : [index];
  });
}

/** The same turn of the shape below, where extents of 1 are elsewhere: there they stay where they are. */
function fromSource(shape: readonly number[], permute: PermuteForm): PermuteForm | undefined {
  if (!sameButOnes(shape, permute.before)) return undefined;
  const dims = dimensionsOf(shape);
  const order = orderOf(permute).flatMap((index) => dims[index] ?? []);
  const own = shape.map((extent, dim) => extent === 1 ? dim : order[dims.indexOf(dim)] ?? dim);
  return { before: shape, permutation: own, after: own.map((dim) => shape[dim] ?? 1) };
}

/** The same turn to the shape above, whose extents of 1 are where they will be. */
function toTarget(shape: readonly number[], permute: PermuteForm): PermuteForm | undefined {
  const back = fromSource(shape, inverse(permute));
  return back === undefined ? undefined : inverse(back);
}

function inverse({ before, permutation, after }: PermuteForm): PermuteForm {
  return { before: after, permutation: inversePermutation(permutation), after: before };
}

/**
 * The same turn of the shape below, whose dimensions a reshape joined: each part takes the place of the whole, in order.
 * `undefined` where it does not have just these dimensions in parts.
 */
function split(shape: readonly number[], permute: PermuteForm): PermuteForm | undefined {
  const parts: number[][] = [];
  let next = 0;
  for (const extent of permute.before) {
    const part: number[] = [];
    for (let left = extent; left > 1; next++) {
      const own = shape[next];
      if (own === undefined || left % own !== 0) return undefined;
      left /= own;
      part.push(next);
    }
    // Extents of 1 stay beside what is before them.
    while (shape[next] === 1) part.push(next++);
    parts.push(part);
  }
  if (next !== shape.length) return undefined;
  const permutation = permute.permutation.flatMap((dim) => parts[dim] ?? []);
  return { before: shape, permutation, after: permutation.map((dim) => shape[dim] ?? 1) };
}

/** The same turn to the shape above, whose dimensions a reshape parts. */
function splitBack(shape: readonly number[], permute: PermuteForm): PermuteForm | undefined {
  const back = split(shape, inverse(permute));
  return back === undefined ? undefined : inverse(back);
}

/** The turn with neighbours that stay neighbours as one dimension; `undefined` where no two change places. */
function merged(permute: PermuteForm): PermuteForm | undefined {
  const extents = permute.before.filter((extent) => extent !== 1);
  const order = orderOf(permute);
  // Every run of dimensions that follow each other on both sides.
  const runs: { readonly first: number; readonly extent: number }[] = [];
  order.forEach((dim, place) => {
    const extent = extents[dim] ?? 1;
    const last = runs.at(-1);
    if (last !== undefined && order[place - 1] === dim - 1) {
      runs[runs.length - 1] = { first: last.first, extent: last.extent * extent };
    } else runs.push({ first: dim, extent });
  });
  if (runs.length < 2) return undefined;
  const sorted = runs.toSorted((a, b) => a.first - b.first);
  return {
    before: sorted.map(({ extent }) => extent),
    permutation: runs.map((run) => sorted.indexOf(run)),
    after: runs.map(({ extent }) => extent),
  };
}

/** Predicted time of a reshape, a permute and a reshape in interleaved DRAM; infinite where it is unknown. */
function microseconds(
  from: TensorValue,
  permute: PermuteForm,
  to: TensorValue,
  context: PassContext,
): number {
  const { before, permutation, after } = permute;
  const typeOf = (shape: readonly number[]): TtnnTensorType =>
    tensorType(context.chip, shape, from.type.dataType);
  const [less, more] = [typeOf(before), typeOf(after)];
  return reshapeMicroseconds(from.type, less, context) +
    permuteMicroseconds(less, permutation, more, context) +
    reshapeMicroseconds(more, to.type, context);
}

/** Predicted time of a permute in µs: zero for one that moves nothing, infinite where it is unknown. */
function permuteMicroseconds(
  from: TtnnTensorType,
  permutation: readonly number[],
  to: TtnnTensorType,
  context: PassContext,
): number {
  if (permutation.every((dim, index) => dim === index)) return 0;
  const attributes = makeAttributes(PERMUTE, { permutation });
  return context.microseconds({ name: "ttnn.permute", operands: [from], results: [to], attributes }) ??
    Infinity;
}
