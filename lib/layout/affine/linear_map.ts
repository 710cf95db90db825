// SPDX-License-Identifier: Apache-2.0
import type { AffineExpression } from "./affine_expression.ts";
import { type AffineMap, formatAffineMap } from "./affine_map.ts";
import { formatExtents, LayoutError, type LayoutRule } from "../layout_error.ts";

/** One dim of a strided sum. */
export interface StridedDim {
  readonly dim: number;
  /** Physical distance of neighbours, positive. */
  readonly stride: number;
  readonly extent: number;
}

/** A physical dimension as a sum of logical dims times strides: `offset + Σ dim × stride`. */
export interface StridedSum {
  readonly offset: number;
  /** Dims of more than one element, largest stride first. */
  readonly dims: readonly StridedDim[];
  /** Greatest value plus one. */
  readonly extent: number;
}

/** A run of physical positions `[start, end)` that all hold elements. */
export interface ElementRun {
  readonly start: number;
  readonly end: number;
  /** Values of the dims in `wanted`, in the order of `dims`. */
  readonly fixed: ReadonlyMap<number, number>;
}

/**
 * Reads the `linear` map of a layout: every result must be a sum of dims times strides, and the map must be
 * injective. It is if in every result each stride exceeds the maximum of the smaller terms, and every
 * non-unit dim occurs.
 *
 * @throws {LayoutError} `linear/rank`, `linear/strided-sum` or `linear/overlap`
 */
export function stridedSums(linear: AffineMap, shape: readonly number[]): StridedSum[] {
  const refuse = (rule: LayoutRule, reason: string): never => {
    const tensor = `a tensor of shape ${formatExtents(shape)}`;
    throw new LayoutError(rule, `Cannot lay out ${tensor} with ${formatAffineMap(linear)}: ${reason}`);
  };
  if (linear.dimCount !== shape.length || linear.symbolCount !== 0) {
    refuse("linear/rank", `the map must take ${shape.length} dims and no symbols`);
  }
  const sums = linear.results.map((result): StridedSum => {
    const strides = new Array<number>(shape.length).fill(0);
    const offset = addStrides(result, 1, strides, linear);
    const dims = strides
      .map((stride, dim): StridedDim => ({ dim, stride, extent: shape[dim] ?? 1 }))
      .filter(({ stride, extent }) => stride !== 0 && extent > 1)
      .sort((a, b) => b.stride - a.stride);
    let reach = 0;
    for (const { dim, stride, extent } of dims.toReversed()) {
      if (stride <= reach) {
        const least = `it must be at least ${reach + 1}`;
        refuse("linear/overlap", `the stride ${stride} of d${dim} makes elements overlap, ${least}`);
      }
      reach += stride * (extent - 1);
    }
    return { offset, dims, extent: offset + reach + 1 };
  });
  for (const [dim, extent] of shape.entries()) {
    if (extent > 1 && !sums.some((sum) => sum.dims.some((strided) => strided.dim === dim))) {
      refuse("linear/overlap", `no result depends on d${dim}, so its elements overlap`);
    }
  }
  return sums;
}

/** Adds the strides of an expression times a factor and returns its constant part. */
function addStrides(
  expression: AffineExpression,
  factor: number,
  strides: number[],
  linear: AffineMap,
): number {
  const refuse = (): never => {
    throw new LayoutError(
      "linear/strided-sum",
      `Cannot lay out a tensor with ${
        formatAffineMap(linear)
      }: every result must be a sum of dims times strides ` +
        "that are not negative",
    );
  };
  switch (expression.kind) {
    case "constant": {
      const value = expression.value * factor;
      return value < 0 ? refuse() : value;
    }
    case "dim":
      if (factor < 0) refuse();
      strides[expression.index] = (strides[expression.index] ?? 0) + factor;
      return 0;
    case "add":
      return addStrides(expression.left, factor, strides, linear) +
        addStrides(expression.right, factor, strides, linear);
    case "mul":
      if (expression.right.kind !== "constant") return refuse();
      return addStrides(expression.left, factor * expression.right.value, strides, linear);
    default:
      return refuse();
  }
}

/**
 * The dim values that make up a physical position.
 *
 * @returns values by dim, or `undefined` when no element is there
 */
export function decodePosition(sum: StridedSum, position: number): Map<number, number> | undefined {
  const values = new Map<number, number>();
  let rest = position - sum.offset;
  if (rest < 0) return undefined;
  for (const { dim, stride, extent } of sum.dims) {
    const value = Math.floor(rest / stride);
    if (value >= extent) return undefined;
    values.set(dim, value);
    rest -= value * stride;
  }
  return rest === 0 ? values : undefined;
}

/**
 * Runs of positions that hold elements, ascending, inside the window `[from, to)`. Time grows with the number of runs,
 * not of positions.
 *
 * @param fixed dims whose value is already known; only positions with these values count
 * @param wanted dims whose value must be the same along a run and is reported with it
 */
export function* elementRuns(
  sum: StridedSum,
  from: number,
  to: number,
  fixed: ReadonlyMap<number, number> = new Map(),
  wanted: ReadonlySet<number> = new Set(),
): Generator<ElementRun> {
  // dense[i]: length of the single run that dims i, i + 1, … form; 0 if they form several or must be
  // distinguished.
  const dense = new Array<number>(sum.dims.length + 1).fill(0);
  dense[sum.dims.length] = 1;
  for (let index = sum.dims.length - 1; index >= 0; index--) {
    const strided = sum.dims[index];
    const inner = dense[index + 1] ?? 0;
    if (strided === undefined || inner === 0 || fixed.has(strided.dim) || wanted.has(strided.dim)) continue;
    if (strided.stride === inner) dense[index] = inner * strided.extent;
  }
  function* visit(index: number, base: number, known: ReadonlyMap<number, number>): Generator<ElementRun> {
    const length = dense[index] ?? 0;
    if (length > 0) {
      const start = Math.max(base, from);
      const end = Math.min(base + length, to);
      if (start < end) yield { start, end, fixed: known };
      return;
    }
    const strided = sum.dims[index];
    if (strided === undefined) return;
    const { dim, stride, extent } = strided;
    const value = fixed.get(dim);
    if (value !== undefined) {
      yield* visit(index + 1, base + value * stride, known);
      return;
    }
    const reach = sum.dims.slice(index + 1).reduce(
      (total, inner) => total + inner.stride * (inner.extent - 1),
      1,
    );
    const first = Math.max(0, Math.ceil((from - base - reach + 1) / stride));
    const last = Math.min(extent - 1, Math.floor((to - 1 - base) / stride));
    for (let position = first; position <= last; position++) {
      const next = wanted.has(dim) ? new Map([...known, [dim, position]]) : known;
      yield* visit(index + 1, base + position * stride, next);
    }
  }
  yield* visit(0, sum.offset, new Map());
}
