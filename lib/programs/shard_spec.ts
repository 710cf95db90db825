// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { boxExtent, coreCount, sameCoreRanges } from "../layout/core_range.ts";
import { elementBytes } from "../layout/data_type.ts";
import { sameExtents } from "../layout/extents.ts";
import { canonicalCoreRanges, physicalExtent, roundUp } from "../layout/make_layout.ts";
import {
  DEFAULT_TILE,
  gridVolume,
  isSharded,
  type TileShape,
  type TtnnLayout,
} from "../layout/ttnn_layout.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { type ProgramTensor, programTensor } from "./program_tensor.ts";
import type { ParallelConfig } from "./sliding_window/parallel_config.ts";

export interface ShapedLayout {
  /** Logical extents. */
  readonly shape: readonly number[];
  readonly layout: TtnnLayout;
}

/** Shape, data type and page layout of a tensor. */
export interface PagedTensor extends TensorShape {
  /** `undefined` means row-major pages. */
  readonly tile: TileShape | undefined;
}

/** Rows and columns of a shard, in elements. */
export type ShardExtent = readonly [rows: number, columns: number];

/** Shard of a layout in elements, tiled or row-major. */
export function shardExtent({ shardShape, tile }: Pick<TtnnLayout, "shardShape" | "tile">): ShardExtent {
  const [rows = 0, columns = 0] = shardShape;
  return [rows * (tile?.height ?? 1), columns * (tile?.width ?? 1)];
}

/** Layout of a tensor in shards of this extent (elements; whole pages) on a layout's cores. */
export function inShards(
  memory: TtnnLayout,
  { dataType, tile }: Pick<PagedTensor, "dataType" | "tile">,
  [rows, columns]: ShardExtent = shardExtent(memory),
): TtnnLayout {
  return {
    ...memory,
    dataType,
    tile,
    shardShape: [rows / (tile?.height ?? 1), columns / (tile?.width ?? 1)],
    ignorePhysicalLayout: false,
  };
}

/** The cores available for shards: in total, and as rows and columns of a box. */
export interface ShardCores {
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
  readonly fillsBox: boolean;
}

/** Those of a layout; without core ranges its grid. */
export function shardCores(layout: TtnnLayout): ShardCores {
  const [height, width] = boxExtent(layout.coreRanges);
  if (height === 0) {
    const [rows = 1, columns = 1] = layout.gridShape;
    return { count: gridVolume(layout), rows, columns, fillsBox: true };
  }
  const count = coreCount(layout.coreRanges);
  const [rows, columns] = layout.shardOrientation === "col_major" ? [width, height] : [height, width];
  return { count, rows, columns, fillsBox: count === height * width };
}

/**
 * Why the shards of a layout cannot hold a tensor; checked by the backend for every operand and result
 * (`ttnn:backend-0-81-1`). Tiled shards are whole tiles; height shards span all columns, width shards all
 * rows (padded). Shards of a row-major vector have one row. At most one shard per core; block shards: at most
 * the rows and columns of a full core rectangle.
 *
 * @returns `undefined` if they can
 */
export function shardMisfit(
  layout: TtnnLayout,
  shape: readonly number[],
  tile: TileShape | undefined,
): string | undefined {
  if (layout.gridShape.length !== 2 || layout.shardShape.length !== 2) {
    return "a sharded layout needs a grid and a shard of two dimensions";
  }
  const [height, width] = shardExtent(layout);
  if (height * width === 0) {
    return shape.includes(0) ? undefined : `shards of ${height}x${width} hold nothing`;
  }
  if (tile !== undefined && (height % tile.height !== 0 || width % tile.width !== 0)) {
    return `shards of ${height}x${width} are not whole tiles of ${tile.height}x${tile.width}`;
  }
  if (tile === undefined && shape.length < 2 && height !== 1) {
    return `shards of a vector are one row, these ${height}`;
  }
  const [rows, columns] = physicalExtent(shape, tile);
  const cores = shardCores(layout);
  const [down, across] = [Math.ceil(rows / height), Math.ceil(columns / width)];
  switch (layout.memoryLayout) {
    case "height_sharded":
      if (width !== columns) {
        return `height sharding needs shards as wide as the tensor (${columns}), these have ${width}`;
      }
      return down > cores.count ? tooFewCores(down, cores.count, "cores") : undefined;
    case "width_sharded":
      if (height !== rows) {
        return `width sharding needs shards as high as the tensor (${rows}), these have ${height}`;
      }
      return across > cores.count ? tooFewCores(across, cores.count, "cores") : undefined;
    default:
      if (!cores.fillsBox) return "block sharding needs one full rectangle of cores";
      if (down > cores.rows) return tooFewCores(down, cores.rows, "rows of cores");
      return across > cores.columns ? tooFewCores(across, cores.columns, "columns of cores") : undefined;
  }
}

function tooFewCores(shards: number, cores: number, what: string): string {
  return `the tensor takes ${shards} shards, there are ${cores} ${what}`;
}

/** Whether a tensor fills all of its shards completely (tt-metal `!is_uneven`). */
export function fillsShards({ shape, layout }: ShapedLayout): boolean {
  if (!isSharded(layout)) return true;
  const [rows, columns] = physicalExtent(shape, layout.tile);
  const [height, width] = shardExtent(layout);
  return rows % height === 0 && columns % width === 0;
}

/**
 * Shard of a tensor in elements, times rows (columns) of `to` / those of the tensor. May be fractional; the
 * caller rounds.
 */
export function scaledShard({ shape, layout }: ShapedLayout, to: readonly number[]): ShardExtent {
  const [rows, columns] = physicalExtent(shape, layout.tile);
  const [newRows, newColumns] = physicalExtent(to, layout.tile);
  const [height, width] = shardExtent(layout);
  return [height * newRows / rows, width * newColumns / columns];
}

/** The parts of a layout that a shard spec is derived from. */
type ShardMemory = Pick<TtnnLayout, "bufferType" | "memoryLayout">;

/** Alignment in bytes of a row-major width shard's row. */
const LEAST_ROW_BYTES = 16;

/**
 * Shards over the whole device, on the cores that receive one: the backend's default without any spec. Cores
 * of height and width shardings are taken row by row; block shards begin at (0,0) (`ttnn:backend-0-81-1`).
 *
 * @param unit alignment of shard rows and columns, in elements; default: tiles; for row-major tensors single
 * rows, and for width sharding columns in multiples of 16 bytes
 */
export function shardsOverDevice(
  chip: ChipDescription,
  tensor: PagedTensor,
  memory: ShardMemory,
  unit: ShardExtent | undefined = tensor.tile === undefined
    ? undefined
    : [tensor.tile.height, tensor.tile.width],
): TtnnLayout {
  const { shape, dataType, tile } = tensor;
  const { workerGrid, dramBanks } = chip;
  const cores = workerCores(chip);
  const [rows, columns] = physicalExtent(shape, tile);
  const memoryLayout = memory.memoryLayout ?? "height_sharded";
  const isBlock = memoryLayout === "block_sharded";
  const leastColumns = Math.max(1, LEAST_ROW_BYTES / elementBytes(dataType));
  const across = (cores: number) =>
    unit === undefined && !isBlock
      ? rowPart(columns, cores, leastColumns)
      : roundUp(Math.ceil(columns / cores), unit?.[1] ?? 1);
  const down = (cores: number) => roundUp(Math.ceil(rows / cores), unit?.[0] ?? 1);
  const height = memoryLayout === "width_sharded"
    ? roundUp(rows, unit?.[0] ?? 1)
    : down(isBlock ? workerGrid.rows : cores);
  const width = memoryLayout === "height_sharded"
    ? roundUp(columns, unit?.[1] ?? 1)
    : across(isBlock ? workerGrid.columns : cores);
  const grid = [count(rows, height), memoryLayout === "height_sharded" ? 1 : count(columns, width)];
  return {
    bufferType: memory.bufferType,
    memoryLayout,
    dataType,
    tile,
    gridShape: grid,
    shardShape: [height / (tile?.height ?? 1), width / (tile?.width ?? 1)],
    coreRanges: canonicalCoreRanges(memory.bufferType, memoryLayout, grid, workerGrid, dramBanks),
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  };
}

function count(extent: number, shard: number): number {
  return Math.max(1, Math.ceil(extent / shard));
}

/** Least multiple of `word` ≥ columns / cores that divides the row; else a multiple of 32. */
function rowPart(columns: number, cores: number, word: number): number {
  for (let width = roundUp(Math.ceil(columns / cores), word); width <= columns; width += word) {
    if (columns % width === 0) return width;
  }
  return roundUp(Math.ceil(columns / cores), DEFAULT_TILE.width);
}

/**
 * The operand's shards scaled to another tensor with the same pages, on the same cores; `undefined` for
 * fractions of an element (tile).
 */
export function scaledShards(operand: ShapedLayout, tensor: PagedTensor): TtnnLayout | undefined {
  const [rows, columns] = scaledShard(operand, tensor.shape);
  const { height, width } = operand.layout.tile ?? { height: 1, width: 1 };
  return rows % height === 0 && columns % width === 0
    ? inShards(operand.layout, tensor, [rows, columns])
    : undefined;
}

/**
 * Layout for a sharded hint without shard spec, in ops that derive it from an operand
 * (`ttnn:backend-0-81-1`): the operand's shards scaled to the result, if both have one memory layout and the
 * shards come out whole; otherwise shards over the whole device.
 *
 * @param unit as for {@linkcode shardsOverDevice}
 */
export function derivedShards(
  chip: ChipDescription,
  operand: ShapedLayout,
  tensor: PagedTensor,
  memory: ShardMemory,
  unit?: ShardExtent,
): TtnnLayout {
  const hasSharding = isSharded(operand.layout) && operand.layout.memoryLayout === memory.memoryLayout;
  return (hasSharding ? scaledShards(operand, tensor) : undefined) ??
    shardsOverDevice(chip, tensor, memory, unit);
}

/** An L1 sharded layout of a tensor. @param shard `[rows, columns]` in elements; whole tiles if tiled */
export function shardedLayout(
  { dataType, tiled }: Pick<ProgramTensor, "dataType" | "tiled">,
  config: ParallelConfig,
  shard: readonly [number, number],
): TtnnLayout {
  return {
    bufferType: "l1",
    memoryLayout: config.kind,
    dataType,
    tile: tiled ? DEFAULT_TILE : undefined,
    gridShape: [config.rows, config.columns],
    shardShape: tiled ? shard.map((extent) => Math.ceil(extent / 32)) : shard,
    coreRanges: config.coreRanges,
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  };
}

/** A tensor with {@linkcode shardedLayout}. */
export function shardedTensor(
  content: Pick<ProgramTensor, "shape" | "dataType" | "tiled">,
  config: ParallelConfig,
  shard: readonly [number, number],
): ProgramTensor {
  return programTensor(content, shardedLayout(content, config, shard));
}

/** Shard `[rows, columns]` of a tensor in elements. @throws {RangeError} if it has no 2D shards */
export function elementShard(
  { shardShape: [rows, columns], tiled }: Pick<ProgramTensor, "shardShape" | "tiled">,
): readonly [number, number] {
  if (rows === undefined || columns === undefined) throw new RangeError("The tensor is not in shards");
  const unit = tiled ? 32 : 1;
  return [rows * unit, columns * unit];
}

/** Whether two layouts have equal shards on equal cores of one memory, regardless of pages and formats. */
export function sameShardSpec(a: TtnnLayout, b: TtnnLayout): boolean {
  const shardOf = ({ shardShape, tile }: TtnnLayout) =>
    elementShard({ shardShape, tiled: tile !== undefined });
  return a.bufferType === b.bufferType && a.memoryLayout === b.memoryLayout &&
    sameCoreRanges(a.coreRanges, b.coreRanges) && sameExtents(shardOf(a), shardOf(b));
}
