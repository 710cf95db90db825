// SPDX-License-Identifier: Apache-2.0
import { inBoth } from "./elementwise.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { at, build, type Index, type NumericTensor, offsetOf, positions } from "./tensor.ts";

/** Ops that order numbers, and those that write to places that numbers name. */
export const ORDERING: Meanings = inBoth([
  ["sort", (call) => ordered(call, call.flag("descending"))],
  ["topk", (call) => ordered(call, call.flag("largest", true))],
  ["scatter", scatter],
]);

/** Values and indices along a dimension in order, as many as the result has; of equals the first. */
function ordered(call: OpCall, descending: boolean): readonly NumericTensor[] {
  const input = call.operand(0);
  const dim = call.dimension(call.integer("dim", -1), input.shape.length);
  const places = (index: Index): number => {
    const line = Array.from({ length: input.shape[dim] ?? 1 }, (_, i) => at(input, index.with(dim, i)));
    const order = [...line.keys()].sort((a, b) => {
      const difference = (line[a] ?? 0) - (line[b] ?? 0);
      return (descending ? -difference : difference) || a - b;
    });
    return order[index[dim] ?? 0] ?? 0;
  };
  return [
    build(call.resultShape(0), (index) => at(input, index.with(dim, places(index)))),
    build(call.resultShape(1), places),
  ];
}

/** How a written number is combined with the existing one. */
const MEETING: Readonly<Record<string, (old: number, written: number) => number>> = {
  "": (_, written) => written,
  invalid: (_, written) => written,
  sum: (old, written) => old + written,
  prod: (old, written) => old * written,
  max: Math.max,
  min: Math.min,
};

/** How an attribute says that written numbers are combined. */
export function meetingOf(call: OpCall, key: string): (old: number, written: number) => number {
  const meet = MEETING[call.text(key)];
  if (meet === undefined) throw call.fail(`no meaning of '${call.text(key)}'`);
  return meet;
}

/** Every number of the source goes where the index beside it says along one dimension, unless that lies outside. */
export function scatter(call: OpCall): NumericTensor {
  const [input, indices, source] = [call.operand(0), call.operand(1), call.operand(2)];
  const dim = call.dimension(call.integer("dim"), input.shape.length);
  const meet = meetingOf(call, "scatter_reduce_type");
  const result = { shape: input.shape, data: input.data.slice() };
  for (const index of positions(indices.shape)) {
    const place = at(indices, index);
    if (!(place >= 0 && place < (input.shape[dim] ?? 1))) continue;
    const target = offsetOf(input, index.with(dim, place));
    result.data[target] = meet(result.data[target] ?? NaN, at(source, index));
  }
  return result;
}
