// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../lib/layout/extents.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { at, build, type Tensor } from "./tensor.ts";

/** Chips that take part where shapes do not tell. */
const CHIPS = 3;

/**
 * Exchanges between chips. Only one chip's program is interpreted, and what the others hold is made up: chip `n` has `n
 * + 1` times this chip's numbers, so that the parts of all chips differ. Moving numbers keeps that true, so that views
 * may go to either side of an exchange; arithmetic does not, and must stay on its side. What comes back is the last
 * chip's part.
 */
export const COLLECTIVES: Meanings = {
  "ttnn.all_gather": (call) => {
    const input = call.operand(0);
    const dim = call.dimension(call.integer("all_gather_dim"), input.shape.length);
    const own = input.shape[dim] ?? 1;
    return build(call.resultShape(), (index) => {
      const position = index[dim] ?? 0;
      return (Math.floor(position / own) + 1) * at(input, index.with(dim, position % own));
    });
  },
  "ttnn.all_reduce": (call) => times(call.operand(0), sumOfChips(CHIPS)),
  "ttnn.reduce_scatter": (call) => {
    const chips = volume(call.operand(0).shape) / volume(call.resultShape());
    return times(lastPart(call, "scatter_dim"), sumOfChips(chips));
  },
  "ttnn.mesh_partition": (call) => lastPart(call, "dim"),
};

/** How often this chip's numbers are in the sum over all chips. */
function sumOfChips(chips: number): number {
  return chips * (chips + 1) / 2;
}

function times({ shape, data }: Tensor, factor: number): Tensor {
  return { shape, data: data.map((value) => value * factor) };
}

/** What lies at the end of a dimension, as much as the result has. */
function lastPart(call: OpCall, attribute: string): Tensor {
  const input = call.operand(0);
  const shape = call.resultShape();
  const dim = call.dimension(call.integer(attribute), shape.length);
  const first = (input.shape[dim] ?? 1) - (shape[dim] ?? 1);
  return build(shape, (index) => at(input, index.with(dim, first + (index[dim] ?? 0))));
}
