// SPDX-License-Identifier: Apache-2.0
import { sameExtents, transposition, volume } from "../../../layout/extents.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isFasterBeyondError, isPlain, slicedBounds } from "../matching.ts";

/**
 * Replaces a slice with steps, whose kernel copies byte by byte, by slices of neighbours, if that is faster: every second
 * of `2n` rows of `w` elements is the first half of the columns of `n` rows of `2w`. Elements of rows are rows of the
 * transpose. Several slices of one tensor share the reshape. A step over one element is none.
 */
export const spellOutSteps: RewritePattern = replacing({
  name: "spell-out-steps",
  upstream: "none",
  roots: ["ttnn.slice_static"],
  pays: (after, before, made) => made.length <= 1 || isFasterBeyondError(after, before),
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    const [begins, , steps] = slicedBounds(op);
    if (input === undefined || begins === undefined || steps?.some((step) => step > 1) !== true) {
      return undefined;
    }
    const counts = result.type.shape;
    if (!isPlain(input.type) || !isPlain(result.type) || volume(counts) === 0) return undefined;
    return withoutSteps(site, input, { begins, counts, steps });
  },
});

/** A slice by what it keeps: `counts` places of every dimension from `begins` on, `steps` apart. */
export interface Strided {
  readonly begins: readonly number[];
  readonly counts: readonly number[];
  readonly steps: readonly number[];
}

/** The kept places; `undefined` if a dimension ends within the last step and has no room in front either. */
export function withoutSteps(
  site: PassBuilder,
  input: TensorValue,
  { begins, counts, steps }: Strided,
): TensorValue | undefined {
  const extents = input.type.shape;
  const rank = extents.length;
  const stepOf = (dim: number): number => counts[dim] === 1 ? 1 : steps[dim] ?? 1;
  // Whole steps around what is kept: the whole dimension where steps divide it, as other slices read.
  const windows = extents.map((extent, dim) => {
    const [step, begin, count] = [stepOf(dim), begins[dim] ?? 0, counts[dim] ?? 1];
    const isDivided = step > 1 && extent % step === 0;
    const groups = isDivided ? extent / step : count;
    const start = isDivided ? 0 : Math.min(begin, extent - groups * step);
    return { step, count, groups, start, span: groups * step, skipped: begin - start };
  });
  if (windows.some(({ start }) => start < 0)) return undefined;
  const cut = (from: TensorValue, places: readonly number[], kept: readonly number[]): TensorValue =>
    sameExtents(kept, from.type.shape) ? from : site.inferred("ttnn.slice_static", [from], {
      begins: places,
      ends: places.map((place, dim) => place + (kept[dim] ?? 0)),
      step: places.map(() => 1),
    });
  const transposed = (from: TensorValue): TensorValue =>
    site.permute(from, transposition(from.type.shape.length));
  let value = cut(input, windows.map(({ start }) => start), windows.map(({ span }) => span));
  for (const [dim, { step, count, groups, skipped }] of windows.entries()) {
    if (step === 1) continue;
    if (rank < 2) return undefined;
    const isColumn = dim === rank - 1;
    if (isColumn) value = transposed(value);
    const at = isColumn ? dim - 1 : dim;
    const { shape } = value.type;
    const inner = shape.slice(at + 1);
    // Rows of a step lie side by side; other dimensions get one of their own.
    const width = at === rank - 2 ? inner[0] ?? 1 : 1;
    const others = at === rank - 2 ? [] : inner;
    const split = [...shape.slice(0, at), groups, step * width, ...others];
    const places = split.map(() => 0).with(at + 1, skipped % step * width);
    value = cut(site.reshape(value, split), places, split.with(at + 1, width));
    if (others.length > 0) value = site.reshape(value, [...shape.slice(0, at), groups, ...others]);
    // Last, as other slices read all rows of the part.
    const part = value.type.shape;
    value = cut(value, part.map(() => 0).with(at, Math.floor(skipped / step)), part.with(at, count));
    if (isColumn) value = transposed(value);
  }
  return value;
}
