// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { sameCoreRanges } from "../../layout/core_range.ts";
import { type DataType, elementBytes, isBlockFloat, tileBytes } from "../../layout/data_type.ts";
import { greatestCommonDivisor, matrixCount, rowCount, volume } from "../../layout/extents.ts";
import { tileColumns, tileCount, tileRows } from "../../layout/tile_shape.ts";
import type { TensorMemoryLayout } from "../../layout/ttnn_layout.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { type ChainStep, chainStep } from "../launch_sequence.ts";
import type { DeviceProgram } from "../program.ts";
import { deviceMemory, interleavedTensor, isInterleaved, type ProgramTensor } from "../program_tensor.ts";
import {
  pageBuffer,
  splitWorkToCores,
  streamProgram,
  tileBuffer,
  wholeTensor,
  wholeTensors,
} from "../stream.ts";

/** The device programs that reductions are made of (`ttnn:backend-0-81-1`). */

/** The kinds of reductions with their own rules. */
export type ReductionKind = "sum" | "mean" | "max" | "min";

/** A reduction of a tiled tensor. */
export interface Reduction {
  readonly kind: ReductionKind;
  readonly input: ProgramTensor;
  readonly output: ProgramTensor;
  readonly chip: ChipDescription;
}

/** The kind of reduction of an op, by its full name; `undefined` for other ops. */
export function reductionKind(name: string): ReductionKind | undefined {
  const kind = name.slice(name.indexOf(".") + 1);
  return kind === "sum" || kind === "mean" || kind === "max" || kind === "min" ? kind : undefined;
}

/** Tiles per read barrier if every core has that many; the circular buffer holds twice that. */
const READ_TOGETHER = 4;
const BATCH_TILES = 2 * READ_TOGETHER;

/** Least tile rows per matrix for a row reduction in two programs, of tiles and of rows (`ttnn:backend-0-81-1`). */
const SPLIT_ROW_TILES = { tiles: 20, rows: 16 } as const;

/** Formats in which a minimum is computed as −max(−x). */
const NEGATED: ReadonlySet<DataType> = new Set(["bfp_bf8", "u32"]);

/** Whether a minimum is computed as −max(−x). */
export function negates(kind: ReductionKind, dataType: DataType): boolean {
  return kind === "min" && NEGATED.has(dataType);
}

function scaler({ dataType }: ProgramTensor): CircularBuffer {
  return tileBuffer("scaler", 1, dataType === "f32" ? "f32" : "bf16");
}

/** Fewest units per core, at least 1. */
function leastUnits(units: number, chip: ChipDescription): number {
  return Math.max(1, Math.floor(units / workerCores(chip)));
}

/** Reduces the last dimension: a tile row is a unit; on height shards in place. */
export function reduceColumns(reduction: Reduction): DeviceProgram {
  const { kind, input, output, chip } = reduction;
  const [rows, columns] = [input.extent[0] / 32, input.extent[1] / 32];
  const [height = 0] = input.shardShape;
  const inPlace = areIn("height_sharded", reduction) && height === output.shardShape[0] &&
    sameCoreRanges(input.coreRanges, output.coreRanges) && height * input.shardCores === rows;
  const least = leastUnits(rows, chip);
  const inBatches = !inPlace && !(negates(kind, input.dataType) && least < 2) &&
    least * columns >= READ_TOGETHER;
  const { unitsPerCoreGroup1: own } = splitWorkToCores(workerCores(chip), rows);
  const waits = Math.ceil(own * columns / READ_TOGETHER);
  const tilesPerWait = inBatches ? own * columns / waits : 1;
  const buffers = columnBuffers(reduction, inBatches, inPlace);
  return reduceProgram(input, output, { inPlace, tilesPerWait }, buffers, chip);
}

/** Reduces both dimensions of a single tile. */
export function reduceTile(reduction: Reduction): DeviceProgram {
  const { input, output, chip } = reduction;
  return reduceProgram(input, output, ONE_BY_ONE, columnBuffers(reduction, false, false), chip);
}

function columnBuffers(
  { kind, input, output }: Reduction,
  inBatches: boolean,
  inPlace: boolean,
): readonly CircularBuffer[] {
  return [
    pageBuffer("in0", inBatches ? BATCH_TILES : 2, input),
    scaler(input),
    ...inPlace ? [] : [pageBuffer("out", 2, output)],
    ...negates(kind, input.dataType) ? [pageBuffer("negated", 2, output)] : [],
  ];
}

/** Whether both tensors are in L1 shards of a kind. */
function areIn(memoryLayout: TensorMemoryLayout, { input, output }: Reduction): boolean {
  return [input, output].every((tensor) =>
    tensor.placement === "l1_sharded" && tensor.memoryLayout === memoryLayout
  );
}

/** Tile columns of all matrices of a tensor. */
function columnUnits({ shape }: ProgramTensor): number {
  return matrixCount(shape) * tileColumns(shape);
}

function rowsOfMatrix({ shape }: ProgramTensor): number {
  return tileRows(shape) / matrixCount(shape);
}

/** Reduces the second-last dimension in one program: a tile column is a unit; on width shards in place. */
export function reduceRows(reduction: Reduction): DeviceProgram {
  const { kind, input, output, chip } = reduction;
  const inPlace = areIn("width_sharded", reduction);
  const negated = negates(kind, input.dataType);
  const inBatches = !inPlace && !negated && leastUnits(columnUnits(input), chip) >= READ_TOGETHER;
  const tiles = negated ? 4 : 2;
  const tilesPerWait = inBatches ? rowsPerWait(kind, input, chip) : 1;
  return reduceProgram(input, output, { inPlace, tilesPerWait }, [
    pageBuffer("in0", inPlace ? 2 : inBatches ? BATCH_TILES : tiles, input),
    scaler(input),
    ...inPlace ? [] : [pageBuffer("out", tiles, output)],
    ...negated
      ? ["accumulated", "negated"].map((name) => ({ name, bytes: negatedRowsBytes(reduction) }))
      : [],
  ], chip);
}

/**
 * Mean tiles per read barrier: four tile columns of a core per barrier; the columns left over, and any on the
 * vector unit, tile by tile (`ttnn:backend-0-81-1`).
 */
function rowsPerWait(kind: ReductionKind, input: ProgramTensor, chip: ChipDescription): number {
  const { dataType } = input;
  if (dataType === "f32" || dataType === "si32" || (kind === "min" && dataType === "bf16")) return 1;
  const { unitsPerCoreGroup1: columns } = splitWorkToCores(workerCores(chip), columnUnits(input));
  return columns / (Math.floor(columns / READ_TOGETHER) + columns % READ_TOGETHER);
}

/**
 * Bytes per core of each buffer of a negated row minimum: whole tile columns, the shard's or the least common
 * multiple of the cores' columns.
 */
export function negatedRowsBytes(reduction: Reduction): number {
  const { input, output, chip } = reduction;
  const { unitsPerCoreGroup1: more, unitsPerCoreGroup2: fewer } = splitWorkToCores(
    workerCores(chip),
    columnUnits(input),
  );
  const step = areIn("width_sharded", reduction)
    ? input.shardShape[1] ?? 1
    : fewer === 0
    ? more
    : more * fewer / greatestCommonDivisor(more, fewer);
  return rowsOfMatrix(input) * step * tileBytes(output.dataType);
}

/**
 * Slices per tile column in the first of two programs of a row reduction, one core each; 1: a single program.
 * Always 1 for shards, integers, and a minimum or maximum of block floats.
 */
export function rowSlices({ kind, input, output, chip }: Reduction): number {
  const rows = rowsOfMatrix(input);
  const isExtremum = kind === "max" || kind === "min";
  const least = SPLIT_ROW_TILES[input.tiled ? "tiles" : "rows"];
  if (!isInterleaved(input) || !isInterleaved(output) || rows < least) return 1;
  const isFloat = input.dataType === "f32" || input.dataType === "bf16" || isBlockFloat(input.dataType);
  if (!isFloat || (isExtremum && isBlockFloat(input.dataType))) return 1;
  return Math.max(1, Math.min(rows, Math.floor(workerCores(chip) / columnUnits(input))));
}

/** Reduces the rows slice by slice into a row-major partial result in the result's memory, and then the slices. */
export function sliceSteps(
  { kind, input, output, chip }: Reduction,
  slices: number,
): readonly [ChainStep, ChainStep] {
  const format = kind === "sum" || kind === "mean" ? "f32" : input.dataType;
  const partial = interleavedTensor(output.shape.with(-2, slices), format, deviceMemory(output), undefined);
  const columns = columnUnits(input);
  const tilesPerSlice = Math.ceil(rowsOfMatrix(input) / slices);
  const sliceTiles = Math.ceil(slices / 32);
  const tilesPerWait = input.dataType === "f32" ? 1 : READ_TOGETHER;
  const first = streamProgram({
    units: columns * slices,
    ...wholeTensors(input, partial),
    compute: { work: [{ operation: "reduce", count: tilesPerSlice }] },
    parts: tilesPerSlice,
    reader: { barriers: Math.ceil(tilesPerSlice / tilesPerWait) },
    flops: input.tiles * 1024,
    circularBuffers: input.tiled
      ? [pageBuffer("in0", 2 * tilesPerWait, input), scaler(input), tileBuffer("out", 2, format)]
      : rowBuffers(input, format, rowsOfMatrix(input)),
  }, chip);
  const second = streamProgram({
    units: columns,
    reads: [{ ...wholeTensor(partial), transactionBytes: 32 * elementBytes(format) }],
    writes: [wholeTensor(output)],
    compute: {
      work: [{ operation: "tilize", count: sliceTiles }, { operation: "reduce", count: sliceTiles }],
    },
    parts: sliceTiles,
    reader: { barriers: sliceTiles, clearedWords: 1024, copies: sliceTiles },
    flops: columns * sliceTiles * 1024,
    circularBuffers: rowBuffers(partial, output.dataType, sliceTiles),
  }, chip);
  return [chainStep(partial, first), chainStep(output, second, [partial])];
}

/**
 * Circular buffers of a reduction of row-major input (`ttnn:backend-0-81-1`).
 *
 * @param to element format of the result
 * @param count tiles per result
 */
export function rowBuffers(input: ProgramTensor, to: DataType, count: number): readonly CircularBuffer[] {
  const { dataType } = input;
  return [
    tileBuffer("rows", 2, dataType),
    tileBuffer("partial", 1, dataType),
    tileBuffer("reduced", 1, to),
    tileBuffer("tilized", Math.max(2, Math.min(BATCH_TILES, count)), dataType),
    scaler(input),
    tileBuffer("out", 2, to),
  ];
}

/** Sums over one dimension before the last two: every output tile is a unit. */
export function reduceOuter(
  input: ProgramTensor,
  output: ProgramTensor,
  extent: number,
  chip: ChipDescription,
): DeviceProgram {
  let together = BATCH_TILES;
  while (extent % together !== 0) together--;
  return reduceProgram(input, output, { inPlace: false, tilesPerWait: together }, [
    pageBuffer("in0", 2 * together, input),
    tileBuffer("zeros", 1, "bf16"),
    pageBuffer("out", 2, output),
  ], chip);
}

/** Whether reads and writes are local; tiles per barrier. */
interface ReductionReads {
  readonly inPlace: boolean;
  readonly tilesPerWait: number;
}

const ONE_BY_ONE: ReductionReads = { inPlace: false, tilesPerWait: 1 };

/** One pass over a tiled tensor with the same work per output tile. */
function reduceProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  { inPlace, tilesPerWait }: ReductionReads,
  circularBuffers: readonly CircularBuffer[],
  chip: ChipDescription,
): DeviceProgram {
  const units = Math.max(1, tileCount(output.shape));
  const tilesPerResult = Math.max(1, input.tiles / units);
  return streamProgram({
    units,
    ...inPlace ? { maxCores: Math.max(1, input.shardCores) } : {},
    reads: [{ ...wholeTensor(input), local: inPlace }],
    writes: [{ ...wholeTensor(output), local: inPlace }],
    compute: { work: [{ operation: "reduce", count: tilesPerResult }] },
    parts: tilesPerResult,
    reader: { barriers: tilesPerResult / tilesPerWait },
    flops: input.tiles * 1024,
    circularBuffers,
  }, chip);
}

/**
 * Reduces a row-major tensor. Over rows but not columns the cores divide the rows, with one barrier per two
 * rows, and one core adds the partial sums (published:ops-2, 51,264 rows on 64 cores); over other dimensions
 * as tiles, one by one. The programs of 0.81.1 are unknown.
 */
export function reduceRowMajor(
  input: ProgramTensor,
  output: ProgramTensor,
  dims: readonly number[],
  chip: ChipDescription,
): DeviceProgram {
  const rank = input.shape.length;
  const buffers = [pageBuffer("in0", 2, input), scaler(input), pageBuffer("out", 2, output)];
  if (dims.includes(rank - 1) || !dims.includes(rank - 2)) {
    return reduceProgram(input, output, ONE_BY_ONE, buffers, chip);
  }
  const rows = rowCount(input.shape);
  return streamProgram({
    units: rows,
    ...wholeTensors(input, output),
    compute: { work: [{ operation: "reduce", count: tileColumns(input.shape) / 32 }] },
    reader: { barriers: 0.5 },
    writer: { barriers: 1 / rows },
    flops: volume(input.shape),
    circularBuffers: [pageBuffer("in0", 64, input), scaler(input), pageBuffer("out", 2, output)],
  }, chip);
}
