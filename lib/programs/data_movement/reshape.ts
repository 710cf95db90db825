// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { boxExtent, coreCount } from "../../layout/core_range.ts";
import { fillsTiles, greatestCommonDivisor, sameExtents, volume } from "../../layout/extents.ts";
import { physicalExtent, roundUp } from "../../layout/make_layout.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { moveSteps, reshapeSharesBuffer, rowBytes } from "./memory_move.ts";
import { fillPadding } from "./pad.ts";
import { HALF_ROWS } from "./permute.ts";
import { mapPageBytes, mapPages } from "./reshape_map.ts";
import { castStep, typecastProgram } from "../eltwise/eltwise_program.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import { largestDivisor } from "../matmul/matmul_blocking.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import {
  type DeviceProgram,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpPrograms,
  type StreamProgram,
  type StreamReader,
} from "../program.ts";
import {
  bytesPerTile,
  deviceMemory,
  inDram,
  interleavedCopy,
  interleavedTensor,
  isInShards,
  type ProgramTensor,
  withFormat,
} from "../program_tensor.ts";
import type { ShapedLayout } from "../shard_spec.ts";
import { pageBuffer, streamProgram, wholeTensor } from "../stream.ts";

/** `reshape`. */
export function reshapePrograms({ input, output }: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  return reshaping(input, output, chip);
}

/**
 * The programs of `reshape`: none if it is a view; otherwise half rows of tiles, or rows, move to new pages. Sharded tiles
 * are read and written in place. Row-major data, block floats and shards on several rectangles of cores go through
 * interleaved memory, block floats through bf16 (`ttnn:backend-0-81-1`).
 *
 * @param gathers whether the operand's shards are gathered first, as for a result requested on several
 * rectangles of cores
 */
export function reshaping(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  gathers: boolean = false,
): KnownPrograms {
  return !gathers && reshapeSharesBuffer(input, output)
    ? NO_PROGRAMS
    : launchChain(reshapeSteps(input, output, chip, gathers), chip);
}

/** Whether a reshape only moves a tensor: it keeps its shape, and has no partial tiles (`ttnn:backend-0-81-1`). */
export function movesWhole(input: ProgramTensor, shape: readonly number[]): boolean {
  return sameExtents(input.shape, shape) && (!input.tiled || (shape.length > 1 && fillsTiles(shape)));
}

/** The steps of {@linkcode reshaping} if it is no view. */
export function reshapeSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  gathers: boolean = false,
): readonly ChainStep[] {
  if (movesWhole(input, output.shape)) return moveSteps(input, output, chip);
  const isPacked = input.dataType === "bfp_bf8";
  const isGathered = isInShards(input) && (gathers || !input.tiled || (isPacked && isInShards(output)));
  const gathered = isGathered ? moveSteps(input, interleavedCopy(input, deviceMemory(input)), chip) : [];
  const operand = endOf(gathered, input);
  const cast = isPacked ? freeing([castStep(operand, "bf16", chip)], operand) : [];
  const source = endOf(cast, operand);
  const isSpread = isInShards(output) && (!output.tiled || isPacked);
  const placed = isSpread ? interleavedCopy(output, deviceMemory(output)) : output;
  const made = isPacked ? withFormat(placed, "bf16") : placed;
  return [
    ...gathered,
    ...cast,
    output.tiled ? tilesStep(source, made, isPacked, chip) : chainStep(made, reshapeRows(source, made, chip)),
    ...isPacked ? [chainStep(placed, typecastProgram(made, placed, chip), [made])] : [],
    ...isSpread ? moveSteps(placed, output, chip) : [],
  ];
}

/** Tiles move according to a map that is uploaded to DRAM; for former block floats the padding is filled. */
function tilesStep(
  source: ProgramTensor,
  made: ProgramTensor,
  isPacked: boolean,
  chip: ChipDescription,
): ChainStep {
  const shape = [mapPages(made.shape), mapPageBytes(source.shape, made.shape) / 4];
  const table = interleavedTensor(shape, "u32", "dram", undefined);
  const fills = isPacked ? fillPadding(made, chip) : [];
  return { tensor: made, programs: [reshapeTiles(source, made, chip), ...fills], tables: [table] };
}

/**
 * The result layout of a reshape that is no view.
 *
 * @param asked memory of the result; without shard spec only if the operand is sharded
 */
export function reshapedLayout(
  operand: ShapedLayout,
  shape: readonly number[],
  asked: TtnnLayout | undefined,
): TtnnLayout {
  const { layout } = operand;
  const memory = asked ?? layout;
  if (!isSharded(memory)) return memory;
  const isGiven = asked !== undefined && !asked.ignorePhysicalLayout;
  if (isGiven && layout.tile !== undefined) return asked;
  // Row-major shards are recomputed even if they are given, on the given cores.
  const { coreRanges } = isGiven ? asked : layout;
  const { bufferType, memoryLayout } = memory;
  return recutShards({ ...layout, bufferType, memoryLayout, coreRanges }, shape);
}

/**
 * The layout with the smallest shards that hold the result on its cores; blocks use as many cores as divide
 * the result.
 */
export function recutShards(layout: TtnnLayout, shape: readonly number[]): TtnnLayout {
  const { tile, coreRanges, memoryLayout } = layout;
  const [rows, columns] = physicalExtent(shape, tile);
  const [down, across] = [rows / (tile?.height ?? 1), columns / (tile?.width ?? 1)];
  const cores = coreCount(coreRanges);
  if (memoryLayout === "height_sharded") {
    return { ...layout, gridShape: [cores, 1], shardShape: [Math.ceil(down / cores), across] };
  }
  if (memoryLayout === "width_sharded") {
    return { ...layout, gridShape: [1, cores], shardShape: [down, Math.ceil(across / cores)] };
  }
  const [boxRows, boxColumns] = boxExtent(coreRanges);
  const start = coreRanges[0]?.start ?? { x: 0, y: 0 };
  const high = largestDivisor(down, Math.max(1, boxRows));
  const wide = largestDivisor(across, Math.max(1, boxColumns));
  const end = { x: start.x + wide - 1, y: start.y + high - 1 };
  const [gridShape, shardShape] = [[high, wide], [down / high, across / wide]];
  return { ...layout, gridShape, shardShape, coreRanges: [{ start, end }] };
}

/**
 * Row-major `reshape`: one thread per core reads a row, waits, and copies its elements to their places; a
 * result row is written while the next row is read, but before the next one is assembled. Cores begin where
 * rows of both shapes begin (tt-metal:reshape, `rm_reshape_interleaved`).
 */
export function reshapeRows(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  const [from, to] = [input.shape.at(-1) ?? 1, output.shape.at(-1) ?? 1];
  const perCore = rowsPerCore(input.pages, from, to, workerCores(chip));
  return streamProgram({
    units: input.pages,
    maxCores: Math.ceil(input.pages / perCore),
    reads: [wholeTensor(input)],
    writes: [{ ...wholeTensor(output), scattered: true }],
    writer: { barriers: Math.max(0, output.pages / input.pages - 1) },
    reader: copiesPerRow(from, to, input.pageBytes / from),
    oneThread: true,
    circularBuffers: [{
      name: "rows",
      bytes: rowScratch(rowBytes(input), rowBytes(output), inDram(output)),
      kind: "scratch",
    }],
  }, chip);
}

/** Alignment at which both ends of a NoC copy must agree, in bytes. */
const COPY_ALIGNMENT = 16;

/** Padded row size in the scratchpad: a multiple of this many bytes. */
const ROW_ALIGNMENT = 64;

/**
 * Scratchpad bytes of a row-major reshape: two rows in and one out, or eight out if either is unaligned. Each
 * data movement thread has its own if rows of one side hold whole rows of the other, and no word of DRAM is
 * written by both (`ttnn:backend-0-81-1`).
 */
function rowScratch(from: number, to: number, toDram: boolean): number {
  const [read, written] = [roundUp(from, ROW_ALIGNMENT), roundUp(to, ROW_ALIGNMENT)] as const;
  const isAligned = from % COPY_ALIGNMENT === 0 && to % COPY_ALIGNMENT === 0;
  const bytes = isAligned ? 2 * read + 128 + written + COPY_ALIGNMENT : 2 * (read + 4 * written + 128);
  const areApart = !toDram || to % COPY_ALIGNMENT === 0;
  const threads = areApart && (from % to === 0 || to % from === 0) ? 2 : 1;
  return threads * bytes;
}

/** Bytes that a data movement thread loads and stores at once. */
const WORD = 4;

/** Most row pieces that are examined. */
const MOST_PIECES = 512;

/**
 * Copies of the row pieces that both shapes have in common: by the NoC if both ends agree in alignment,
 * otherwise by the thread, word by word or byte by byte (tt-metal:reshape, `tt_memmove`).
 *
 * @returns counts per input row, averaged over the first rows
 */
function copiesPerRow(
  from: number,
  to: number,
  element: number,
): Pick<StreamReader, "copies" | "copiedWords"> {
  let [at, copies, copiedWords] = [0, 0, 0];
  for (let piece = 0; piece < MOST_PIECES; piece++) {
    const [source, target] = [at % from, at % to];
    const elements = Math.min(from - source, to - target);
    const apart = (source - target) * element;
    if (apart % COPY_ALIGNMENT === 0) copies++;
    else {
      const isAligned = [source * element, target * element].every((byte) => byte % WORD === 0);
      copiedWords += elements * element / (isAligned ? WORD : 1);
    }
    at += elements;
    if (at % from === 0 && at % to === 0) break;
  }
  const rows = at / from;
  return { copies: copies / rows, copiedWords: copiedWords / rows };
}

/** Input rows per core, so that each core ends at the end of a result row. */
function rowsPerCore(rows: number, from: number, to: number, cores: number): number {
  const whole = to / greatestCommonDivisor(from, to);
  return Math.min(rows, Math.ceil(Math.ceil(rows / cores) / whole) * whole);
}

/**
 * Barriers for the map of an output tile before its source tiles are known: one for its length, one for its
 * entries.
 */
const MAP_BARRIERS = 2;

/**
 * Tiled `reshape`: per output tile the reader fetches its map and every source tile, and copies each half row
 * of 16 elements; map entries name tiles and half rows (tt-metal:reshape; published:ops-2, Blackhole tiles
 * with 1, 2, 4, 8 and 32 source tiles).
 */
export function reshapeTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const mean = Math.min(1, volume(input.shape) / Math.max(1, output.tiles * 1024));
  const height = output.shape.at(-2) ?? 1;
  const down = Math.ceil(height / 32);
  const ownTiles = Math.ceil(output.tiles / workerCores(chip));
  // Some core has none of the partial tiles in the last tile row of a matrix.
  const hasFullTiles = height % 32 !== 0 && ownTiles <= (down - 1) * tileColumns(output.shape);
  const filled = hasFullTiles ? Math.min(1, mean * down * 32 / height) : mean;
  const sources = sourceTiles(input, output, down);
  const ownSources = hasFullTiles ? sourceTiles(input, output, Math.floor(height / 32)) : sources;
  return streamProgram({
    units: output.tiles,
    reads: [{ tensor: input, bytes: sources * output.tiles * bytesPerTile(input), scattered: true }],
    writes: [wholeTensor(output)],
    reader: { barriers: MAP_BARRIERS + ownSources, mappedPieces: HALF_ROWS * filled + ownSources },
    circularBuffers: [
      { name: "map", bytes: mapPageBytes(input.shape, output.shape) },
      pageBuffer("in0", 1, input),
      pageBuffer("out", 1, input, "scratch"),
    ],
  }, chip);
}

/** Sampled output tiles. */
const SAMPLES = 8;

/**
 * Sampled positions among matrices, tile rows and tile columns; all positions if there are few, otherwise in steps of
 * irrational-like fractions of each extent, so that samples do not repeat the same tiles.
 */
function* sampledTiles(matrices: number, rows: number, columns: number) {
  const all = matrices * rows * columns;
  for (let sample = 0; sample < Math.min(all, SAMPLES); sample++) {
    const at = (step: number, extent: number) => Math.floor((sample * step) % 1 * extent);
    yield all <= SAMPLES
      ? {
        matrix: Math.floor(sample / (rows * columns)),
        row: Math.floor(sample / columns) % rows,
        column: sample % columns,
      }
      : { matrix: at(0.5497, matrices), row: at(0.7549, rows), column: at(0.8192, columns) };
  }
}

/** Cached {@linkcode sourceTiles} by shapes: searches repeat the same ones in dozens of layouts. */
const SOURCE_CACHE: WeakMap<readonly number[], WeakMap<readonly number[], Map<number, number>>> =
  new WeakMap();

/**
 * Mean number of input tiles per output tile, over {@linkcode SAMPLES} tiles.
 *
 * @param rows leading tile rows of each matrix that count
 */
function sourceTiles(input: ProgramTensor, output: ProgramTensor, rows: number): number {
  if (!input.tiled || !output.tiled) return 1;
  const byOutput = SOURCE_CACHE.getOrInsertComputed(input.shape, () => new WeakMap());
  const byRows = byOutput.getOrInsertComputed(output.shape, () => new Map());
  return byRows.getOrInsertComputed(rows, () => sampledSources(input, output, rows));
}

function sampledSources(input: ProgramTensor, output: ProgramTensor, rows: number): number {
  const [height, width] = [output.shape.at(-2) ?? 1, output.shape.at(-1) ?? 1];
  const across = tileColumns(output.shape);
  const matrices = Math.max(1, Math.floor(output.tiles / (across * Math.ceil(height / 32))));
  const [inputHeight, inputWidth] = [input.shape.at(-2) ?? 1, input.shape.at(-1) ?? 1];
  const inputRowTiles = Math.ceil(inputHeight / 32);
  let [found, looked] = [0, 0];
  for (const place of sampledTiles(matrices, rows, across)) {
    const [first, column] = [place.row * 32, place.column * 32];
    const tiles = new Set<number>();
    for (let row = first; row < Math.min(height, first + 32); row++) {
      for (const at of [column, Math.min(width, column + 32) - 1]) {
        const element = (place.matrix * height + row) * width + at;
        const inputRow = Math.floor(element / inputWidth);
        const tileRow = Math.floor(inputRow / inputHeight) * inputRowTiles +
          Math.floor(inputRow % inputHeight / 32);
        tiles.add(tileRow * tileColumns(input.shape) + Math.floor(element % inputWidth / 32));
      }
    }
    found += tiles.size;
    looked++;
  }
  return found / looked;
}
