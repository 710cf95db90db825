// SPDX-License-Identifier: Apache-2.0

/**
 * Helpers of the layout tests: random layouts, and a reference that places one element by the definitions, without
 * any of the arithmetic that the library uses.
 *
 * @module
 */

import fc from "fast-check";
import type { CoreRange } from "../core_range.ts";
import type { DataType } from "../data_type.ts";
import { makeLayout } from "../make_layout.ts";
import type { ChipNodes } from "../ttnn/nodes.ts";
import { SUPPORTED_TILES } from "../tile_shape.ts";
import type { BufferType, TensorMemoryLayout, TileShape, TtnnLayout } from "../ttnn_layout.ts";

/** Chips of the tests; worker grids need not be square and banks may outnumber cores. */
export const CHIPS: readonly ChipNodes[] = [
  { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 },
  { workerGrid: { rows: 10, columns: 11 }, dramBanks: 8 },
  { workerGrid: { rows: 3, columns: 5 }, dramBanks: 7 },
  { workerGrid: { rows: 2, columns: 1 }, dramBanks: 3 },
];

/** Shapes of rank 1 to 6 with at most a few thousand elements. */
export function arbitraryShape(): fc.Arbitrary<number[]> {
  return fc.integer({ min: 1, max: 6 }).chain((rank) => {
    const outer = fc.array(fc.integer({ min: 1, max: 3 }), {
      minLength: Math.max(0, rank - 2),
      maxLength: Math.max(0, rank - 2),
    });
    const inner = fc.array(fc.integer({ min: 1, max: 100 }), {
      minLength: Math.min(rank, 2),
      maxLength: Math.min(rank, 2),
    });
    return fc.tuple(outer, inner).map(([left, right]) => [...left, ...right]);
  });
}

/** Layouts of a shape on a chip: every memory, every sharding, tiles of every supported shape, partial grids. */
function arbitraryLayout(shape: readonly number[], chip: ChipNodes): fc.Arbitrary<TtnnLayout> {
  const { rows, columns } = chip.workerGrid;
  const pages = fc.oneof(
    { weight: 3, arbitrary: fc.constant<TileShape | null>({ height: 32, width: 32 }) },
    { weight: 1, arbitrary: fc.constantFrom<TileShape | null>(...SUPPORTED_TILES) },
    { weight: 2, arbitrary: fc.constant<TileShape | null>(null) },
  );
  const memory = fc.oneof(
    fc.constant({ bufferType: "dram", memoryLayout: "interleaved" } as const),
    fc.constant({ bufferType: "l1", memoryLayout: "interleaved" } as const),
    fc.constant({ bufferType: "system_memory", memoryLayout: undefined } as const),
    sharded("l1", "height_sharded", fc.integer({ min: 1, max: rows * columns }).map((cores) => [cores, 1])),
    sharded("l1", "width_sharded", fc.integer({ min: 1, max: rows * columns }).map((cores) => [1, cores])),
    sharded(
      "l1",
      "block_sharded",
      fc.tuple(fc.integer({ min: 1, max: rows }), fc.integer({ min: 1, max: columns })),
    ),
    sharded(
      "dram",
      "width_sharded",
      fc.integer({ min: 1, max: chip.dramBanks }).map((banks) => [1, banks]),
    ),
    sharded(
      "l1",
      "nd_sharded",
      fc.integer({ min: 2, max: Math.max(2, shape.length) }).chain((rank) =>
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: rank, maxLength: rank })
      ),
    ),
  );
  return fc.record({
    memory,
    tile: pages,
    dataType: fc.constantFrom<DataType>("bf16", "f32", "u8"),
    columnMajor: fc.boolean(),
    moved: fc.boolean(),
  }).map(({ memory, tile, dataType, columnMajor, moved }) => {
    const fits = memory.memoryLayout !== "block_sharded" ||
      (memory.grid[0] <= columns && memory.grid[1] <= rows);
    const orientation = memory.memoryLayout !== undefined && memory.memoryLayout !== "interleaved" &&
      columnMajor && fits;
    const canonical = makeLayout(
      { shape, dataType, tile, ...memory, shardOrientation: orientation ? "col_major" : "row_major" },
      chip.workerGrid,
      chip.dramBanks,
    );
    return moved ? moveCores(canonical, chip) : canonical;
  });
}

/** The same shards on other cores: blocks at the far corner, strips with the tail first. */
function moveCores(layout: TtnnLayout, chip: ChipNodes): TtnnLayout {
  const { rows, columns } = chip.workerGrid;
  const [range] = layout.coreRanges;
  if (range === undefined || layout.bufferType === "dram") return layout;
  if (layout.coreRanges.length > 1) return { ...layout, coreRanges: layout.coreRanges.toReversed() };
  const right = columns - 1 - range.end.x;
  const down = rows - 1 - range.end.y;
  return {
    ...layout,
    coreRanges: [{
      start: { x: range.start.x + right, y: range.start.y + down },
      end: { x: range.end.x + right, y: range.end.y + down },
    }],
  };
}

function sharded<Layout extends TensorMemoryLayout, Grid extends readonly number[]>(
  bufferType: BufferType,
  memoryLayout: Layout,
  grid: fc.Arbitrary<Grid>,
): fc.Arbitrary<{ bufferType: BufferType; memoryLayout: Layout; grid: Grid }> {
  return grid.map((extents) => ({ bufferType, memoryLayout, grid: extents }));
}

/** A tensor, two layouts of it and the chip they are on. */
export interface ReshardCase {
  readonly shape: number[];
  readonly chip: ChipNodes;
  readonly from: TtnnLayout;
  readonly to: TtnnLayout;
}

/** Random reshards. */
export function arbitraryReshard(): fc.Arbitrary<ReshardCase> {
  return fc.tuple(arbitraryShape(), fc.constantFrom(...CHIPS)).chain(([shape, chip]) =>
    fc.tuple(arbitraryLayout(shape, chip), arbitraryLayout(shape, chip)).map(([from, to]) => ({
      shape,
      chip,
      from,
      to,
    }))
  );
}

/** Node, page (unique over the tensor) and shard of one element, straight from the definitions. */
export function referencePlace(
  shape: readonly number[],
  layout: TtnnLayout,
  chip: ChipNodes,
  index: readonly number[],
): { node: number; page: string } {
  const [tileHeight, tileWidth] = layout.tile === undefined
    ? [1, 1]
    : [layout.tile.height, layout.tile.width];
  const padded = shape.length < 2 ? [1, ...shape] : [...shape];
  const position = shape.length < 2 ? [0, ...index] : [...index];
  const rank = padded.length;
  // Tiles per dimension, and the tile that the element is in.
  const units = padded.map((extent, dim) =>
    dim === rank - 1
      ? Math.ceil(extent / tileWidth)
      : dim === rank - 2
      ? Math.ceil(extent / tileHeight)
      : extent
  );
  const unit = position.map((value, dim) =>
    dim === rank - 1
      ? Math.floor(value / tileWidth)
      : dim === rank - 2
      ? Math.floor(value / tileHeight)
      : value
  );
  let row = 0;
  for (let dim = 0; dim < rank - 1; dim++) row = row * (units[dim] ?? 1) + (unit[dim] ?? 0);
  const column = unit[rank - 1] ?? 0;
  const cores = chip.workerGrid.rows * chip.workerGrid.columns;
  const isRowMajor = layout.tile === undefined;
  if (layout.bufferType === "system_memory") {
    return { node: cores + chip.dramBanks, page: isRowMajor ? `${row}` : `${row},${column}` };
  }
  if (layout.memoryLayout === "interleaved") {
    const page = isRowMajor ? row : row * (units[rank - 1] ?? 1) + column;
    const banks = layout.bufferType === "dram" ? chip.dramBanks : cores;
    return { node: (layout.bufferType === "dram" ? cores : 0) + page % banks, page: `${page}` };
  }
  // Fold leading dimensions until the rank is that of the shard.
  let coordinate = [...unit];
  let extents = [...units];
  while (coordinate.length > layout.shardShape.length) {
    const [outer = 0, inner = 0, ...others] = coordinate;
    const [outerExtent = 1, innerExtent = 1, ...otherExtents] = extents;
    coordinate = [outer * innerExtent + inner, ...others];
    extents = [outerExtent * innerExtent, ...otherExtents];
  }
  const shardCoordinate = coordinate.map((value, dim) => Math.floor(value / (layout.shardShape[dim] ?? 1)));
  let shard = 0;
  for (const [dim, value] of shardCoordinate.entries()) shard = shard * (layout.gridShape[dim] ?? 1) + value;
  const page = isRowMajor ? `${shard}:${coordinate.slice(0, -1)}` : `${row},${column}`;
  const [range] = layout.coreRanges;
  if (layout.memoryLayout === "block_sharded" && range !== undefined) {
    const [i = 0, j = 0] = shardCoordinate;
    const [x, y] = layout.shardOrientation === "col_major" ? [i, j] : [j, i];
    return { node: (range.start.y + y) * chip.workerGrid.columns + range.start.x + x, page };
  }
  const order = coresInOrder(layout.coreRanges, layout.shardOrientation === "col_major");
  const core = order[shard % order.length] ?? { x: 0, y: 0 };
  return {
    node: layout.bufferType === "dram" ? cores + core.x : core.y * chip.workerGrid.columns + core.x,
    page,
  };
}

function coresInOrder(ranges: readonly CoreRange[], columnMajor: boolean): { x: number; y: number }[] {
  return ranges.flatMap(({ start, end }) => {
    const cores: { x: number; y: number }[] = [];
    for (let y = start.y; y <= end.y; y++) for (let x = start.x; x <= end.x; x++) cores.push({ x, y });
    return columnMajor ? cores.sort((a, b) => a.x - b.x || a.y - b.y) : cores;
  });
}
