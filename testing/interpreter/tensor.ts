// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../lib/layout/extents.ts";

/** A tensor of f64 numbers, row-major. Ops that work in place write into `data`. */
export interface NumericTensor {
  readonly shape: readonly number[];
  readonly data: Float64Array;
  /** A weight in an order of its own: its type says another shape than it has here. */
  readonly prepared?: true;
}

/** A position in a tensor, outermost dimension first. */
export type Index = readonly number[];

/** All positions of a shape in row-major order. */
export function* positions(shape: readonly number[]): Generator<Index> {
  const count = volume(shape);
  const index = new Array<number>(shape.length).fill(0);
  for (let flat = 0; flat < count; flat++) {
    yield [...index];
    for (let dim = shape.length - 1; dim >= 0; dim--) {
      const next = (index[dim] ?? 0) + 1;
      if (next < (shape[dim] ?? 1)) {
        index[dim] = next;
        break;
      }
      index[dim] = 0;
    }
  }
}

/** Builds a tensor element by element. */
export function build(shape: readonly number[], element: (index: Index) => number): NumericTensor {
  const data = new Float64Array(volume(shape));
  let flat = 0;
  for (const index of positions(shape)) data[flat++] = element(index);
  return { shape, data };
}

/** Offset of a position. @throws {RangeError} if it lies outside of the tensor */
export function offsetOf({ shape }: NumericTensor, index: Index): number {
  if (index.length !== shape.length) {
    throw new RangeError(`position [${index.join(", ")}] in a tensor of shape [${shape.join(", ")}]`);
  }
  let offset = 0;
  for (let dim = 0; dim < shape.length; dim++) {
    const extent = shape[dim] ?? 1;
    const at = index[dim] ?? 0;
    if (!(at >= 0 && at < extent)) {
      throw new RangeError(`position [${index.join(", ")}] outside of shape [${shape.join(", ")}]`);
    }
    offset = offset * extent + at;
  }
  return offset;
}

/** The number at a position. @throws {RangeError} if it lies outside of the tensor */
export function at(tensor: NumericTensor, index: Index): number {
  return tensor.data[offsetOf(tensor, index)] ?? NaN;
}

/** The number at a position; extents of one and missing leading dimensions broadcast. */
export function broadcastAt(tensor: NumericTensor, index: Index): number {
  const skipped = index.length - tensor.shape.length;
  return at(tensor, tensor.shape.map((extent, dim) => (extent === 1 ? 0 : index[dim + skipped] ?? 0)));
}

/** The shape that operands of these shapes broadcast to. @throws {RangeError} if they do not */
function broadcastShapes(shapes: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, dim) =>
    shapes.reduce((extent, shape) => {
      const own = shape[dim - rank + shape.length] ?? 1;
      if (own !== 1 && extent !== 1 && own !== extent) {
        throw new RangeError(`shapes ${shapes.map((each) => each.join("x")).join(", ")} do not broadcast`);
      }
      return own === 1 ? extent : own;
    }, 1));
}

/** The same numbers in another shape. @throws {RangeError} if the volumes differ */
export function reshape(tensor: NumericTensor, shape: readonly number[]): NumericTensor {
  if (volume(shape) !== tensor.data.length) {
    throw new RangeError(`reshape of [${tensor.shape.join(", ")}] to [${shape.join(", ")}]`);
  }
  return { shape, data: tensor.data.slice() };
}

/** Dimension `i` of the result is dimension `permutation[i]` of the input. */
export function permute(tensor: NumericTensor, permutation: readonly number[]): NumericTensor {
  const shape = permutation.map((dim) => tensor.shape[dim] ?? 1);
  return build(
    shape,
    (index) => at(tensor, tensor.shape.map((_, dim) => index[permutation.indexOf(dim)] ?? 0)),
  );
}

/** Swaps the last two dimensions. */
export function transposeLast(tensor: NumericTensor): NumericTensor {
  const rank = tensor.shape.length;
  if (rank < 2) return tensor;
  const order = tensor.shape.map((
    _,
    dim,
  ) => (dim === rank - 1 ? rank - 2 : dim === rank - 2 ? rank - 1 : dim));
  return permute(tensor, order);
}

/** `f` of every number. */
export function map(tensor: NumericTensor, f: (value: number) => number): NumericTensor {
  return { shape: tensor.shape, data: tensor.data.map(f) };
}

/** `f` of the numbers that stand at the same place after broadcasting. */
export function zip(
  operands: readonly NumericTensor[],
  f: (...values: readonly number[]) => number,
): NumericTensor {
  const shape = broadcastShapes(operands.map((operand) => operand.shape));
  return build(shape, (index) => f(...operands.map((operand) => broadcastAt(operand, index))));
}

/** Folds the numbers of every group that differs in `dims` only; reduced dimensions stay as extents of one. */
export function reduce(
  tensor: NumericTensor,
  dims: readonly number[],
  fold: (values: readonly number[]) => number,
): NumericTensor {
  const reduced = new Set(dims);
  const inner = tensor.shape.map((extent, dim) => (reduced.has(dim) ? extent : 1));
  const shape = tensor.shape.map((extent, dim) => (reduced.has(dim) ? 1 : extent));
  return build(
    shape,
    (index) =>
      fold(Array.from(positions(inner), (offset) =>
        at(
          tensor,
          index.map((own, dim) => own + (offset[dim] ?? 0)),
        ))),
  );
}

/** Product of `[…, m, k]` and `[…, k, n]`, batch dimensions broadcast; vectors as tt-metal takes them. */
export function multiplyMatrices(a: NumericTensor, b: NumericTensor): NumericTensor {
  const left = a.shape.length === 1 ? reshape(a, [1, ...a.shape]) : a;
  const right = b.shape.length === 1 ? reshape(b, [...b.shape, 1]) : b;
  const [rows = 1, depth = 1] = left.shape.slice(-2);
  const [otherDepth = 1, columns = 1] = right.shape.slice(-2);
  if (depth !== otherDepth) {
    throw new RangeError(`matrices [${a.shape.join(", ")}] and [${b.shape.join(", ")}] do not multiply`);
  }
  const batch = broadcastShapes([left.shape.slice(0, -2), right.shape.slice(0, -2)]);
  /** Offset of `[row, column]` in the matrix of a batch. */
  const start = (tensor: NumericTensor, outer: Index, row: number, column: number): number => {
    const dims = tensor.shape.slice(0, -2);
    const own = dims.map((extent, dim) => (extent === 1 ? 0 : outer[dim + outer.length - dims.length] ?? 0));
    return offsetOf(tensor, [...own, row, column]);
  };
  const product = build([...batch, rows, columns], (index) => {
    const outer = index.slice(0, -2);
    const [row = 0, column = 0] = index.slice(-2);
    if (depth === 0) return 0;
    const [across, down] = [start(left, outer, row, 0), start(right, outer, 0, column)];
    let sum = 0;
    for (let k = 0; k < depth; k++) {
      sum += (left.data[across + k] ?? NaN) * (right.data[down + k * columns] ?? NaN);
    }
    return sum;
  });
  const shape = [
    ...batch,
    ...(a.shape.length === 1 ? [] : [rows]),
    ...(b.shape.length === 1 ? [] : [columns]),
  ];
  return reshape(product, shape.length === 0 ? [1] : shape);
}

/** `exp(x) / sum(exp(x))` along one dimension. */
export function softmax(tensor: NumericTensor, dim: number): NumericTensor {
  const greatest = reduce(tensor, [dim], (values) => Math.max(...values));
  const powers = zip([tensor, greatest], (value = 0, max = 0) => Math.exp(value - max));
  return zip([powers, reduce(powers, [dim], sum)], (value = 0, total = 1) => value / total);
}

/** Sum of numbers. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Mean of numbers. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
