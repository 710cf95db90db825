// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../layout/make_layout.ts";
import { windowOf } from "../ops/op_windows.ts";
import { contractedTiles, convolutionRequest, routeConvolution, sliceTypeOf } from "./convolution.ts";
import type { LaunchContext, OpLaunch } from "./op_launch.ts";

/** Height and width of a tile. */
const TILE = 32;

/**
 * Extent `[rows, columns]` in elements of a 2D convolution's weights as its kernel reads them, `[1, 1, rows, columns]`
 * tiled in DRAM (tt-metal:conv2d). Rows are the window and the input's channels, columns the output's. They are
 * padded per core that the channels are spread over: a kernel row of a core's channels to whole tiles, width sharding
 * all rows at once, and the output's channels to the tiles of every core.
 *
 * @returns `undefined` if the convolution cannot be spread like this
 */
export function preparedWeightsExtent(
  op: OpLaunch,
  context: LaunchContext,
): readonly [rows: number, columns: number] | undefined {
  const [input, weight, bias] = op.inputs;
  const [output] = op.outputs;
  const window = windowOf(op);
  if (input === undefined || weight === undefined || output === undefined || window === undefined) {
    return undefined;
  }
  const operands = { input, weight, hasBias: bias !== undefined, outType: output.dataType };
  const request = convolutionRequest(op, operands, window, context);
  const memory = {
    memoryLayout: output.placement === "l1_sharded" ? output.memoryLayout : undefined,
    inDram: output.placement === "dram_interleaved" || output.placement === "dram_sharded",
  };
  const route = routeConvolution(request, memory, sliceTypeOf(op.config));
  if (route.kind === "none") return undefined;
  if (route.kind === "interleaved_matmul") {
    return [roundUp(window.inChannels, TILE), roundUp(window.outChannels, TILE)];
  }
  const { memoryLayout, inputColumns, grid, outWidth } = route.plan;
  const outputColumns = memoryLayout === "height_sharded" ? 1 : grid[1];
  return [inputColumns * contractedTiles(route.plan) * TILE, outputColumns * outWidth * TILE];
}
