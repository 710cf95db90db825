// SPDX-License-Identifier: Apache-2.0
import { volume } from "../extents.ts";
import { formatExtents, LayoutError } from "../layout_error.ts";
import { decodePosition, elementRuns, type StridedSum, stridedSums } from "../affine/linear_map.ts";
import { physicalExtent, roundUp } from "../make_layout.ts";
import {
  type MetalLayout,
  metalShardShape,
  paddedShardShape,
  verifyMetalLayout,
} from "../metal/metal_layout.ts";
import { type ChipNodes, formatNode } from "../ttnn/nodes.ts";
import { placeLayout } from "../ttnn/placement.ts";
import { delinearize } from "../ttnn/ttnn_coordinates.ts";
import { isSharded, type TtnnLayout } from "../ttnn_layout.ts";
import { type GridDevices, shardNames } from "../metal/virtual_grid.ts";

/** Rows or columns of the collapsed tensor that one row or column of shards holds. */
export interface ShardBand {
  /** `[start, end)`; empty when the shards hold nothing. */
  readonly start: number;
  readonly end: number;
  /** Rows or columns of padding in the shards. */
  readonly padding: number;
  /** Logical indices of the first and last position, over the dims that the collapsed dimension is made of. */
  readonly first: readonly number[];
  readonly last: readonly number[];
}

/** The part of a tensor on every core, for one 2D slice of the grid. */
export interface ShardDrawing {
  /** Outer grid coordinate of the slice, `[]` for a two-dimensional grid. */
  readonly outer: readonly number[];
  readonly rows: readonly ShardBand[];
  readonly columns: readonly ShardBand[];
  /** Name of the core or bank by row and column of the grid; outside of L1 the coordinate of a metal shard. */
  readonly cores: readonly (readonly string[])[];
}

/**
 * Drawings of a `metal_layout`, one per outer grid coordinate, in row-major order.
 *
 * @throws {LayoutError} if the layout does not belong to the tensor, its grid does not fit the devices, or a dim is in
 * several results of its map
 */
export function metalDrawings(
  shape: readonly number[],
  layout: MetalLayout,
  devices: GridDevices,
): ShardDrawing[] {
  verifyMetalLayout(shape, layout);
  const { grid } = layout;
  const sums = stridedSums(layout.linear, shape);
  if (!drawable(sums)) {
    throw new LayoutError(
      "conversion/unsupported",
      "Cannot draw a layout whose map uses one dim in several results: its shards are not boxes of rows and columns",
    );
  }
  const shard = metalShardShape(shape, layout);
  const padded = paddedShardShape(layout.memref);
  const nameOf = shardNames(layout, devices);
  const bandsOf = (dim: number): ShardBand[] => {
    const sum = sums[dim];
    if (sum === undefined) return [{ start: 0, end: 1, padding: 0, first: [], last: [] }];
    return Array.from(
      { length: grid[dim] ?? 1 },
      (_, position) => metalBand(sum, position, shard[dim] ?? 1, padded[dim] ?? 1),
    );
  };
  const outerGrid = grid.slice(0, -2);
  const rows = bandsOf(grid.length - 2);
  const columns = bandsOf(grid.length - 1);
  return Array.from({ length: volume(outerGrid) }, (_, slice) => {
    const outer = delinearize(slice, outerGrid);
    const cores = rows.map((_, row) =>
      columns.map((_, column) => {
        const inner = grid.length >= 2 ? [row, column] : grid.length === 1 ? [column] : [];
        return nameOf([...outer, ...inner]);
      })
    );
    return { outer, rows, columns, cores };
  });
}

/** Whether the shards of a layout are boxes of rows and columns: no dim is in several results of its map. */
export function isDrawable(shape: readonly number[], layout: MetalLayout): boolean {
  return drawable(stridedSums(layout.linear, shape));
}

function drawable(sums: readonly StridedSum[]): boolean {
  const used = sums.flatMap((sum) => sum.dims.map(({ dim }) => dim));
  return new Set(used).size === used.length;
}

function metalBand(sum: StridedSum, position: number, shard: number, allocated: number): ShardBand {
  const start = position * shard;
  const indices = (at: number) =>
    [...decodePosition(sum, at) ?? []].sort(([a], [b]) => a - b).map(([, value]) => value);
  let elements = 0;
  let first: number | undefined;
  let last = start - 1;
  for (const run of elementRuns(sum, start, start + shard)) {
    first ??= run.start;
    last = run.end - 1;
    elements += run.end - run.start;
  }
  if (first === undefined) return { start, end: start, padding: allocated, first: [], last: [] };
  return {
    start: first,
    end: last + 1,
    padding: allocated - elements,
    first: indices(first),
    last: indices(last),
  };
}

/**
 * Drawing of a sharded TTNN layout with a two-dimensional grid. Rows are those of the collapsed tensor, padded to tiles
 * per batch when tiled.
 *
 * @throws {LayoutError} `grid/rank` when the layout is not sharded in two dimensions; else when it cannot hold the
 * tensor or does not fit the chip
 */
export function ttnnDrawing(shape: readonly number[], layout: TtnnLayout, chip: ChipNodes): ShardDrawing {
  const placement = placeLayout(shape, layout, chip);
  if (placement.kind !== "sharded" || placement.grid.length !== 2 || !isSharded(layout)) {
    throw new LayoutError(
      "grid/rank",
      `Cannot draw a ${layout.memoryLayout ?? "host"} layout on a ${formatExtents(layout.gridShape)} grid: ` +
        "only two-dimensional shards are drawn",
    );
  }
  const { tile } = layout;
  const [paddedRows, paddedColumns] = physicalExtent(shape, tile);
  const height = shape.length < 2 ? 1 : shape.at(-2) ?? 1;
  const paddedHeight = tile === undefined ? height : roundUp(height, tile.height);
  const [gridRows = 1, gridColumns = 1] = placement.grid;
  const shardRows = (placement.shard[0] ?? 1) * (tile?.height ?? 1);
  const shardColumns = (placement.shard[1] ?? 1) * (tile?.width ?? 1);
  const logicalRow = (row: number) =>
    Math.floor(row / paddedHeight) * height + Math.min(row % paddedHeight, height);
  const rows = Array.from({ length: gridRows }, (_, position): ShardBand => {
    const start = Math.min(position * shardRows, paddedRows);
    const stop = Math.min(start + shardRows, paddedRows);
    const from = logicalRow(start);
    const to = logicalRow(stop);
    if (from === to) return { start, end: start, padding: shardRows, first: [], last: [] };
    const outer = shape.length < 2 ? [] : shape.slice(0, -1);
    const lastRow = to - 1;
    const end = Math.floor(lastRow / height) * paddedHeight + lastRow % height + 1;
    return {
      start,
      end,
      padding: shardRows - (to - from),
      first: delinearize(from, outer),
      last: delinearize(lastRow, outer),
    };
  });
  const width = shape.at(-1) ?? 1;
  const columns = Array.from({ length: gridColumns }, (_, position): ShardBand => {
    const start = Math.min(position * shardColumns, paddedColumns);
    const end = Math.min(start + shardColumns, width);
    if (start >= end) return { start, end: start, padding: shardColumns, first: [], last: [] };
    return { start, end, padding: shardColumns - (end - start), first: [start], last: [end - 1] };
  });
  const cores = rows.map((_, row) =>
    columns.map((_, column) => {
      const node = placement.nodes[(row * gridColumns + column) % placement.nodes.length] ?? 0;
      return formatNode(chip, node).replace("core ", "").replace("DRAM ", "");
    })
  );
  return { outer: [], rows, columns, cores };
}
