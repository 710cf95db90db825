// SPDX-License-Identifier: Apache-2.0
import { tileCount } from "../../layout/tile_shape.ts";
import { reshapeKeepsPages } from "../../ops/view_shapes.ts";
import type { TtnnType } from "../../ttnn/value.ts";
import type { ProposedOp } from "../graph_pass.ts";

/**
 * A stand-in for the cost model: a µs for every tile that an op reads or writes, none for a reshape that moves nothing.
 */
export function movedTiles({ name, operands, results }: ProposedOp): number {
  const [from, to] = [operands[0], results[0]];
  if (name === "ttnn.reshape" && from?.kind === "tensor" && to?.kind === "tensor") {
    if (reshapeKeepsPages(from.shape, to.shape, from.layout.tile !== undefined)) return 0;
  }
  const tiles = (type: TtnnType): number => type.kind === "tensor" ? tileCount(type.shape) : 0;
  return [...operands, ...results].reduce((sum, type) => sum + tiles(type), 0);
}
