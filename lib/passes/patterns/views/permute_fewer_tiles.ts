// SPDX-License-Identifier: Apache-2.0
import { makeAttributes } from "../../../ops/attributes/print_attributes.ts";
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { isBlockFloat } from "../../../layout/data_type.ts";
import { inversePermutation, sameButOnes, transposition, volume } from "../../../layout/extents.ts";
import type { TensorValue, TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import {
  isFasterBeyondError,
  isPlain,
  madeBy,
  reshapeMicroseconds,
  rowMajorType,
  throughRowsMicroseconds,
  unaryMicroseconds,
} from "../matching.ts";

/**
 * Replaces reshape → permute → reshape by the equivalent permutes whose shapes are predicted to be fastest: unit
 * dimensions dropped, adjacent dimensions that stay adjacent merged, dimensions split that a reshape had
 * merged, or columns transposed to rows while they are split or merged. A tile row with one element costs as much as a
 * full one:
 *
 * - `1x80x1x3000`, a front end's spelling of a 1D convolution, has 27 times the tiles of `1x80x3000` (80·94 against 3·94);
 * - an image of 80x80 has fewer tiles as 6400 rows of channels than as 80x80;
 * - 6 heads of 64 columns fill a fifth of the rows of their tiles in `4x128x6x64`, but all in `4x6x64x128`, which is a
 *   view of `4x384x128`.
 */
export const permuteFewerTiles: RewritePattern = replacing({
  name: "permute-fewer-tiles",
  upstream: "none",
  roots: ["ttnn.permute"],
  replace: (op, site, result) => {
    const { context } = site;
    const permuted = op.tensorOperand(0);
    // An empty tensor takes no time.
    if (permuted === undefined || !isPlain(result.type) || volume(result.type.shape) === 0) return undefined;
    const permutation = op.read(PERMUTE).permutation;
    const to = reshapedAbove(result) ?? result;
    const permute = { before: permuted.type.shape, permutation, after: result.type.shape };
    const below = madeBy(permuted, "reshape")?.tensorOperand(0);
    // A reshape that others read as well stays, and counts on neither side.
    const now = permuted.onlyUser === op && below !== undefined ? below : permuted;
    const [best] = [...new Set([now, ...below === undefined ? [] : [below]])]
      .filter(({ type }) => isPlain(type) && type.dataType === result.type.dataType)
      .flatMap((from) => {
        const routes = [fromSource, split, splitAsRows].flatMap((reshaped) => [
          reshaped(from.type.shape, permute),
          fromAbove(reshaped)(to.type.shape, permute),
        ]);
        return [...routes, merged(permute)].flatMap((forms) => forms === undefined ? [] : [forms])
          .map((forms) => ({
            from,
            forms,
            time: microseconds(from, forms, to, context, reshapeMicroseconds),
          }));
      })
      .sort((a, b) => a.time - b.time);
    // A policy may keep in L1 what runs in tiles, so that only what is there already counts as run through rows.
    const before = microseconds(now, [permute], to, context, leastReshape);
    // Forms of equal time could alternate forever, so the gain must be real; more programs are more predictions.
    if (best === undefined || !(best.time < 0.99 * before)) return undefined;
    if (best.forms.length > 1 && !isFasterBeyondError(best.time, before)) return undefined;
    const moved = best.forms.reduce(
      (value, { before, permutation }) => site.permute(site.reshape(value, before), permutation),
      best.from,
    );
    return new Map([[to, site.reshape(moved, to.type.shape)]]);
  },
});

/** A permute of one shape to another. */
interface PermuteForm {
  readonly before: readonly number[];
  readonly permutation: readonly number[];
  readonly after: readonly number[];
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
function fromSource(shape: readonly number[], permute: PermuteForm): readonly PermuteForm[] | undefined {
  if (!sameButOnes(shape, permute.before)) return undefined;
  const dims = dimensionsOf(shape);
  const order = orderOf(permute).flatMap((index) => dims[index] ?? []);
  const own = shape.map((extent, dim) => extent === 1 ? dim : order[dims.indexOf(dim)] ?? dim);
  return [permuteOf(shape, own)];
}

function permuteOf(before: readonly number[], permutation: readonly number[]): PermuteForm {
  return { before, permutation, after: permutation.map((dim) => before[dim] ?? 1) };
}

/** Permutes with another shape on one side; `undefined` if the shapes do not correspond. */
type Reshaped = (shape: readonly number[], permute: PermuteForm) => readonly PermuteForm[] | undefined;

/** Replaces the shape above a permute the way `below` replaces the one below it. */
function fromAbove(below: Reshaped): Reshaped {
  return (shape, permute) => below(shape, inverse(permute))?.map(inverse).toReversed();
}

function inverse({ before, permutation, after }: PermuteForm): PermuteForm {
  return { before: after, permutation: inversePermutation(permutation), after: before };
}

/**
 * The equivalent permute of the shape below, some of whose dimensions a reshape merged: each part takes the
 * place of the whole, in order. `undefined` if the shapes do not correspond in this way.
 */
function split(shape: readonly number[], permute: PermuteForm): readonly PermuteForm[] | undefined {
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
  return [permuteOf(shape, permute.permutation.flatMap((dim) => parts[dim] ?? []))];
}

/**
 * The permute of the shape below whose columns a reshape split, as two: columns are transposed to rows, which are split
 * whole, then moved with the former rows as columns. `undefined` if the shapes do not correspond in this way.
 */
function splitAsRows(
  shape: readonly number[],
  { before, permutation }: PermuteForm,
): readonly PermuteForm[] | undefined {
  const columns = shape.at(-1) ?? 1;
  const first = before.findLastIndex((_, dim) => volume(before.slice(dim)) === columns);
  const [last, rows] = [before.length - 1, first - 1];
  if (rows < 0 || first === last) return undefined;
  const transposed = permuteOf([...before.slice(0, first), columns], transposition(first + 1));
  const apart = [...before.toSpliced(rows, 1), before[rows] ?? 1];
  const order = permutation.map((dim) => dim === rows ? last : dim > rows ? dim - 1 : dim);
  return [transposed, permuteOf(apart, order)];
}

/** The permute with adjacent dimensions that stay adjacent merged; `undefined` if there are none. */
function merged(permute: PermuteForm): readonly PermuteForm[] | undefined {
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
  return [permuteOf(sorted.map(({ extent }) => extent), runs.map((run) => sorted.indexOf(run)))];
}

type ReshapePrice = typeof reshapeMicroseconds;

/** Predicted µs of a reshape between tiles, in tiles or row-major, whichever is faster. */
function leastReshape(from: TtnnTensorType, to: TtnnTensorType, context: PassContext): number {
  const inTiles = reshapeMicroseconds(from, to, context);
  if (inTiles === 0 || isBlockFloat(from.dataType)) return inTiles;
  const inRows = reshapeMicroseconds(rowMajorType(from, context), rowMajorType(to, context), context);
  return Math.min(inTiles, throughRowsMicroseconds(from, to, context) + inRows);
}

/** Predicted µs of permutes with the reshapes around them in interleaved DRAM; infinite if unknown. */
function microseconds(
  from: TensorValue,
  permutes: readonly PermuteForm[],
  to: TensorValue,
  context: PassContext,
  reshape: ReshapePrice,
): number {
  let [time, at] = [0, from.type];
  for (const { before, permutation, after } of permutes) {
    const [less, more] = [before, after].map((shape) => tensorType(context.chip, shape, from.type.dataType));
    if (less === undefined || more === undefined) continue;
    time += reshape(at, less, context) +
      permuteMicroseconds(less, permutation, more, context);
    at = more;
  }
  return time + reshape(at, to.type, context);
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
  return unaryMicroseconds("ttnn.permute", from, to, context, attributes);
}
