// SPDX-License-Identifier: Apache-2.0
import { makeAttributes } from "../../../ops/attributes/print_attributes.ts";
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { inversePermutation, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, madeBy, reshapeMicroseconds, sameButOnes } from "../matching.ts";

/**
 * Replaces reshape → permute → reshape by the equivalent permute whose shape is predicted to be fastest: unit
 * dimensions dropped, adjacent dimensions that stay adjacent merged, or dimensions split that a reshape had
 * merged. A tile row with one element costs as much as a full one: `1x80x1x3000`, a front end's spelling of a
 * 1D convolution, has 94 times the tiles of `1x80x3000`, and an image of 80x80 has fewer tiles as 6400 rows
 * of channels than as 80x80.
 */
export const permuteFewerTiles: RewritePattern = {
  name: "permute-fewer-tiles",
  upstream: "none",
  roots: ["ttnn.permute"],
  rewrite: (op, body, context) => {
    const [permuted, result] = [op.tensorOperand(0), op.tensorResult];
    if (permuted === undefined || result === undefined || !isPlain(result.type)) return false;
    // An empty tensor takes no time.
    if (volume(result.type.shape) === 0) return false;
    const permutation = op.read(PERMUTE).permutation;
    const [from, to] = [reshapedBelow(permuted, op) ?? permuted, reshapedAbove(result) ?? result];
    if (!isPlain(from.type) || from.type.dataType !== result.type.dataType) return false;
    const permute = { before: permuted.type.shape, permutation, after: result.type.shape };
    const price = (form: PermuteForm): number => microseconds(from, form, to, context);
    const forms = [
      fromSource(from.type.shape, permute),
      fromAbove(fromSource)(to.type.shape, permute),
      split(from.type.shape, permute),
      fromAbove(split)(to.type.shape, permute),
      merged(permute),
    ];
    const [best] = forms.flatMap((form) => form ?? [])
      .map((form) => ({ ...form, time: price(form) }))
      .sort((a, b) => a.time - b.time);
    // Forms of equal time could alternate forever, so the gain must be real.
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

/** The operand of a single-use reshape. */
function reshapedBelow(value: TensorValue, reader: TtnnOp): TensorValue | undefined {
  return value.onlyUser === reader ? madeBy(value, "reshape")?.tensorOperand(0) : undefined;
}

/** The result of a reshape that is the only reader. */
function reshapedAbove(value: TensorValue): TensorValue | undefined {
  const above = value.onlyUser?.name === "ttnn.reshape" ? value.onlyUser.tensorResult : undefined;
  return above !== undefined && isPlain(above.type) && above.type.dataType === value.type.dataType
    ? above
    : undefined;
}

/** The non-unit dimensions of a shape, in order. */
function dimensionsOf(shape: readonly number[]): readonly number[] {
  return shape.flatMap((extent, dim) => (extent === 1 ? [] : [dim]));
}

/** The order in which a permute puts the non-unit dimensions, counted among themselves. */
function orderOf({ before, permutation }: PermuteForm): readonly number[] {
  const dims = dimensionsOf(before);
  return permutation.flatMap((dim) => {
    const index = dims.indexOf(dim);
    return index < 0 ? [] : [index];
  });
}

/** The equivalent permute of the shape below, whose unit dimensions stay in place. */
function fromSource(shape: readonly number[], permute: PermuteForm): PermuteForm | undefined {
  if (!sameButOnes(shape, permute.before)) return undefined;
  const dims = dimensionsOf(shape);
  const order = orderOf(permute).flatMap((index) => dims[index] ?? []);
  const own = shape.map((extent, dim) => extent === 1 ? dim : order[dims.indexOf(dim)] ?? dim);
  return { before: shape, permutation: own, after: own.map((dim) => shape[dim] ?? 1) };
}

/** A permute with another shape on one side; `undefined` if the shapes do not correspond. */
type Reshaped = (shape: readonly number[], permute: PermuteForm) => PermuteForm | undefined;

/** Replaces the shape above a permute the way `below` replaces the one below it. */
function fromAbove(below: Reshaped): Reshaped {
  return (shape, permute) => {
    const back = below(shape, inverse(permute));
    return back === undefined ? undefined : inverse(back);
  };
}

function inverse({ before, permutation, after }: PermuteForm): PermuteForm {
  return { before: after, permutation: inversePermutation(permutation), after: before };
}

/**
 * The equivalent permute of the shape below, some of whose dimensions a reshape merged: each part takes the
 * place of the whole, in order. `undefined` if the shapes do not correspond in this way.
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
    // Unit dimensions stay next to their predecessor.
    while (shape[next] === 1) part.push(next++);
    parts.push(part);
  }
  if (next !== shape.length) return undefined;
  const permutation = permute.permutation.flatMap((dim) => parts[dim] ?? []);
  return { before: shape, permutation, after: permutation.map((dim) => shape[dim] ?? 1) };
}

/** The permute with adjacent dimensions that stay adjacent merged; `undefined` if there are none. */
function merged(permute: PermuteForm): PermuteForm | undefined {
  const extents = permute.before.filter((extent) => extent !== 1);
  const order = orderOf(permute);
  // Maximal runs of dimensions that are adjacent on both sides.
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

/** Predicted µs of reshape, permute and reshape in interleaved DRAM; infinite if unknown. */
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

/** Predicted µs of a permute: 0 for one that moves nothing, infinite if unknown. */
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
