// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { tileColumns, tileRows } from "../layout/tile_shape.ts";
import { largestDivisor } from "./matmul_blocking.ts";
import { elementBytes } from "../layout/data_type.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import type { StreamProgram, TileWork } from "./program.ts";
import { bytesPerTile, type ProgramTensor } from "./program_tensor.ts";
import { streamProgram, wholeTensor } from "./stream.ts";

/** Tiles of a row beyond which the block program is considered (tt-metal `threshold_row_block`). */
const WIDE_ROW_TILES = 32;

/** Tilizing f32 takes the slow path of the unpackers (published:ops-2, weights of RT-DETR). */
const WIDE_TILIZE = 12;

/** How a program between tiles and rows is cut over the cores. */
interface TilizeCut {
  /** Whether units are parts of rows of tiles. */
  readonly inBlocks: boolean;
  readonly cores: number;
  /** Rows of tiles, or of a block of them. */
  readonly units: number;
  readonly tilesPerUnit: number;
  /** Tiles of the buffer on either side, of all groups of cores together. */
  readonly bufferTiles: number;
  /** Most of them on one core. */
  readonly coreTiles: number;
}

/**
 * Tilize or untilize between interleaved buffers, a row of tiles at a time. The tiled side waits tile by tile (a writer
 * until the tile has left), the row-major side once per row of tiles, which a tilize holds once. Padding is written
 * word by word; where it is taken off, every row of elements is waited for until it is written
 * (tt-metal:tilize-untilize, `reader_unary_pad_dims_split_rows_multicore`,
 * `writer_unary_stick_layout_split_rows_multicore`).
 */
export function tilizeProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const { inBlocks, cores, units, tilesPerUnit } = tilizeCut(input, output, chip);
  const rowMajor = input.tiled ? output : input;
  const rowsOfTiles = Math.max(1, Math.ceil((input.tiled ? input : output).extent[0] / 32));
  const perCore = Math.ceil(units / cores);
  const unpads = !output.tiled && isPadded(rowMajor);
  const padded = 32 - Math.min(32, rowMajor.extent[0] / rowsOfTiles);
  return streamProgram({
    units,
    maxCores: cores,
    reads: [wholeTensor(input)],
    writes: [{ ...wholeTensor(output), departs: output.tiled, scattered: !output.tiled }],
    compute: output.tiled
      ? [{ operation: "tilize", count: tilesPerUnit * (output.dataType === "f32" ? WIDE_TILIZE : 1) }]
      : untilizing(1, tilesPerUnit),
    // The reader of a block waits for each of its rows (published:ops-2: 470 cycles on Wormhole, 627 on Blackhole).
    readBarriers: !output.tiled ? tilesPerUnit : inBlocks ? 32 - padded : 1,
    ...output.tiled ? mostPadding(rowMajor, perCore, { inBlocks, tilesPerUnit }) : {},
    writeBarriers: unpads ? 0 : 1,
    stickWaits: unpads ? fullestSticks(rowMajor, perCore) : 0,
    singleBuffered: output.tiled,
    circularBuffers: tilizeBuffers(input, output, chip),
  }, chip);
}

/** Rows of elements per row of tiles of the core that has most of them; the last row of tiles of a matrix is ragged. */
function fullestSticks({ shape }: ProgramTensor, rowsOfTiles: number): number {
  const height = shape.at(-2) ?? 1;
  const perMatrix = Math.ceil(height / 32);
  const ragged = Math.floor(rowsOfTiles / perMatrix);
  return (32 * (rowsOfTiles - ragged) + (height - 32 * (perMatrix - 1)) * ragged) / rowsOfTiles;
}

/**
 * Words of padding per row of tiles of the core that writes most of them, and the runs that they are filled in: all cores
 * fill rows up to whole tiles, those with the last row of tiles of a matrix fill that one up to 32 rows, in one run or, in
 * blocks, row by row.
 */
function mostPadding(
  { shape, dataType }: ProgramTensor,
  rowsOfTiles: number,
  { inBlocks, tilesPerUnit }: Pick<TilizeCut, "inBlocks" | "tilesPerUnit">,
): Pick<StreamProgram, "paddingWords" | "paddingRuns"> {
  const [height, width] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  const perMatrix = Math.ceil(height / 32);
  const share = tilesPerUnit / tileColumns(shape);
  const behind = (tileColumns(shape) * 32 - width) * share;
  const rowsBelow = perMatrix * 32 - height;
  const ragged = Math.ceil(rowsOfTiles / perMatrix) / rowsOfTiles;
  return {
    paddingWords: (32 * behind + rowsBelow * width * share * ragged) * elementBytes(dataType) / 4,
    paddingRuns: (behind > 0 ? Math.min(32, height) : 0) +
      (inBlocks ? rowsBelow : Math.min(1, rowsBelow)) * ragged,
  };
}

/** Tiles of a row that the packer untilizes at once: what half of its register holds. */
const PACKED_TILES = 8;

/** Compute of so many rows of tiles that are untilized. */
function untilizing(rows: number, tilesPerRow: number): readonly TileWork[] {
  return [
    { operation: "untilize_row", count: rows },
    { operation: tilesPerRow > PACKED_TILES ? "untilize_wide" : "untilize", count: rows * tilesPerRow },
  ];
}

/** Whether the last two extents do not fill whole tiles. */
function isPadded({ shape }: ProgramTensor): boolean {
  return (shape.at(-1) ?? 1) % 32 !== 0 || (shape.at(-2) ?? 1) % 32 !== 0;
}

/** Circular buffers of a program between tiles and rows: as many tiles in as out. */
export function tilizeBuffers(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const { bufferTiles, coreTiles } = tilizeCut(input, output, chip);
  const buffer = (name: string, tileBytes: number): CircularBuffer => ({
    name,
    bytes: bufferTiles * tileBytes,
    ...(coreTiles === bufferTiles ? {} : { bytesOnCore: coreTiles * tileBytes }),
  });
  return [buffer("in0", bytesPerTile(input)), buffer("out", bytesPerTile(output))];
}

/**
 * Rows of tiles go over the cores. Wide tensors that have too few of them for all cores are cut into square blocks,
 * rows that do not fit half of L1 are buffered in blocks of columns (tt-metal `select_program_factory` of
 * tt-metal:tilize-untilize).
 */
function tilizeCut(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): TilizeCut {
  const shape = input.shape;
  const columns = tileColumns(shape);
  const units = tileRows(shape);
  const rows = Math.ceil((shape.at(-2) ?? 1) / 32);
  const perCore = Math.ceil(units / workerCores(chip));
  const cores = Math.max(1, Math.ceil(units / Math.max(1, perCore)));
  const bytes = bytesPerTile(input) + bytesPerTile(output);
  if (columns > WIDE_ROW_TILES && (rows > WIDE_ROW_TILES || columns > rows)) {
    const whole = squareSide(rows, columns, workerCores(chip));
    if (cores < blocksOf(whole, rows, columns)) {
      const block = blockSplit(rows, columns, workerCores(chip), mostBuffered(chip, bytes));
      const blockRows = Math.ceil(units * columns / block.tiles);
      return {
        inBlocks: true,
        cores: block.cores,
        units: blockRows,
        tilesPerUnit: block.tiles,
        bufferTiles: block.bufferTiles,
        coreTiles: block.coreTiles,
      };
    }
  }
  const most = Math.max(1, Math.floor((chip.l1Size / 2 - chip.l1UnreservedBase) / bytes));
  const bufferTiles = columns <= most ? columns : largestDivisor(columns, most);
  return { inBlocks: false, cores, units, tilesPerUnit: columns, bufferTiles, coreTiles: bufferTiles };
}

/** Tiles in and out that the buffers of a block may hold at once. */
function mostBuffered(chip: ChipDescription, bytes: number): number {
  return Math.floor((chip.l1Size - chip.l1UnreservedBase) / bytes);
}

function blocksOf(side: number, rows: number, columns: number): number {
  return Math.ceil(columns / side) * Math.ceil(rows / side);
}

/** Side of the smallest square blocks of one matrix of tiles that are fewer than the cores. */
function squareSide(rows: number, columns: number, cores: number): number {
  let side = Math.ceil(Math.sqrt(Math.ceil(rows * columns / cores)));
  while (blocksOf(side, rows, columns) >= cores && side < rows * columns) side++;
  return side;
}

/**
 * Square blocks of one matrix of tiles over the cores (tt-metal `split_blocks_for_tilize_wh`). A core streams its block
 * row by row, in parts where a row of it is too long for the buffers; the buffers of the ragged last column and row
 * count as well, as the trace adds up all buffers of a program (tt-metal:graph-trace), though they lie on other cores.
 *
 * @returns `bufferTiles` of all groups of cores together; a core holds `coreTiles` of them, at most `most`
 */
function blockSplit(
  rows: number,
  columns: number,
  cores: number,
  most: number,
): Pick<TilizeCut, "cores" | "bufferTiles" | "coreTiles"> & { readonly tiles: number } {
  const whole = squareSide(rows, columns, cores);
  const { side, tiles } = (whole > most ? partedBlocks(rows, columns, cores, most) : undefined) ??
    { side: whole, tiles: whole };
  const fullColumns = Math.floor(columns / side);
  const fullRows = Math.floor(rows / side);
  const ragged = columns % side;
  let bufferTiles = 0;
  if (fullRows > 0) bufferTiles += (fullColumns > 0 ? tiles : 0) + ragged;
  if (rows % side > 0) bufferTiles += (fullColumns > 0 ? tiles : 0) + ragged;
  return {
    cores: blocksOf(side, rows, columns),
    tiles,
    bufferTiles,
    coreTiles: fullColumns > 0 ? Math.max(tiles, ragged) : ragged,
  };
}

/**
 * Blocks whose rows are streamed in parts of fewer than the most tiles that buffers hold: as many blocks as the cores
 * take, then as few and as long parts as there are, with a ragged last column that needs none.
 */
function partedBlocks(
  rows: number,
  columns: number,
  cores: number,
  most: number,
): { readonly side: number; readonly tiles: number } | undefined {
  if (most < 1) return undefined;
  if (blocksOf(most, rows, columns) < cores) return { side: most, tiles: most };
  let best: { readonly side: number; readonly tiles: number; readonly parts: number } | undefined;
  for (let tiles = most - 1; tiles >= 1; tiles--) {
    const fewest = Math.max(2, Math.ceil(columns / (cores * tiles)));
    for (let parts = fewest; parts <= Math.ceil(columns / tiles); parts++) {
      const side = parts * tiles;
      const blocks = blocksOf(side, rows, columns);
      if (blocks > cores || columns % side >= most) continue;
      const taken = best === undefined ? 0 : blocksOf(best.side, rows, columns);
      if (best === undefined || blocks > taken || (blocks === taken && parts < best.parts)) {
        best = { side, tiles, parts };
      }
      break;
    }
  }
  return best;
}
