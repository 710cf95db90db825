// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../../layout/data_type.ts";
import { largestDivisor } from "../../programs/matmul_blocking.ts";
import { interleavedLayout } from "../place_output.ts";
import type { RuleContext } from "../rule.ts";
import { reportedL1Bytes, tileCounts } from "../tensor.ts";

/** Tiles of a row beyond which the block program is considered (tt-metal `threshold_row_block`). */
const WIDE_ROW_TILES = 32;

/**
 * Circular buffers of a program between tiles and rows, interleaved on both sides: a row of tiles in and a row of tiles
 * out. Wide tensors that have too few rows of tiles for all cores are cut into square blocks, rows that do not fit half
 * of L1 into blocks of columns (tt-metal `select_program_factory` of tt-metal:tilize-untilize).
 *
 * @param shape of the tiled side
 * @param bytesPerTile bytes of an input tile and an output tile together
 */
export function tilizeBytes(shape: readonly number[], bytesPerTile: number, context: RuleContext): number {
  const { batch, rows, columns } = tileCounts(shape);
  if (columns > WIDE_ROW_TILES && (rows > WIDE_ROW_TILES || columns > rows)) {
    const block = blockSplit(rows, columns, context.cores);
    const perCore = Math.ceil(batch * rows / context.cores);
    if (Math.ceil(batch * rows / perCore) < block.cores) return block.bufferTiles * bytesPerTile;
  }
  const most = Math.floor((context.chip.l1Size / 2 - context.chip.l1UnreservedBase) / bytesPerTile);
  return (columns <= most ? columns : largestDivisor(columns, Math.max(1, most))) * bytesPerTile;
}

/**
 * Square blocks of one matrix of tiles over the cores: the smallest side with fewer blocks than cores
 * (tt-metal `split_blocks_for_tilize_wh`). A core streams its block row by row; the buffers of the ragged last column
 * and row count as well, as the trace adds up all buffers of a program (tt-metal:graph-trace).
 */
function blockSplit(
  rows: number,
  columns: number,
  cores: number,
): { readonly cores: number; readonly bufferTiles: number } {
  const blocksOf = (side: number) => Math.ceil(columns / side) * Math.ceil(rows / side);
  const perCore = Math.ceil(rows * columns / cores);
  let side = Math.floor(Math.sqrt(perCore));
  if (side * side !== perCore) side++;
  while (blocksOf(side) >= cores && side < rows * columns) side++;
  const fullColumns = Math.floor(columns / side);
  const fullRows = Math.floor(rows / side);
  const ragged = columns % side;
  let bufferTiles = 0;
  if (fullRows > 0) bufferTiles += (fullColumns > 0 ? side : 0) + ragged;
  if (rows % side > 0) bufferTiles += (fullColumns > 0 ? side : 0) + ragged;
  return { cores: blocksOf(side), bufferTiles };
}

/** L1 bytes per core of a tensor's row-major copy, interleaved; block-float formats become bf16 on the way. */
export function rowMajorCopyBytes(
  shape: readonly number[],
  dataType: DataType,
  context: RuleContext,
): number {
  const format = isBlockFloat(dataType) ? "bf16" : dataType;
  return reportedL1Bytes(shape, interleavedLayout(shape, format, undefined, "l1", context), context.chip);
}
