// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { boxExtent, coreCount, type CoreRange } from "../layout/core_range.ts";
import { greatestCommonDivisor, volume } from "../layout/extents.ts";
import { physicalExtent, roundUp } from "../layout/make_layout.ts";
import { tileColumns } from "../layout/tile_shape.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { fillPadding } from "./fill_pad.ts";
import { type ChainStep, chainStep, endOf, launchChain } from "./launch_sequence.ts";
import { largestDivisor } from "./matmul_blocking.ts";
import { moveSteps, reshapeSharesBuffer, rowBytes } from "./memory_move.ts";
import type { LaunchContext, UnaryLaunch } from "./op_launch.ts";
import {
  type DeviceProgram,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpPrograms,
  type StreamProgram,
  type StreamReader,
} from "./program.ts";
import {
  bytesPerTile,
  deviceMemory,
  interleavedCopy,
  interleavedTensor,
  isInShards,
  type ProgramTensor,
  withFormat,
} from "./program_tensor.ts";
import { mapPageBytes, mapPages } from "./reshape_map.ts";
import type { ShapedLayout } from "./shard_spec.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { castStep, typecastProgram } from "./typecast.ts";

/** Rows of 16 elements in a tile: two in each row of its faces. */
const HALF_ROWS = 64;

/** `reshape`: nothing when it is a view; otherwise rows of elements find new tiles or rows. */
export function reshapePrograms({ input, output }: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  return reshaping(input, output, chip);
}

/**
 * The programs of a reshape. Shards of tiles are read and written where they lie; rows, block-float tiles and shards on
 * more than one rectangle of cores pass through interleaved memory, block-float formats through bf16 (`ttnn:backend-0-81-1`).
 *
 * @param gathers whether the operand's shards are gathered first, as for a result that was asked for on several
 *   rectangles of cores
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

/** The steps of {@linkcode reshaping} where it is no view. */
export function reshapeSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  gathers: boolean = false,
): readonly ChainStep[] {
  const isPacked = input.dataType === "bfp_bf8";
  const isGathered = isInShards(input) && (gathers || !input.tiled || (isPacked && isInShards(output)));
  const gathered = isGathered ? moveSteps(input, interleavedCopy(input, deviceMemory(input)), chip) : [];
  const operand = endOf(gathered, input);
  const cast = isPacked ? [{ ...castStep(operand, "bf16", chip), frees: [operand] }] : [];
  const source = endOf(cast, operand);
  const isSpread = isInShards(output) && (!output.tiled || isPacked);
  const placed = isSpread ? interleavedCopy(output, deviceMemory(output)) : output;
  const made = isPacked ? withFormat(placed, "bf16") : placed;
  return [
    ...gathered,
    ...cast,
    output.tiled ? tilesStep(source, made, isPacked, chip) : chainStep(made, reshapeRows(source, made, chip)),
    ...isPacked ? [{ ...chainStep(placed, typecastProgram(made, placed, chip)), frees: [made] }] : [],
    ...isSpread ? moveSteps(placed, output, chip) : [],
  ];
}

/** Tiles find their new places by a map that is uploaded to DRAM; the padding of what was block-float is filled. */
function tilesStep(
  source: ProgramTensor,
  made: ProgramTensor,
  isPacked: boolean,
  chip: ChipDescription,
): ChainStep {
  const table = interleavedTensor(mapShape(source.shape, made.shape), "u32", "dram", undefined);
  const fills = isPacked ? fillPadding(made, chip) : [];
  return { tensor: made, programs: [reshapeTiles(source, made, chip), ...fills], table };
}

/** Extents of the map of a reshape of tiles, in words. */
function mapShape(from: readonly number[], to: readonly number[]): readonly number[] {
  return [mapPages(to), mapPageBytes(from, to) / 4];
}

/**
 * Where a reshape of tiles or rows that is no view puts its result.
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
  // Rows are cut anew for given shards too, on their cores.
  const { coreRanges } = isGiven ? asked : layout;
  const { bufferType, memoryLayout } = memory;
  return recutShards({ ...layout, bufferType, memoryLayout, coreRanges }, shape);
}

/** The cores of a layout with shards as small as hold the result; a block takes as many of them as divide it. */
function recutShards(layout: TtnnLayout, shape: readonly number[]): TtnnLayout {
  const { tile, coreRanges, memoryLayout } = layout;
  const [rows, columns] = physicalExtent(shape, tile);
  const [down, across] = [rows / (tile?.height ?? 1), columns / (tile?.width ?? 1)];
  const cores = coreCount(coreRanges);
  const spec = (
    gridShape: readonly [number, number],
    shardShape: readonly [number, number],
    ranges: readonly CoreRange[],
  ): TtnnLayout => ({ ...layout, gridShape, shardShape, coreRanges: ranges });
  if (memoryLayout === "height_sharded") {
    return spec([cores, 1], [Math.ceil(down / cores), across], coreRanges);
  }
  if (memoryLayout === "width_sharded") {
    return spec([1, cores], [down, Math.ceil(across / cores)], coreRanges);
  }
  const [boxRows, boxColumns] = boxExtent(coreRanges);
  const start = coreRanges[0]?.start ?? { x: 0, y: 0 };
  const high = largestDivisor(down, Math.max(1, boxRows));
  const wide = largestDivisor(across, Math.max(1, boxColumns));
  const end = { x: start.x + wide - 1, y: start.y + high - 1 };
  return spec([high, wide], [down / high, across / wide], [{ start, end }]);
}

/**
 * `reshape` of rows: a thread per core reads one row after the other, waits for it and copies its elements to where they
 * go; a row of the result leaves while the next row is read, but before the next one that is put together. Cores begin
 * where rows of both shapes begin (tt-metal:reshape, `rm_reshape_interleaved`).
 */
export function reshapeRows(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  const [from, to] = [input, output].map(({ shape }) => shape.at(-1) ?? 1);
  const perCore = rowsPerCore(input.pages, from ?? 1, to ?? 1, workerCores(chip));
  return streamProgram({
    units: input.pages,
    maxCores: Math.ceil(input.pages / perCore),
    reads: [wholeTensor(input)],
    writes: [{ ...wholeTensor(output), scattered: true }],
    writer: { barriers: Math.max(0, output.pages / input.pages - 1) },
    reader: copiesPerRow(from ?? 1, to ?? 1, input.pageBytes / (from ?? 1)),
    oneThread: true,
    circularBuffers: [{
      name: "rows",
      bytes: rowScratch(rowBytes(input), rowBytes(output)),
      kind: "scratch",
    }],
  }, chip);
}

/** Bytes that both ends of a copy by the network have to lie alike in. */
const COPY_ALIGNMENT = 16;

/** Bytes that rows in the scratchpad are padded to. */
const ROW_ALIGNMENT = 64;

/**
 * Bytes of the scratchpads of a reshape of rows: two rows in and one out, four out where either is not aligned. Both data
 * movement threads have their own where rows of one side hold whole rows of the other and these begin at aligned bytes
 * (`ttnn:backend-0-81-1`).
 */
function rowScratch(from: number, to: number): number {
  const [read, written] = [roundUp(from, ROW_ALIGNMENT), roundUp(to, ROW_ALIGNMENT)] as const;
  const isAligned = from % COPY_ALIGNMENT === 0 && to % COPY_ALIGNMENT === 0;
  const bytes = isAligned ? 2 * read + 128 + written + COPY_ALIGNMENT : 2 * (read + 4 * written + 128);
  const beginsAligned = to % COPY_ALIGNMENT === 0 || (from === read && ROW_ALIGNMENT % to === 0);
  const threads = beginsAligned && (from % to === 0 || to % from === 0) ? 2 : 1;
  return threads * bytes;
}

/** Bytes of a word, which a data movement thread loads and stores at once. */
const WORD = 4;

/** Pieces of rows that are looked at. */
const MOST_PIECES = 512;

/**
 * How the pieces that rows of both shapes have in common reach their place: copied by the network where both ends lie
 * alike, else loaded and stored by the thread, word by word or byte by byte (tt-metal:reshape, `tt_memmove`).
 *
 * @returns counts per row of the input, on average over the first rows
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

/** Rows of so many elements that a core takes: as many as end where a row of the result ends. */
function rowsPerCore(rows: number, from: number, to: number, cores: number): number {
  const whole = to / greatestCommonDivisor(from, to);
  return Math.min(rows, Math.ceil(Math.ceil(rows / cores) / whole) * whole);
}

/** Waits for the map of a tile of the result, how long it is and what it says, before its sources are known. */
const MAP_BARRIERS = 2;

/**
 * `reshape` of tiles: for each tile of the result the reader fetches its map, then every tile that holds a part of it,
 * and copies every half row of 16 elements to its new place; the map names each tile, and each half row of it
 * (tt-metal:reshape; published:ops-2, tiles of Blackhole from 1, 2, 4, 8 and 32 others).
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
  // Some core has none of the tiles that the last rows of a matrix do not fill.
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
      { ...pageBuffer("out", 1, input), kind: "scratch" },
    ],
  }, chip);
}

/** Tiles of the result that are looked at, spread over it. */
const SAMPLES = 8;

/** Steps between samples along matrices, rows and columns of tiles: no two of them meet the same tiles again and again. */
const SAMPLE_STEPS = [0.5497, 0.7549, 0.8192] as const;

/** Places that samples look at out of some matrices of rows and columns of tiles: all of them where they are few. */
function* sampledTiles(...extents: readonly [matrices: number, rows: number, columns: number]) {
  const [matrices, rows, columns] = extents;
  const all = matrices * rows * columns;
  for (let sample = 0; sample < Math.min(all, SAMPLES); sample++) {
    const [matrix = 0, row = 0, column = 0] = all <= SAMPLES
      ? [Math.floor(sample / (rows * columns)), Math.floor(sample / columns) % rows, sample % columns]
      : SAMPLE_STEPS.map((step, axis) => Math.floor((sample * step) % 1 * (extents[axis] ?? 1)));
    yield { matrix, row, column };
  }
}

/** What {@linkcode sourceTiles} found, by the shapes: searches ask about the same ones in dozens of layouts. */
const SOURCE_CACHE: WeakMap<readonly number[], WeakMap<readonly number[], Map<number, number>>> =
  new WeakMap();

/**
 * How many tiles of the input a tile of the result takes its rows from, on average over a few of them.
 *
 * @param rows of tiles of each matrix that count, from its first
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
