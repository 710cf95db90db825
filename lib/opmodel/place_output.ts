// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";
import { canonicalCoreRanges, makeLayout, physicalExtent } from "../layout/make_layout.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import { DEFAULT_TILE, isSharded, type TileShape, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { returnedFormat } from "../ops/returned_format.ts";
import type { ConstraintQuery, RuleContext } from "./rule.ts";
import type { Tensor } from "./tensor.ts";
import { type OrRefusal, refuse, refuseLayout } from "./verdict.ts";

/** A tensor with its page layout, before it is placed. */
export interface PagedTensor extends TensorShape {
  /** `undefined` means row-major pages. */
  readonly tile: TileShape | undefined;
}

/** How a rule places one result. */
export interface ResultPlacement {
  /** Index of the result, default 0. */
  readonly result?: number;
  /** Memory config for a NULL hint, taken from this layout. */
  readonly whenNull: TtnnLayout;
  /** Page layout that the op produces; default tiles. */
  readonly page?: "tile" | "row_major";
  /** Element format that the op produces; default: its definition's, else the hint's, else the result type's. */
  readonly dataType?: DataType;
  /** Hint to use instead of the query's own; `null` for NULL. */
  readonly hint?: TtnnLayout | null;
  /** Shape to place instead of the result type's. */
  readonly shape?: readonly number[];
}

/**
 * The layout that a result actually gets: the hint's memory if there is one, the rule's default if it is NULL; page
 * layout and format as the op produces them (tt-metal:sharding).
 */
export function placeOutput(
  query: ConstraintQuery,
  context: RuleContext,
  placement: ResultPlacement,
): OrRefusal<Tensor> {
  const index = placement.result ?? 0;
  const type = query.op.results[index];
  const shape = placement.shape ?? type?.shape;
  if (shape === undefined || type === undefined) {
    const message = `${query.op.name} has no tensor result ${index}`;
    return refuse("unsupported_config", "result/missing", message, SHARDING);
  }
  const hint = placement.hint === undefined ? query.hint : placement.hint ?? undefined;
  const memory = hint ?? placement.whenNull;
  const tile = placement.page === "row_major" ? undefined : DEFAULT_TILE;
  const returned = index > 0 ? undefined : returnedFormat(
    query.op.name,
    (operand) => query.operands[operand]?.layout.dataType,
    tile !== undefined,
  );
  const dataType = placement.dataType ?? returned ?? (hint === undefined ? type.dataType : hint.dataType);
  if (tile === undefined && isBlockFloat(dataType)) {
    const message = `${dataType} exists only in tiles`;
    return refuse("unsupported_layout", "format/row-major", message, "tt-metal:tensor-layout");
  }
  if (memory.bufferType === "system_memory") {
    const message = `${query.op.name} cannot write to host memory`;
    return refuse("unsupported_layout", "output/host", message, SHARDING);
  }
  const made: PagedTensor = { shape, dataType, tile };
  if (isSharded(memory) && memory.ignorePhysicalLayout) return placeWithoutSpec(query, context, made, memory);
  const asAsked =
    hint !== undefined && hint === query.hint && query.hintId !== undefined && sameForm(hint, made)
      ? { shape, layout: hint, layoutId: query.hintId }
      : undefined;
  if (!isSharded(memory)) {
    return asAsked !== undefined && fitsInterleaved(asAsked.layout, shape, context)
      ? asAsked
      : intern(shape, interleavedLayout(made, memory.bufferType, context), context);
  }
  const misfit = hint !== undefined
    ? shardMisfit(memory, shape, tile)
    : cutsBetweenPages(memory, tile)
    ? undefined
    : `shards of ${memory.shardShape.join("x")} rows are not cut between tiles`;
  if (misfit !== undefined) {
    return refuseLayout(query.op, "output/shard-does-not-fit", misfit, SHARDING);
  }
  return asAsked ?? intern(shape, respread(memory, made), context);
}

/** Layout of an interleaved tensor. */
export function interleavedLayout(
  { shape, dataType, tile }: PagedTensor,
  bufferType: TtnnLayout["bufferType"],
  context: RuleContext,
): TtnnLayout {
  return makeLayout(
    { shape, dataType, tile: tile ?? null, bufferType, memoryLayout: "interleaved" },
    context.chip.workerGrid,
  );
}

/** A DRAM interleaved layout whose memory to use. */
export const DRAM_INTERLEAVED: TtnnLayout = {
  bufferType: "dram",
  memoryLayout: "interleaved",
  dataType: "bf16",
  tile: DEFAULT_TILE,
  gridShape: [1, 1],
  shardShape: [1, 1],
  coreRanges: [],
  shardOrientation: "row_major",
  ignorePhysicalLayout: false,
};

/** The memory of a layout for another tensor: same grid and cores, new shard shape. */
export function respread(memory: TtnnLayout, { shape, dataType, tile }: PagedTensor): TtnnLayout {
  const [rows, columns] = units(shape, tile);
  const gridRows = memory.gridShape[0] ?? 1;
  const gridColumns = memory.gridShape[1] ?? 1;
  return {
    ...memory,
    dataType,
    tile,
    shardShape: [Math.ceil(rows / gridRows), Math.ceil(columns / gridColumns)],
    ignorePhysicalLayout: false,
  };
}

/** Whether shards of rows begin and end at tile borders, if tiles are asked for. */
function cutsBetweenPages(
  { tile: pages, gridShape, shardShape }: TtnnLayout,
  tile: TileShape | undefined,
): boolean {
  if (pages !== undefined || tile === undefined) return true;
  return [tile.height, tile.width].every((extent, dim) =>
    (gridShape[dim] ?? 1) === 1 || (shardShape[dim] ?? 0) % extent === 0
  );
}

/** Why the shards of a layout cannot hold a tensor; `undefined` when they can (tt-metal:sharding). */
export function shardMisfit(
  layout: TtnnLayout,
  shape: readonly number[],
  tile: TileShape | undefined,
): string | undefined {
  const [rows, columns] = units(shape, tile);
  const [gridRows, gridColumns] = layout.gridShape;
  const [shardRows, shardColumns] = layout.shardShape;
  if (
    layout.gridShape.length !== 2 || layout.shardShape.length !== 2 || gridRows === undefined ||
    gridColumns === undefined || shardRows === undefined || shardColumns === undefined
  ) {
    return `a sharded layout needs a grid and a shard of two dimensions`;
  }
  const height = shardRows * scaleBetween(layout.tile?.height, tile?.height);
  const width = shardColumns * scaleBetween(layout.tile?.width, tile?.width);
  if (layout.memoryLayout === "height_sharded" && width !== columns) {
    return `height sharding needs shards as wide as the tensor (${columns}), the hint has ${width}`;
  }
  if (layout.memoryLayout === "width_sharded" && height !== rows) {
    return `width sharding needs shards as high as the tensor (${rows}), the hint has ${height}`;
  }
  if (height * gridRows < rows || width * gridColumns < columns) {
    return `${gridRows}x${gridColumns} shards of ${height}x${width} do not cover ${rows}x${columns}`;
  }
  return undefined;
}

/** Units of a tensor per unit of a shard; units are tiles or rows, and may differ between the two. */
function scaleBetween(inShard: number | undefined, inTensor: number | undefined): number {
  if (inShard === undefined) return inTensor === undefined ? 1 : 1 / inTensor;
  return inTensor === undefined ? inShard : 1;
}

/**
 * Sharded without a shard spec: the backend reuses the spec of an operand with the same sharding, otherwise it spreads
 * over the whole worker grid (tt-metal:unary, tt-metal:binary-ng).
 */
function placeWithoutSpec(
  query: ConstraintQuery,
  context: RuleContext,
  tensor: PagedTensor,
  memory: TtnnLayout,
): OrRefusal<Tensor> {
  const { shape } = tensor;
  for (const operand of query.operands) {
    if (operand === undefined || operand.layout.memoryLayout !== memory.memoryLayout) continue;
    if (operand.layout.bufferType !== memory.bufferType) continue;
    return intern(shape, respread(operand.layout, tensor), context);
  }
  return intern(shape, fullGridLayout(context, tensor, memory), context);
}

/** Shards over the whole worker grid, fewer cores when there are fewer units than cores. */
export function fullGridLayout(
  context: RuleContext,
  { shape, dataType, tile }: PagedTensor,
  memory: Pick<TtnnLayout, "bufferType" | "memoryLayout">,
): TtnnLayout {
  const [rows, columns] = units(shape, tile);
  const { workerGrid } = context.chip;
  let grid: readonly [number, number];
  if (memory.memoryLayout === "block_sharded") {
    grid = [usedShards(rows, workerGrid.rows), usedShards(columns, workerGrid.columns)];
  } else if (memory.memoryLayout === "width_sharded") {
    grid = [1, usedShards(columns, context.cores)];
  } else {
    grid = [usedShards(rows, context.cores), 1];
  }
  return makeLayout(
    {
      shape,
      dataType,
      tile: tile ?? null,
      bufferType: memory.bufferType,
      memoryLayout: memory.memoryLayout,
      grid,
    },
    workerGrid,
    context.chip.dramBanks,
  );
}

/** Number of non-empty shards if `extent` units are cut into at most `cores` equal shards. */
function usedShards(extent: number, cores: number): number {
  return Math.max(1, Math.ceil(extent / Math.max(1, Math.ceil(extent / cores))));
}

/** Sharded layout of a tensor on a shard grid `[rows, columns]`, placed canonically. */
export function shardedLayout(
  context: RuleContext,
  dataType: DataType,
  memory: Pick<TtnnLayout, "bufferType" | "memoryLayout">,
  grid: readonly [number, number],
  shardShape: readonly [number, number],
): TtnnLayout {
  const { workerGrid, dramBanks } = context.chip;
  const memoryLayout = memory.memoryLayout ?? "height_sharded";
  return {
    bufferType: memory.bufferType,
    memoryLayout,
    dataType,
    tile: DEFAULT_TILE,
    gridShape: grid,
    shardShape,
    coreRanges: canonicalCoreRanges(memory.bufferType, memoryLayout, grid, workerGrid, dramBanks),
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  };
}

/** Interns a layout for a tensor. */
export function intern(shape: readonly number[], layout: TtnnLayout, context: RuleContext): Tensor {
  return { shape, layout, layoutId: context.layouts.intern(layout) };
}

/** Rows and columns in tiles, or in elements when row-major. */
export function units(shape: readonly number[], tile: TileShape | undefined): [number, number] {
  const [rows, columns] = physicalExtent(shape, tile);
  return tile === undefined
    ? [rows, columns]
    : [Math.ceil(rows / tile.height), Math.ceil(columns / tile.width)];
}

function sameForm(layout: TtnnLayout, { dataType, tile }: PagedTensor): boolean {
  if (layout.dataType !== dataType) return false;
  if (tile === undefined || layout.tile === undefined) return tile === layout.tile;
  return layout.tile.height === tile.height && layout.tile.width === tile.width;
}

/**
 * Whether an interleaved hint is the layout that comes out. All DRAM interleaved layouts denote the same memory; in L1
 * the per-core view must be the canonical one.
 */
function fitsInterleaved(layout: TtnnLayout, shape: readonly number[], context: RuleContext): boolean {
  if (layout.bufferType !== "l1") return layout.shardShape.length === 2;
  const [rows, columns] = units(shape, layout.tile);
  const { workerGrid } = context.chip;
  return layout.gridShape[0] === workerGrid.rows && layout.gridShape[1] === workerGrid.columns &&
    layout.shardShape[0] === 1 && layout.shardShape[1] === Math.ceil((rows * columns) / context.cores);
}

const SHARDING = "tt-metal:sharding";
