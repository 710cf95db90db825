// SPDX-License-Identifier: Apache-2.0
import type { CoreRange } from "./core_range.ts";
import { type DataType, elementBytes, tileBytes } from "./data_type.ts";
import { volume } from "./extents.ts";
import { checkExtents, checkGrid, formatExtents, LayoutError } from "./layout_error.ts";
import { checkPages } from "./tile_shape.ts";
import {
  type BufferType,
  DEFAULT_TILE,
  type ShardOrientation,
  type TensorMemoryLayout,
  type TileShape,
  type TtnnLayout,
} from "./ttnn_layout.ts";
import { checkMemoryLayout, verifyLayout } from "./verify_layout.ts";

/** Rows (y) and columns (x) of the worker cores that layouts may use. */
export interface WorkerGrid {
  /** Cores per column. */
  readonly rows: number;
  /** Cores per row. */
  readonly columns: number;
}

export function gridCores({ rows, columns }: WorkerGrid): number {
  return rows * columns;
}

/** The parameters of a layout; everything else follows from them. */
export interface LayoutRequest {
  /** Logical tensor shape. */
  readonly shape: readonly number[];
  /** Format of the elements. */
  readonly dataType: DataType;
  /** Default {@linkcode DEFAULT_TILE}; `null` asks for row-major pages. */
  readonly tile?: TileShape | null;
  /** Memory to place the tensor in. */
  readonly bufferType: BufferType;
  /** How to spread the tensor; `undefined` for system memory only. */
  readonly memoryLayout: TensorMemoryLayout | undefined;
  /**
   * Shard grid, needed for sharded layouts only: `[rows, columns]`, or one extent per sharded dimension (2 up to the
   * rank of the tensor) for `nd_sharded`.
   */
  readonly grid?: readonly number[];
  /** Cores of the shards; default is the canonical placement. */
  readonly coreRanges?: readonly CoreRange[];
  /** Default `row_major`. */
  readonly shardOrientation?: ShardOrientation;
}

/**
 * The two-dimensional extent `[rows, columns]` that a tensor collapses to, in elements, padded to whole tiles when
 * tiled: all dimensions but the last are collapsed, after the last two are rounded up to the tile
 * (tt-mlir:layout-attribute).
 */
export function physicalExtent(shape: readonly number[], tile: TileShape | undefined): [number, number] {
  const width = shape.at(-1) ?? 1;
  const height = shape.length < 2 ? 1 : shape.at(-2) ?? 1;
  const leading = volume(shape.slice(0, -2));
  if (tile === undefined) return [leading * height, width];
  return [leading * roundUp(height, tile.height), roundUp(width, tile.width)];
}

/** {@linkcode physicalExtent} in the units of a memref: whole tiles when tiled, elements when row-major. */
export function physicalUnits(shape: readonly number[], tile: TileShape | undefined): [number, number] {
  const [rows, columns] = physicalExtent(shape, tile);
  return tile === undefined ? [rows, columns] : [rows / tile.height, columns / tile.width];
}

/**
 * Axes of the shard grid, rows (0) and columns (1), on which the tensor has fewer tiles than the grid has shards;
 * empty for row-major and `nd_sharded` layouts.
 */
export function emptyAxes(shape: readonly number[], { tile, memoryLayout, gridShape }: TtnnLayout): number[] {
  if (tile === undefined || memoryLayout === "nd_sharded") return [];
  return physicalUnits(shape, tile).flatMap((tiles, axis) => tiles < (gridShape[axis] ?? 1) ? [axis] : []);
}

/**
 * The `rank` extents that an `nd_sharded` layout divides by its grid, in tiles if tiled, else in elements. Dimensions
 * left of the sharded ones fold into the first sharded one (tt-metal `squeeze_shape_ranks`).
 *
 * @param rank number of sharded dimensions
 * @throws {LayoutError} `grid/rank` if `rank` is below 2, or above both 2 and the rank of the tensor
 */
export function shardedExtents(
  shape: readonly number[],
  tile: TileShape | undefined,
  rank: number,
): number[] {
  if (rank < 2 || rank > Math.max(2, shape.length)) {
    throw new LayoutError(
      "grid/rank",
      `Cannot shard ${rank} dimensions of a tensor of shape ${formatExtents(shape)}: ` +
        `between 2 and ${Math.max(2, shape.length)} dimensions can be sharded`,
    );
  }
  const inner = shape.slice(Math.max(0, shape.length - 2));
  const [rows, columns] = physicalUnits(inner, tile);
  const outer = shape.slice(0, Math.max(0, shape.length - 2));
  const extents = [...outer, rows, columns];
  const folded = volume(extents.splice(0, extents.length - rank + 1));
  return [folded, ...extents];
}

/**
 * Builds the layout of a tensor from shape, format, memory and grid (tt-mlir:layout-attribute).
 *
 * A grid may have more shards than the tensor has rows or columns of tiles; the last shards are then empty.
 *
 * @example
 * ```ts
 * import { makeLayout, shardBytes } from "@tilewright/tilewright/layout";
 * import { assertEquals } from "@std/assert";
 *
 * const layout = makeLayout(
 *   { shape: [256, 64], dataType: "bf16", bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
 *   { rows: 8, columns: 8 },
 * );
 * // In tiles of 32x32: each of 8 cores holds one tile row of two tiles, 2048 bytes each.
 * assertEquals(layout.shardShape, [1, 2]);
 * assertEquals(shardBytes(layout), 2 * 2048);
 * assertEquals(layout.coreRanges, [{ start: { x: 0, y: 0 }, end: { x: 7, y: 0 } }]);
 * ```
 *
 * @param workerGrid worker cores of the chip: interleaved L1 spreads over all of them, shards are placed on
 * them
 * @param dramBanks banks of DRAM, needed for DRAM-sharded layouts only
 * @throws {LayoutError} if shape, tile, memory, grid or core ranges break a rule; `rule` names it
 */
export function makeLayout(request: LayoutRequest, workerGrid: WorkerGrid, dramBanks?: number): TtnnLayout {
  const tile = request.tile === null ? undefined : request.tile ?? DEFAULT_TILE;
  checkExtents(request.shape);
  checkPages(tile, request.dataType);
  checkMemoryLayout(request.bufferType, request.memoryLayout);
  const [unitRows, unitColumns] = physicalUnits(request.shape, tile);
  const base = {
    bufferType: request.bufferType,
    memoryLayout: request.memoryLayout,
    dataType: request.dataType,
    tile,
    shardOrientation: request.shardOrientation ?? "row_major",
    ignorePhysicalLayout: false,
  } as const;
  if (
    request.memoryLayout === undefined ||
    (request.memoryLayout === "interleaved" && request.bufferType !== "l1")
  ) {
    return { ...base, gridShape: [1, 1], shardShape: [unitRows, unitColumns], coreRanges: [] };
  }
  if (request.memoryLayout === "interleaved") {
    const cores = gridCores(workerGrid);
    return {
      ...base,
      gridShape: [workerGrid.rows, workerGrid.columns],
      shardShape: [1, Math.ceil((unitRows * unitColumns) / cores)],
      coreRanges: [],
    };
  }
  const { grid } = request;
  if (grid === undefined) {
    throw new LayoutError(
      "grid/required",
      `Cannot build a ${request.memoryLayout} layout: a shard grid is needed, for example [rows, columns]`,
    );
  }
  const extents = request.memoryLayout === "nd_sharded"
    ? shardedExtents(request.shape, tile, grid.length)
    : [unitRows, unitColumns];
  const layout: TtnnLayout = {
    ...base,
    gridShape: [...grid],
    shardShape: extents.map((extent, dim) => Math.ceil(extent / (grid[dim] ?? 1))),
    coreRanges: request.coreRanges ??
      coresOfShards(request, request.memoryLayout, grid, workerGrid, dramBanks),
  };
  if (request.coreRanges !== undefined) {
    checkShardGrid(request.bufferType, request.memoryLayout, grid);
    verifyLayout(layout);
  }
  return layout;
}

/**
 * The interleaved layout of a tensor with these pages, in L1 over all worker cores.
 *
 * @throws {LayoutError} as {@linkcode makeLayout}
 */
export function makeInterleaved(
  bufferType: BufferType,
  { shape, dataType, tile }: Pick<LayoutRequest, "shape" | "dataType"> & Pick<TtnnLayout, "tile">,
  workerGrid: WorkerGrid,
): TtnnLayout {
  const request = { shape, dataType, tile: tile ?? null, bufferType, memoryLayout: "interleaved" } as const;
  return makeLayout(request, workerGrid);
}

function coresOfShards(
  { bufferType, shardOrientation }: LayoutRequest,
  memoryLayout: TensorMemoryLayout,
  grid: readonly number[],
  workerGrid: WorkerGrid,
  dramBanks: number | undefined,
): readonly CoreRange[] {
  // A column-major block is placed transposed: shard rows run along the columns of cores.
  const transposed = memoryLayout === "block_sharded" && shardOrientation === "col_major";
  return canonicalCoreRanges(
    bufferType,
    memoryLayout,
    transposed ? grid.toReversed() : grid,
    workerGrid,
    dramBanks,
  );
}

/**
 * Canonical placement of a shard grid (tt-mlir:layout-attribute): a block is one rectangle from (0,0); height and width
 * shards fill whole rows of the worker grid and then a tail strip; DRAM shards take one bank each. `nd_sharded` takes
 * cores (or banks) like height shards, at most all; further shards go to the first core again.
 *
 * @throws {LayoutError} if the grid has the wrong rank or form, a block exceeds the worker grid, shards that are not
 * `nd_sharded` outnumber cores or banks, or DRAM shards come without `dramBanks`
 */
export function canonicalCoreRanges(
  bufferType: BufferType,
  memoryLayout: TensorMemoryLayout,
  grid: readonly number[],
  workerGrid: WorkerGrid,
  dramBanks: number | undefined,
): readonly CoreRange[] {
  checkShardGrid(bufferType, memoryLayout, grid);
  const shards = volume(grid);
  const [rows = 1, columns = 1] = grid;
  if (bufferType === "dram") {
    const banks = memoryLayout === "nd_sharded" ? Math.min(shards, dramBanks ?? 0) : shards;
    if (dramBanks === undefined || banks === 0 || banks > dramBanks) {
      throw new LayoutError(
        "grid/exceeds-dram-banks",
        `Cannot place ${shards} DRAM shards: the chip has ${dramBanks ?? "an unknown number of"} banks`,
      );
    }
    return [{ start: { x: 0, y: 0 }, end: { x: banks - 1, y: 0 } }];
  }
  if (memoryLayout === "block_sharded") {
    if (rows > workerGrid.rows || columns > workerGrid.columns) {
      throw new LayoutError(
        "grid/exceeds-worker-grid",
        `Cannot place a ${rows}x${columns} block: the worker grid is ${workerGrid.rows}x${workerGrid.columns}`,
      );
    }
    return [{ start: { x: 0, y: 0 }, end: { x: columns - 1, y: rows - 1 } }];
  }
  const workers = gridCores(workerGrid);
  const cores = memoryLayout === "nd_sharded" ? Math.min(shards, workers) : shards;
  if (cores > workers) {
    throw new LayoutError(
      "grid/exceeds-worker-grid",
      `Cannot place ${cores} shards: the worker grid has ${workers} cores`,
    );
  }
  const fullRows = Math.floor(cores / workerGrid.columns);
  const tail = cores % workerGrid.columns;
  const ranges: CoreRange[] = [];
  if (fullRows > 0) {
    ranges.push({ start: { x: 0, y: 0 }, end: { x: workerGrid.columns - 1, y: fullRows - 1 } });
  }
  if (tail > 0) ranges.push({ start: { x: 0, y: fullRows }, end: { x: tail - 1, y: fullRows } });
  return ranges;
}

function checkShardGrid(
  bufferType: BufferType,
  memoryLayout: TensorMemoryLayout,
  grid: readonly number[],
): void {
  checkGrid(grid);
  checkMemoryLayout(bufferType, memoryLayout);
  if (memoryLayout === "nd_sharded") return;
  const [rows = 1, columns = 1] = grid;
  if (grid.length !== 2) {
    throw new LayoutError(
      "grid/rank",
      `Cannot place a ${
        formatExtents(grid)
      } grid of ${memoryLayout} shards: the grid must have two dimensions`,
    );
  }
  if (
    (memoryLayout === "height_sharded" && columns !== 1) || (memoryLayout === "width_sharded" && rows !== 1)
  ) {
    throw new LayoutError(
      "grid/line",
      `Cannot place a ${rows}x${columns} grid of ${memoryLayout} shards: the grid must be ` +
        (memoryLayout === "height_sharded" ? "Nx1" : "1xN"),
    );
  }
}

/**
 * Bytes of the memref: tiles or elements times bytes of each. Per core in L1, per bank for DRAM shards; of the whole
 * tensor for interleaved DRAM and system memory.
 */
export function shardBytes(layout: TtnnLayout): number {
  const units = volume(layout.shardShape);
  return layout.tile === undefined
    ? units * elementBytes(layout.dataType)
    : units * tileBytes(layout.dataType, layout.tile.height, layout.tile.width);
}

/** Rounds up to a multiple. */
export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
