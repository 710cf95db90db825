// SPDX-License-Identifier: Apache-2.0
import { sameExtents, volume } from "../../../layout/extents.ts";
import { PERMUTE, RESHAPE, SLICE } from "../../../ops/attributes/movement.ts";
import { makeAttributes } from "../../../ops/attributes/print_attributes.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { PassContext } from "../../graph_pass.ts";
import type { AttributeMap } from "../../../ir/mod.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import {
  isFasterBeyondError,
  isPlain,
  predictedMicroseconds,
  slicedBounds,
  unaryMicroseconds,
} from "../matching.ts";

/**
 * Replaces a slice with steps, whose kernel copies byte by byte, by slices of neighbours, if that is faster: every second
 * of `2n` rows of `w` elements is the first half of the columns of `n` rows of `2w`. Elements of rows are rows of the
 * transpose. Several slices of one tensor share the reshape. A step over one element is none.
 */
export const spellOutSteps: RewritePattern = replacing({
  name: "spell-out-steps",
  upstream: "none",
  roots: ["ttnn.slice_static"],
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    const [begins, , steps] = slicedBounds(op);
    if (input === undefined || begins === undefined || steps?.some((step) => step > 1) !== true) {
      return undefined;
    }
    const { shape, dataType } = result.type;
    if (!isPlain(input.type) || !isPlain(result.type) || volume(shape) === 0) return undefined;
    const moves = movesOf(input.type.shape, { begins, counts: shape, steps });
    if (moves === undefined) return undefined;
    const before = predictedMicroseconds(op, site.context) ?? 0;
    if (moves.length > 1 && !isFasterBeyondError(microsecondsOf(moves, input.type, site.context), before)) {
      return undefined;
    }
    return moves.reduce(
      (from, { name, shape, properties }) => site.tensor(name, [from], { shape, dataType }, properties),
      input,
    );
  },
});

/** A slice by what it keeps: `counts` places of every dimension from `begins` on, `steps` apart. */
interface Strided {
  readonly begins: readonly number[];
  readonly counts: readonly number[];
  readonly steps: readonly number[];
}

/** One of the ops, each of one operand, that a slice with steps becomes. */
interface Move {
  readonly name: string;
  readonly shape: readonly number[];
  readonly properties: Record<string, readonly number[]>;
  readonly attributes: AttributeMap;
}

/** The ops, in order; `undefined` if a dimension ends within the last step and has no room in front either. */
function movesOf(
  extents: readonly number[],
  { begins, counts, steps }: Strided,
): readonly Move[] | undefined {
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
  const moves: Move[] = [];
  let shape = extents;
  const cut = (froms: readonly number[], kept: readonly number[]): void => {
    if (sameExtents(kept, shape)) return;
    const ends = froms.map((from, dim) => from + (kept[dim] ?? 0));
    const bounds = { begins: froms, ends, step: froms.map(() => 1) };
    moves.push({
      name: "ttnn.slice_static",
      shape: kept,
      properties: bounds,
      attributes: makeAttributes(SLICE, bounds),
    });
    shape = kept;
  };
  const reshape = (to: readonly number[]): void => {
    moves.push({
      name: "ttnn.reshape",
      shape: to,
      properties: { shape: to },
      attributes: makeAttributes(RESHAPE, { shape: to }),
    });
    shape = to;
  };
  const transpose = (): void => {
    const permutation = shape.map((_, dim) => (dim < rank - 2 ? dim : 2 * rank - 3 - dim));
    const properties = { permutation };
    shape = permutation.map((dim) => shape[dim] ?? 1);
    moves.push({ name: "ttnn.permute", shape, properties, attributes: makeAttributes(PERMUTE, properties) });
  };
  cut(windows.map(({ start }) => start), windows.map(({ span }) => span));
  for (const [dim, { step, count, groups, skipped }] of windows.entries()) {
    if (step === 1) continue;
    if (rank < 2) return undefined;
    const isColumn = dim === rank - 1;
    if (isColumn) transpose();
    const at = isColumn ? dim - 1 : dim;
    const inner = shape.slice(at + 1);
    // Rows of a step lie side by side; other dimensions get one of their own.
    const width = at === rank - 2 ? inner[0] ?? 1 : 1;
    const others = at === rank - 2 ? [] : inner;
    const split = [...shape.slice(0, at), groups, step * width, ...others];
    reshape(split);
    cut(split.map(() => 0).with(at + 1, skipped % step * width), split.with(at + 1, width));
    if (others.length > 0) reshape([...shape.slice(0, at + 1), ...others]);
    // Last, as other slices read all rows of the part.
    cut(shape.map(() => 0).with(at, Math.floor(skipped / step)), shape.with(at, count));
    if (isColumn) transpose();
  }
  return moves;
}

/** Predicted µs of the ops one after the other. */
function microsecondsOf(
  moves: readonly Move[],
  given: Parameters<typeof unaryMicroseconds>[1] & { readonly kind: "tensor" },
  context: PassContext,
): number {
  let from = given;
  return moves.reduce((sum, { name, shape, attributes }) => {
    const to = tensorType(context.chip, shape, from.dataType);
    const time = unaryMicroseconds(name, from, to, context, attributes);
    from = to;
    return sum + time;
  }, 0);
}
