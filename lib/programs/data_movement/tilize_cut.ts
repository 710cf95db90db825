// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { elementBytes, tileBytes } from "../../layout/data_type.ts";
import { fillsTiles } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import { largestDivisor } from "../matmul/matmul_blocking.ts";
import type { Room } from "../op_launch.ts";
import { bytesPerBank, bytesPerTile, isInShards, type ProgramTensor } from "../program_tensor.ts";

/** A tilize or untilize of a tensor. */
export interface PageChange {
  readonly input: ProgramTensor;
  readonly output: ProgramTensor;
  readonly chip: ChipDescription;
  readonly room: Room;
}

/** Row width in tiles above which the block program is considered (tt-metal `threshold_row_block`). */
const WIDE_ROW_TILES = 32;

/** The division of a tilize or untilize program over the cores. */
export interface TilizeCut {
  /** Whether units are parts of tile rows. */
  readonly inBlocks: boolean;
  readonly cores: number;
  /** Number of tile rows, or of blocks of them. */
  readonly units: number;
  readonly tilesPerUnit: number;
  /** Buffer tiles on either side, per group of cores. */
  readonly widths: readonly number[];
}

/** Whether a core's buffers hold a tile row on either side (`ttnn:backend-0-81-1`, `is_enough_space`). */
export function fitsRow(change: PageChange): boolean {
  const { perTile, fixed } = blockBytes(change);
  return tileColumns(change.output.shape) * perTile + fixed < roomBeside(change);
}

/**
 * Bytes per core that the backend expects to be free beside a result that is not allocated yet. It reserves the bytes of an
 * interleaved result below the lowest tensor, even if the result will fill a hole above it (`ttnn:backend-0-81-1`,
 * `get_pending_l1_output_reservation`).
 */
function roomBeside({ output, chip, room }: PageChange): number {
  const isPending = output.placement === "l1_interleaved";
  return room().beforeResults - (isPending ? roundUp(bytesPerBank(output, chip), chip.dramAlignment) : 0);
}

/**
 * Bytes of L1 of a block: per tile of its width, and besides. A tilize stages the rows of its elements, aligned for
 * reads from DRAM.
 */
function blockBytes({ input, output, chip: { dramAlignment } }: PageChange) {
  const perTile = bytesPerTile(input) + bytesPerTile(output);
  return output.tiled
    ? { perTile: perTile + 32 * elementBytes(input.dataType), fixed: 2 * dramAlignment }
    : { perTile, fixed: 0 };
}

/** Whether the last two extents do not fill tiles. */
export function isPadded({ shape }: ProgramTensor): boolean {
  return shape.length < 2 || !fillsTiles(shape);
}

/** Most bytes of two bf16 tile rows for the generated untilize kernel. */
const GENERATED_ROW_BYTES = 800_000;

/** Most bytes of a tile row that all cores untilize; longer ones are processed by one core in parts. */
const WIDEST_BLOCK_BYTES = 262_144;

/** Untilize kernels: generated for whole tiles, an older one, and one that removes padding. */
export type UntilizeKernel = "generated" | "plain" | "unpadding";

/**
 * The kernel of `untilize`: `unpadding` for padded tensors; `generated` for interleaved bf16 and bfp_bf8 of one
 * tile row, or with tile rows of at most {@linkcode GENERATED_ROW_BYTES} twice, if a row on either side fits the L1 that is
 * left; otherwise `plain`. Ops that untilize as a step may use another.
 */
export function untilizeKernel(change: PageChange): UntilizeKernel {
  const { input, output, chip } = change;
  if (isPadded(input)) return "unpadding";
  if (isInShards(input) || isInShards(output)) return "plain";
  if (input.dataType !== "bf16" && input.dataType !== "bfp_bf8") return "plain";
  const [rows, columns] = [tileRows(input.shape), tileColumns(input.shape)];
  if (rows > 1 && !generatesRowsOf(input)) return "plain";
  const width = generatedWidth(rows, columns, workerCores(chip));
  const bytes = 2 * width * Math.max(bytesPerTile(input), bytesPerTile(output));
  return bytes <= roomBeside(change) ? "generated" : "plain";
}

/** Whether two bf16 tile rows of a tensor are short enough for the generated kernel. */
export function generatesRowsOf({ shape }: ProgramTensor): boolean {
  return 2 * tileColumns(shape) * tileBytes("bf16") <= GENERATED_ROW_BYTES;
}

/**
 * Tiles of a row per core of the generated kernel: fewer rows than cores are divided evenly, unless padding
 * is removed.
 */
function generatedWidth(rows: number, columns: number, cores: number): number {
  if (rows * columns === 0) return 1;
  if (rows === 1) return Math.ceil(columns / cores);
  return rows < cores ? columns / largestDivisor(columns, Math.floor(cores / rows)) : columns;
}

/**
 * Tile rows are distributed over the cores. Wide tensors with fewer tile rows than cores, and rows that
 * exceed a core, are divided into square blocks; long rows without padding are untilized by one core
 * (`ttnn:backend-0-81-1`).
 */
export function tilizeCut(change: PageChange, kernel: UntilizeKernel): TilizeCut {
  const { input, output, chip } = change;
  const { shape } = input.tiled ? input : output;
  const [rows, columns, all] = [tileRows(shape), tileColumns(shape), workerCores(chip)];
  if (!output.tiled && kernel === "generated") {
    const width = isPadded(output) ? columns : generatedWidth(rows, columns, all);
    const units = rows * Math.ceil(columns / width);
    return { inBlocks: false, cores: Math.min(units, all), units, tilesPerUnit: width, widths: [width] };
  }
  const blocks = blocksOf(change);
  if (blocks !== undefined) {
    const { side, part, high } = blocks;
    return {
      inBlocks: true,
      cores: numberOfBlocks(side, high, columns),
      units: Math.ceil(rows * columns / side),
      tilesPerUnit: side,
      widths: [...side <= columns ? [part] : [], columns % side].filter((width) => width > 0),
    };
  }
  const whole = { inBlocks: false, units: rows, tilesPerUnit: columns };
  if (output.tiled || kernel === "unpadding" || columns * bytesPerTile(input) <= WIDEST_BLOCK_BYTES) {
    return { ...whole, cores: coresOfRows(rows, all), widths: [columns] };
  }
  const page = isInShards(output) ? Math.ceil((output.shardShape.at(-1) ?? 1) / 32) : columns;
  const width = largestDivisor(page, Math.floor(WIDEST_BLOCK_BYTES / bytesPerTile(input)));
  return { ...whole, cores: 1, widths: [width] };
}

/** Cores over which tile rows are distributed. */
function coresOfRows(rows: number, cores: number): number {
  return Math.max(1, Math.ceil(rows / Math.max(1, Math.ceil(rows / cores))));
}

/** The square blocks of the matrices of a tensor; extents in tiles. */
interface SquareBlocks {
  readonly side: number;
  /** Width of the parts in which a core's buffers hold a block; 0 if L1 is too small for any. */
  readonly part: number;
  /** Rows of one matrix. */
  readonly high: number;
}

/**
 * The blocks of a program that has some; `undefined` where tile rows are distributed. There is no block program from
 * shards, nor from blocks into shards when untilizing.
 */
function blocksOf(change: PageChange): SquareBlocks | undefined {
  const { input, output, chip, room } = change;
  if (isInShards(input) || (!output.tiled && isInShards(output))) return undefined;
  const { shape } = input.tiled ? input : output;
  const [high, columns, all] = [Math.ceil((shape.at(-2) ?? 1) / 32), tileColumns(shape), workerCores(chip)];
  const side = squareSide(high, columns, all);
  const isWide = columns > WIDE_ROW_TILES && (high > WIDE_ROW_TILES || columns > high) &&
    coresOfRows(tileRows(shape), all) < numberOfBlocks(side, high, columns);
  if (!isWide && fitsRow(change)) return undefined;
  const { perTile, fixed } = blockBytes(change);
  const limit = Math.floor((room().besideResults - fixed) / perTile);
  return { high, ...(side <= limit ? { side, part: side } : partedBlocks(high, columns, all, limit)) };
}

/**
 * The smallest square blocks for which (1) there are at most as many as cores, and (2) the narrower last block of a row is
 * below `limit` tiles wide. Each is processed in parts: the largest divisor of its side below `limit`; `part` is 0 if there
 * are no such blocks (`ttnn:backend-0-81-1`, `split_blocks_for_tilize_wh`, read off its answers).
 *
 * @param limit tiles that are too wide for the buffers
 */
function partedBlocks(
  high: number,
  columns: number,
  cores: number,
  limit: number,
): Pick<SquareBlocks, "side" | "part"> {
  let side = smallestSide(high, columns, cores);
  const isFound = (): boolean => numberOfBlocks(side, high, columns) <= cores && columns % side < limit;
  const last = limit < 2 ? 0 : Math.max(columns, columns < limit ? high : 0);
  while (side <= last && !isFound()) side++;
  return { side, part: side <= last ? largestDivisor(side, limit - 1) : 0 };
}

/**
 * Why the backend refuses to tilize or untilize beside the live tensors: its block program finds no parts for the L1 that
 * is left, or, of a matrix narrower than a block, binds buffers that it did not make for the last block of a column
 * (`ttnn:backend-0-81-1`).
 */
export function tilizeFault(change: PageChange): string | undefined {
  const { input, output } = change;
  if (!output.tiled && untilizeKernel(change) === "generated") return undefined;
  const blocks = blocksOf(change);
  if (blocks === undefined) return undefined;
  const { side, part, high } = blocks;
  if (part === 0) return "the L1 that is left holds no part of a block of its tiles";
  return side > tileColumns((input.tiled ? input : output).shape) && high % side !== 0
    ? `its block program has no buffers for the last of blocks of ${side} tiles, wider than the tensor`
    : undefined;
}

function numberOfBlocks(side: number, rows: number, columns: number): number {
  return Math.ceil(columns / side) * Math.ceil(rows / side);
}

/** Side of the smallest square blocks of one matrix of tiles whose number is below the cores'. */
function squareSide(rows: number, columns: number, cores: number): number {
  let side = smallestSide(rows, columns, cores);
  while (numberOfBlocks(side, rows, columns) >= cores && side < rows * columns) side++;
  return side;
}

/** Side of squares of tiles: ⌈√(tiles per core)⌉. */
function smallestSide(rows: number, columns: number, cores: number): number {
  return Math.ceil(Math.sqrt(Math.ceil(rows * columns / cores)));
}
