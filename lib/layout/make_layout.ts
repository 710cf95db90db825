// SPDX-License-Identifier: Apache-2.0
import type { CoreRange } from "./core_range.ts";
import { type DataType, elementBytes, tileBytes } from "./data_type.ts";
import {
  type BufferType,
  DEFAULT_TILE,
  type TensorMemoryLayout,
  type TileShape,
  type TtnnLayout,
} from "./ttnn_layout.ts";

/** Rows (y) and columns (x) of the worker cores that layouts may use. */
export interface WorkerGrid {
  readonly rows: number;
  readonly columns: number;
}

/** What determines a layout: everything else is arithmetic. */
export interface LayoutRequest {
  /** Logical tensor shape. */
  readonly shape: readonly number[];
  readonly dataType: DataType;
  /** Default {@linkcode DEFAULT_TILE}; `null` asks for row-major pages. */
  readonly tile?: TileShape | null;
  readonly bufferType: BufferType;
  readonly memoryLayout: TensorMemoryLayout | undefined;
  /** Shard grid `[rows, columns]`; needed for sharded layouts only. */
  readonly grid?: readonly [number, number];
}

/**
 * The two-dimensional extent `[rows, columns]` that a tensor collapses to, in elements, padded to whole tiles when
 * tiled: all dimensions but the last are collapsed, after the last two are rounded up to the tile (specs 05 §2.3,
 * rules 1 to 3).
 */
export function physicalExtent(shape: readonly number[], tile: TileShape | undefined): [number, number] {
  const width = shape.at(-1) ?? 1;
  const height = shape.length < 2 ? 1 : shape.at(-2) ?? 1;
  const leading = shape.slice(0, -2).reduce((volume, extent) => volume * extent, 1);
  if (tile === undefined) return [leading * height, width];
  return [leading * roundUp(height, tile.height), roundUp(width, tile.width)];
}

/**
 * Builds the layout of a tensor from shape, format, memory and grid (specs 05 §2.3, rules 1 to 5).
 *
 * @param workerGrid worker cores of the chip: interleaved L1 spreads over all of them, shards are placed on them
 * @param dramBanks banks of DRAM, needed for DRAM-sharded layouts only
 * @throws {RangeError} when the grid does not fit the worker grid or is missing
 */
export function makeLayout(request: LayoutRequest, workerGrid: WorkerGrid, dramBanks?: number): TtnnLayout {
  const tile = request.tile === null ? undefined : request.tile ?? DEFAULT_TILE;
  const [rows, columns] = physicalExtent(request.shape, tile);
  const unitRows = tile === undefined ? rows : Math.ceil(rows / tile.height);
  const unitColumns = tile === undefined ? columns : Math.ceil(columns / tile.width);
  const base = {
    bufferType: request.bufferType,
    memoryLayout: request.memoryLayout,
    dataType: request.dataType,
    tile,
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  } as const;
  if (
    request.memoryLayout === undefined ||
    (request.memoryLayout === "interleaved" && request.bufferType !== "l1")
  ) {
    return { ...base, gridShape: [1, 1], shardShape: [unitRows, unitColumns], coreRanges: [] };
  }
  if (request.memoryLayout === "interleaved") {
    const cores = workerGrid.rows * workerGrid.columns;
    return {
      ...base,
      gridShape: [workerGrid.rows, workerGrid.columns],
      shardShape: [1, Math.ceil((unitRows * unitColumns) / cores)],
      coreRanges: [],
    };
  }
  const grid = request.grid;
  if (grid === undefined) {
    throw new RangeError(
      `Cannot build a ${request.memoryLayout} layout: a shard grid [rows, columns] is needed`,
    );
  }
  return {
    ...base,
    gridShape: [grid[0], grid[1]],
    shardShape: [Math.ceil(unitRows / grid[0]), Math.ceil(unitColumns / grid[1])],
    coreRanges: canonicalCoreRanges(request.bufferType, request.memoryLayout, grid, workerGrid, dramBanks),
  };
}

/**
 * Canonical placement of a shard grid (specs 05 §2.3, rule 5): a block is one rectangle from (0,0); height and width
 * shards fill whole rows of the worker grid and then a tail strip; DRAM shards take one bank each.
 *
 * @throws {RangeError} when the shards outnumber the cores
 */
export function canonicalCoreRanges(
  bufferType: BufferType,
  memoryLayout: TensorMemoryLayout,
  grid: readonly [number, number],
  workerGrid: WorkerGrid,
  dramBanks: number | undefined,
): readonly CoreRange[] {
  const [rows, columns] = grid;
  const cores = rows * columns;
  if (bufferType === "dram") {
    if (dramBanks === undefined || cores > dramBanks) {
      throw new RangeError(
        `Cannot place ${cores} DRAM shards: the chip has ${dramBanks ?? "an unknown number of"} banks`,
      );
    }
    return [{ start: { x: 0, y: 0 }, end: { x: cores - 1, y: 0 } }];
  }
  if (memoryLayout === "block_sharded") {
    if (rows > workerGrid.rows || columns > workerGrid.columns) {
      throw new RangeError(
        `Cannot place a ${rows}x${columns} block: the worker grid is ${workerGrid.rows}x${workerGrid.columns}`,
      );
    }
    return [{ start: { x: 0, y: 0 }, end: { x: columns - 1, y: rows - 1 } }];
  }
  if (cores > workerGrid.rows * workerGrid.columns) {
    throw new RangeError(
      `Cannot place ${cores} shards: the worker grid has ${workerGrid.rows * workerGrid.columns} cores`,
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

/** Bytes of one shard (per core): tiles or elements of the memref times their size. */
export function shardBytes(layout: TtnnLayout): number {
  const units = layout.shardShape.reduce((volume, extent) => volume * extent, 1);
  return layout.tile === undefined
    ? units * elementBytes(layout.dataType)
    : units * tileBytes(layout.dataType, layout.tile.height, layout.tile.width);
}

/** Rounds up to a multiple. */
export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
