// SPDX-License-Identifier: Apache-2.0
import { inBoth } from "./elementwise.ts";
import type { Evaluate, Meanings, OpCall } from "./op_call.ts";
import { at, build, mean, type NumericTensor, reduce, reshape, softmax, sum } from "./tensor.ts";

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
  ["reduce_bitwise_and", reduction((values) => values.reduce((all, value) => all & value, -1))],
  ["reduce_bitwise_or", reduction((values) => values.reduce((all, value) => all | value, 0))],
  ["reduce_bitwise_xor", reduction((values) => values.reduce((all, value) => all ^ value, 0))],
  ["cumulative", cumulative],
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
  return (call) => scanned(call, fold, false);
}

/** Folds every line along `dim` up to each place, or from each place on. */
function scanned(call: OpCall, fold: Fold, reverse: boolean): NumericTensor {
  const input = call.operand(0);
  const dim = call.dimension(call.integer("dim"), input.shape.length);
  return build(input.shape, (index) => {
    const place = index[dim] ?? 0;
    const from = reverse ? place : 0;
    const length = reverse ? (input.shape[dim] ?? 1) - place : place + 1;
    return fold(Array.from({ length }, (_, i) => at(input, index.with(dim, from + i))));
  });
}

/** What a scan folds, by `#ttcore.reduce_type`. */
const SCANNED: Readonly<Record<string, Fold>> = {
  sum,
  prod: product,
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
};

/** A scan from the front, or from the back. */
function cumulative(call: OpCall): NumericTensor {
  const fold = SCANNED[call.text("reduction")];
  if (fold === undefined) throw call.fail(`no meaning of '${call.text("reduction")}'`);
  return scanned(call, fold, call.flag("reverse"));
}

function rowSoftmax(call: OpCall): NumericTensor {
  const { length } = call.operand(0).shape;
  return softmax(
    call.operand(0),
    call.dimension(call.integer("dimension", call.integers("dim")?.[0]), length),
  );
}
