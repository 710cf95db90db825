// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../../layout/extents.ts";
import { eitherOrder, type Pattern, resultOf, standIn } from "./op_graph.ts";

/** `maximum(x, 0)` is `relu(x)`. */
export const relu: Pattern = (op, graph) => {
  if (op.name !== "ttnn.maximum") return undefined;
  const result = resultOf(op);
  for (const [input, bound] of eitherOrder(op)) {
    if (graph.constant(bound) !== 0 || result === undefined) continue;
    if (sameExtents(input.type.shape, result.type.shape)) return [standIn(op, "relu", [input])];
  }
  return undefined;
};

/** `x * sigmoid(x)` is `silu(x)`. */
export const silu: Pattern = (op, graph) => {
  if (op.name !== "ttnn.multiply") return undefined;
  for (const [input, gate] of eitherOrder(op)) {
    const sigmoid = graph.made(gate, "sigmoid");
    if (sigmoid !== undefined && sigmoid.operands[0] === input && graph.usedOnce(sigmoid)) {
      return [standIn(op, "silu", [input])];
    }
  }
  return undefined;
};
