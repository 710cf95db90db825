// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../lib/layout/extents.ts";
import { readMeshShape } from "../../lib/dialect/module_mesh.ts";
import { inBoth } from "./elementwise.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { at, build, type NumericTensor } from "./tensor.ts";

/** Chips that take part where neither shapes nor the module tell. */
const CHIPS = 3;

/**
 * Exchanges between chips. Only one chip's program is interpreted, and what the others hold is made up: chip `n` has `n
 * + 1` times this chip's numbers, so that the parts of all chips differ. Moving numbers keeps that true, so that views
 * may go to either side of an exchange; arithmetic does not, and must stay on its side. What comes back is the last
 * chip's part.
 */
export const COLLECTIVES: Meanings = {
  ...inBoth([
    ["all_gather", (call) => partsOfAll(call)],
    ["all_reduce", (call) => times(call.operand(0), sumOfChips(chipsOf(call)))],
    [
      "reduce_scatter",
      (call) => {
        const chips = volume(call.operand(0).shape) / volume(call.resultShape());
        return times(lastPart(call), sumOfChips(chips));
      },
    ],
    ["mesh_partition", lastPart],
  ]),
  "ttir.mesh_shard": (call) =>
    call.text("shard_direction") === "full_to_shard" ? lastPart(call) : partsOfAll(call),
  "ttnn.distribute_tensor": lastPart,
  "ttnn.aggregate_tensor": partsOfAll,
};

/** Chips along the axis of an exchange, as the module says it. */
function chipsOf(call: OpCall): number {
  return readMeshShape(call.module)[call.integer("cluster_axis")] ?? CHIPS;
}

/** How often this chip's numbers are in the sum over all chips. */
function sumOfChips(chips: number): number {
  return chips * (chips + 1) / 2;
}

function times({ shape, data }: NumericTensor, factor: number): NumericTensor {
  return { shape, data: data.map((value) => value * factor) };
}

/** The parts of all chips one behind the other, along every dimension in which the result is larger. */
function partsOfAll(call: OpCall): NumericTensor {
  const input = call.operand(0);
  return build(call.resultShape(), (index) => {
    const own = index.map((position, dim) => position % (input.shape[dim] ?? 1));
    const chips = index.map((position, dim) => Math.floor(position / (input.shape[dim] ?? 1)) + 1);
    return chips.reduce((product, chip) => product * chip, at(input, own));
  });
}

/** What lies at the end of every dimension, as much as the result has. */
function lastPart(call: OpCall): NumericTensor {
  const input = call.operand(0);
  const shape = call.resultShape();
  return build(
    shape,
    (index) =>
      at(input, index.map((position, dim) => position + (input.shape[dim] ?? 1) - (shape[dim] ?? 1))),
  );
}
