// SPDX-License-Identifier: Apache-2.0
import { readBool, readInteger } from "../dialect/attribute_values.ts";
import { normalDim } from "../layout/extents.ts";
import { accumulatesInF32 } from "./compute_config.ts";
import type { LaunchContext, UnaryLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms } from "./program.ts";
import { BLOCK_TILES, rowBlock, rowPasses } from "./row_passes.ts";
import { softmaxBuffers } from "./softmax_buffers.ts";
import { fillingWords } from "./stream.ts";

/**
 * Exponential (as long as two other passes), sum and scaling of each tile; a numerically stable run takes the maximum and
 * the difference from it first. Exponentials of a row that does not fit are taken again for the result.
 */
const PASSES = {
  held: { plain: 3, stable: 6 },
  readAgain: { plain: 6, stable: 9 },
};

/** The sum of the exponentials, and the maximum before it. */
const HAND_OVERS = { plain: 1, stable: 2 };

/** A row that does not fit is read for its maximum, for the sum, and for the result. */
const READINGS_OF_LONG_ROWS = 3;

/** Words of the mask of a row's last tile, which hides its padding (tt-metal:softmax). */
const MASK_WORDS = 32 * 32 / 2;

/**
 * Softmax: maximum, exponentials with their sum, scaling, whatever memory the operand lies in. Along the last dimension a
 * row of tiles at a time, along others by columns of tiles.
 */
export function softmaxPrograms(op: UnaryLaunch, { chip, programRules }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const rank = input.shape.length;
  const dim = normalDim(readInteger(op.attributes, "dimension") ?? -1, rank);
  const extent = input.shape[dim] ?? 1;
  const length = Math.max(1, dim >= rank - 2 ? Math.ceil(extent / 32) : extent);
  const isStable = readBool(op.attributes, "numericStable") ?? false;
  const kind = isStable ? "stable" : "plain";
  const wide = op.config?.computeConfig === undefined
    ? programRules.softmaxInF32
    : accumulatesInF32(op, chip);
  const alongRow = dim === rank - 1;
  const { buffers, isHeld } = softmaxBuffers(
    { input, output, length, wide, isStable, isRagged: extent % 32 !== 0 },
    alongRow ? "row" : dim === rank - 2 ? "column" : "outer",
    chip,
  );
  const program = rowPasses(input, [], output, {
    length,
    block: rowBlock(length, wide ? BLOCK_TILES / 2 : BLOCK_TILES),
    passes: PASSES[isHeld ? "held" : "readAgain"][kind],
    holdsRow: false,
    handOvers: HAND_OVERS[kind],
    wide,
    readings: isHeld ? 1 : READINGS_OF_LONG_ROWS,
    buffers,
  }, chip);
  return inOrder(fillingWords(program, alongRow && extent % 32 !== 0 ? MASK_WORDS : 0));
}
