// SPDX-License-Identifier: Apache-2.0
import { inBoth } from "./elementwise.ts";
import type { Evaluate, Meanings, OpCall } from "./op_call.ts";
import { at, build, mean, reduce, reshape, softmax, sum, type Tensor } from "./tensor.ts";

type Fold = (values: readonly number[]) => number;

const product: Fold = (values) => values.reduce((total, value) => total * value, 1);

/** Reductions, scans, softmax. */
export const REDUCTION: Meanings = inBoth([
  ["sum", reduction(sum)],
  ["mean", reduction(mean)],
  ["max", reduction((values) => Math.max(...values))],
  ["min", reduction((values) => Math.min(...values))],
  ["prod", reduction(product)],
  ["reduce_or", reduction((values) => (values.some((value) => value !== 0) ? 1 : 0))],
  ["reduce_and", reduction((values) => (values.every((value) => value !== 0) ? 1 : 0))],
  ["argmax", reduction((values) => values.indexOf(Math.max(...values)))],
  ["cumsum", scan(sum)],
  ["cumprod", scan(product)],
  ["softmax", rowSoftmax],
]);

/** Over `dim_arg` (`dim` of `argmax`), or all dimensions; the result's type says whether they are kept. */
function reduction(fold: Fold): Evaluate {
  return (call) => {
    const input = call.operand(0);
    const dims = call.integers("dim_arg") ?? call.integers("dim") ?? input.shape.map((_, dim) => dim);
    const own = dims.map((dim) => call.dimension(dim, input.shape.length));
    return reshape(reduce(input, own, fold), call.resultShape());
  };
}

function scan(fold: Fold): Evaluate {
  return (call) => {
    const input = call.operand(0);
    const dim = call.dimension(call.integer("dim"), input.shape.length);
    return build(
      input.shape,
      (index) => fold(Array.from({ length: (index[dim] ?? 0) + 1 }, (_, i) => at(input, index.with(dim, i)))),
    );
  };
}

function rowSoftmax(call: OpCall): Tensor {
  const { length } = call.operand(0).shape;
  return softmax(
    call.operand(0),
    call.dimension(call.integer("dimension", call.integers("dim")?.[0]), length),
  );
}
