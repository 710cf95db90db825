// SPDX-License-Identifier: Apache-2.0
import { checkCoreRanges, type CoreRange, coreRangeVolume, walkCores } from "../core_range.ts";
import { checkShape, formatExtents, LayoutError } from "../layout_error.ts";
import { canonicalCoreRanges, gridCores, physicalUnits, shardedExtents } from "../make_layout.ts";
import { type ChipNodes, coreNode, dramNode, hostNode, type NodeId } from "./nodes.ts";
import { checkPages } from "../tile_shape.ts";
import { gridVolume, isDramBuffer, isSharded, type TtnnLayout } from "../ttnn_layout.ts";

/**
 * Pages distributed round-robin over banks: page `p` is in `banks[p mod banks.length]`. Pages are numbered row by row
 * over the collapsed tensor; a page is a tile, or a whole row when row-major.
 *
 * L1 banks are numbered like the cores of the worker grid. tt-metal may shuffle that order; the shuffle is the same
 * for every tensor, so it changes distances but not the amounts that are moved.
 */
export interface InterleavedPlacement {
  /** Discriminates the placements. */
  readonly kind: "interleaved";
  /** Nodes of the banks, in the order in which they get pages. */
  readonly banks: readonly NodeId[];
  /** Pages of the tensor, `[rows, columns]`. */
  readonly pages: readonly [number, number];
}

/**
 * The tensor cut into equal shards. Shards are numbered row by row over the grid; shard `s` is in
 * `nodes[s mod nodes.length]` (more shards than nodes only when `nd_sharded`). System memory is one shard.
 */
export interface ShardedPlacement {
  /** Discriminates the placements. */
  readonly kind: "sharded";
  /** Nodes of the shards. */
  readonly nodes: readonly NodeId[];
  /** Extents of the tensor in units (tiles or elements); dimensions left of the sharded ones are folded into the first. */
  readonly extents: readonly number[];
  /** Shard extents in units, same rank. */
  readonly shard: readonly number[];
  /** Shards per dimension, same rank. */
  readonly grid: readonly number[];
}

/** Which node of a chip holds which part of a tensor. */
export type Placement = InterleavedPlacement | ShardedPlacement;

/**
 * Where a layout puts the parts of a tensor. A sharded layout without core ranges (a hint) gets the canonical
 * placement.
 *
 * @example
 * ```ts
 * import { makeLayout, placeLayout } from "@tilewright/tilewright/layout";
 * import { assertEquals } from "@std/assert";
 *
 * const chip = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };
 * const layout = makeLayout(
 *   { shape: [256, 64], dataType: "bf16", bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
 *   chip.workerGrid,
 * );
 * const placement = placeLayout([256, 64], layout, chip);
 * assertEquals(placement.kind === "sharded" && placement.nodes, [0, 1, 2, 3, 4, 5, 6, 7]);
 * ```
 *
 * @throws {LayoutError} if the layout cannot hold the tensor or does not fit the chip; `rule` names the reason
 */
export function placeLayout(shape: readonly number[], layout: TtnnLayout, chip: ChipNodes): Placement {
  checkShape(shape);
  checkPages(layout.tile, layout.dataType);
  const units = physicalUnits(shape, layout.tile);
  if (layout.bufferType === "system_memory") {
    return { kind: "sharded", nodes: [hostNode(chip)], extents: units, shard: units, grid: [1, 1] };
  }
  if (!isSharded(layout)) {
    const inDram = isDramBuffer(layout.bufferType);
    const first = inDram ? dramNode(chip, 0) : 0;
    const banks = inDram ? chip.dramBanks : gridCores(chip.workerGrid);
    return {
      kind: "interleaved",
      banks: Array.from({ length: banks }, (_, bank) => first + bank),
      pages: layout.tile === undefined ? [units[0], 1] : units,
    };
  }
  return placeShards(shape, units, layout, chip);
}

function placeShards(
  shape: readonly number[],
  units: readonly [number, number],
  layout: TtnnLayout,
  chip: ChipNodes,
): ShardedPlacement {
  const isNd = layout.memoryLayout === "nd_sharded";
  const grid = layout.gridShape;
  const shard = layout.shardShape;
  if (grid.length !== shard.length || (!isNd && grid.length !== 2)) {
    throw new LayoutError(
      "grid/rank",
      `Cannot place ${formatExtents(shard)} shards on a ${formatExtents(grid)} grid: ` +
        (isNd
          ? "the ranks must be equal"
          : `${layout.memoryLayout} shards and their grid have two dimensions`),
    );
  }
  const extents = isNd ? shardedExtents(shape, layout.tile, grid.length) : units;
  for (const [dim, extent] of extents.entries()) {
    if ((grid[dim] ?? 0) * (shard[dim] ?? 0) < extent) {
      throw new LayoutError(
        "shard/covers-tensor",
        `Cannot place a tensor of shape ${formatExtents(shape)}: a ${formatExtents(grid)} grid of ` +
          `${formatExtents(shard)} shards covers less than its ${formatExtents(extents)} ` +
          (layout.tile === undefined ? "elements" : "tiles"),
      );
    }
  }
  return { kind: "sharded", nodes: shardNodes(layout, chip), extents, shard, grid };
}

/**
 * Nodes of the shards of a layout, by shard number (row by row over the grid).
 *
 * Height, width and nd shards follow the walk over the core ranges. Block shard (i, j) is on the core in row i and
 * column j of the rectangle, with column-major orientation in column i and row j. Shards in DRAM take the bank of
 * their x coordinate.
 *
 * @throws {LayoutError} if the core ranges do not fit the grid or the chip
 */
export function shardNodes(layout: TtnnLayout, chip: ChipNodes): NodeId[] {
  const ranges = layout.coreRanges.length > 0 ? layout.coreRanges : canonicalCoreRanges(
    layout.bufferType,
    layout.memoryLayout ?? "interleaved",
    layout.gridShape,
    chip.workerGrid,
    chip.dramBanks,
  );
  checkCoreRanges(ranges);
  const columnMajor = layout.shardOrientation === "col_major";
  if (isDramBuffer(layout.bufferType)) {
    const banks = walkCores(ranges, columnMajor).map((core) => dramNode(chip, core.x));
    checkShardCount(layout, banks.length);
    return banks;
  }
  if (layout.memoryLayout === "block_sharded") return blockNodes(layout, ranges, columnMajor, chip);
  const nodes = walkCores(ranges, columnMajor).map((core) => coreNode(chip, core));
  checkShardCount(layout, nodes.length);
  return nodes;
}

function checkShardCount(layout: TtnnLayout, cores: number): void {
  const shards = gridVolume(layout);
  if (layout.memoryLayout === "nd_sharded" || shards <= cores) return;
  throw new LayoutError(
    "core-ranges/shard-count",
    `Cannot put ${shards} ${layout.memoryLayout} shards on ${cores} cores: each core takes one shard`,
  );
}

function blockNodes(
  layout: TtnnLayout,
  ranges: readonly CoreRange[],
  columnMajor: boolean,
  chip: ChipNodes,
): NodeId[] {
  const [rows = 1, columns = 1] = layout.gridShape;
  const [range] = ranges;
  const wide = columnMajor ? rows : columns;
  const high = columnMajor ? columns : rows;
  if (
    range === undefined || ranges.length !== 1 || coreRangeVolume(range) !== rows * columns ||
    range.end.x - range.start.x + 1 !== wide
  ) {
    throw new LayoutError(
      "core-ranges/rectangle",
      `Cannot place a ${rows}x${columns} block: its core ranges must be one rectangle of ${high} rows and ` +
        `${wide} columns`,
    );
  }
  const nodes: NodeId[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = range.start.x + (columnMajor ? row : column);
      const y = range.start.y + (columnMajor ? column : row);
      nodes.push(coreNode(chip, { x, y }));
    }
  }
  return nodes;
}
