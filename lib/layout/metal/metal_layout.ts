// SPDX-License-Identifier: Apache-2.0
import { affineAdd, affineConstant, affineDim, affineMul } from "../affine/affine_expression.ts";
import { type AffineMap, formatAffineMap, rowMajorSum } from "../affine/affine_map.ts";
import type { DataType } from "../data_type.ts";
import { normalDim, sameExtents } from "../extents.ts";
import { checkGrid, checkShape, formatExtents, LayoutError } from "../layout_error.ts";
import { stridedSums } from "../affine/linear_map.ts";
import { roundUp } from "../make_layout.ts";
import { checkPages, checkTile } from "../tile_shape.ts";
import type { TileShape } from "../ttnn_layout.ts";

/** Values of the padding: names of `ttcore.oob_val`. */
export const OOB_VALUES = ["undef", "zero", "one", "inf", "neginf"] as const;

/** One of {@linkcode OOB_VALUES}. */
export type OobValue = (typeof OOB_VALUES)[number];

/** Memory spaces as `ttcore.memory_space` prints them: System, SystemMMIO, DeviceDRAM, DeviceL1. */
export const MEMORY_SPACES = ["system", "mmio", "dram", "l1"] as const;

/** One of {@linkcode MEMORY_SPACES}. */
export type MemorySpace = (typeof MEMORY_SPACES)[number];

/** The footprint of one shard. */
export interface ShardMemref {
  /** Tiles when tiled, else elements; same rank as the grid. */
  readonly shape: readonly number[];
  /** Format of the elements in memory. */
  readonly dataType: DataType;
  /** `undefined` when the element type is a scalar. */
  readonly tile: TileShape | undefined;
  /** Memory that holds the shard. */
  readonly memorySpace: MemorySpace;
}

/** The compiler's layout of a tensor, `#ttcore.metal_layout` (tt-mlir:tensor-layout-document). */
export interface MetalLayout {
  /** From tensor dims to physical dims; as many results as the grid has dimensions. */
  readonly linear: AffineMap;
  /**
   * Extents of the physical dims, in elements, if the layout rounds them up itself before dividing them by
   * the grid; absent: the map's image of the shape.
   */
  readonly alignedShape?: readonly number[];
  /** Value of the padding. */
  readonly oobValue: OobValue;
  /** Virtual grid: shards per physical dim. */
  readonly grid: readonly number[];
  /** Footprint of every shard. */
  readonly memref: ShardMemref;
}

/** A range of dims `[start, end)` to collapse into one; negative ends count from the rank. */
export type CollapseInterval = readonly [start: number, end: number];

/** The default collapse of a tensor: all dims but the last; none for a scalar. */
export function defaultCollapse(rank: number): readonly CollapseInterval[] {
  return rank === 0 ? [] : [[0, -1]];
}

/** The parameters of a {@linkcode MetalLayout}. */
export interface MetalLayoutRequest {
  /** Logical tensor shape. */
  readonly shape: readonly number[];
  /** Format in memory. */
  readonly dataType: DataType;
  /** Shards per physical dim. */
  readonly grid: readonly number[];
  /** Default {@linkcode defaultCollapse}; not used together with `linear`. */
  readonly collapseIntervals?: readonly CollapseInterval[];
  /**
   * Extents are rounded up to these multiples before strides are computed, one per dim, default all 1: 32 for the
   * second last dim puts every batch on a tile boundary.
   */
  readonly dimAlignments?: readonly number[];
  /** A custom map instead of `collapseIntervals` and `dimAlignments`. */
  readonly linear?: AffineMap;
  /** Absent for scalar layouts. */
  readonly tile?: TileShape | undefined;
  /** Default `l1`. */
  readonly memorySpace?: MemorySpace;
  /** Default `undef`. */
  readonly oobValue?: OobValue;
}

/**
 * Builds the layout of a tensor: the map at the last element plus one gives the physical extents, these are divided by
 * the grid, rounding up, and only then by the tile, rounding up.
 *
 * @example
 * ```ts
 * import { makeMetalLayout } from "@tilewright/tilewright/metal";
 * import { assertEquals } from "@std/assert";
 *
 * const tile = { height: 32, width: 32 };
 * const layout = makeMetalLayout({ shape: [256, 64], dataType: "bf16", grid: [8, 1], tile });
 * assertEquals(layout.memref.shape, [1, 2]);
 * ```
 *
 * @throws {LayoutError} if ranks do not match, extents are not positive, the map is not a sum of strides or makes
 * elements overlap, or the tile is not supported; `rule` names it
 */
export function makeMetalLayout(request: MetalLayoutRequest): MetalLayout {
  const { shape, grid, tile, dataType } = request;
  checkShape(shape);
  checkGrid(grid);
  const linear = request.linear ??
    collapsedLinearMap(
      shape,
      request.collapseIntervals ?? defaultCollapse(shape.length),
      request.dimAlignments,
    );
  checkPages(tile, dataType);
  return {
    linear,
    oobValue: request.oobValue ?? "undef",
    grid,
    memref: {
      shape: shardMemrefShape(shape, { linear, grid }, tile),
      dataType,
      tile,
      memorySpace: request.memorySpace ?? "l1",
    },
  };
}

/** The part of a layout that divides a tensor. */
export type MetalDivision = Pick<MetalLayout, "linear" | "grid" | "alignedShape">;

/**
 * Extents of the physical dims in elements: the map at the last element, plus one, or the layout's own.
 *
 * @throws {LayoutError} if the map does not fit the shape; `shape/aligned` when the layout's own extents do not hold it
 */
export function metalPhysicalShape(
  shape: readonly number[],
  { linear, alignedShape }: Omit<MetalDivision, "grid">,
): readonly number[] {
  const extents = stridedSums(linear, shape).map(({ extent }) => extent);
  if (alignedShape === undefined) return extents;
  if (
    alignedShape.length !== extents.length || extents.some((extent, dim) => extent > (alignedShape[dim] ?? 0))
  ) {
    throw new LayoutError(
      "shape/aligned",
      `Cannot round ${formatExtents(extents)} up to ${
        formatExtents(alignedShape)
      }: it does not hold the tensor`,
    );
  }
  return alignedShape;
}

/**
 * Elements of one shard per physical dim, before padding to tiles.
 *
 * @throws {LayoutError} `grid/rank` when grid and map have different ranks
 */
export function metalShardShape(
  shape: readonly number[],
  division: MetalDivision,
): number[] {
  const { linear, grid } = division;
  const physical = metalPhysicalShape(shape, division);
  if (physical.length !== grid.length) {
    throw new LayoutError(
      "grid/rank",
      `Cannot divide ${formatAffineMap(linear)} by the grid ${formatExtents(grid)}: ` +
        `the map has ${physical.length} results, the grid ${grid.length} dimensions`,
    );
  }
  return physical.map((extent, dim) => Math.ceil(extent / (grid[dim] ?? 1)));
}

function shardMemrefShape(
  shape: readonly number[],
  division: MetalDivision,
  tile: TileShape | undefined,
): number[] {
  const shard = metalShardShape(shape, division);
  if (tile === undefined) return shard;
  checkTile(tile);
  if (shard.length < 2) {
    throw new LayoutError(
      "tile/supported-shape",
      `Cannot tile a layout with ${shard.length} physical dimension: tiles need two, collapse fewer dims`,
    );
  }
  return shard.map((extent, dim) =>
    dim === shard.length - 1
      ? Math.ceil(extent / tile.width)
      : dim === shard.length - 2
      ? Math.ceil(extent / tile.height)
      : extent
  );
}

/**
 * The map that collapses intervals of dims, each into one result; other dims stay.
 *
 * @param dimAlignments multiples that extents are rounded up to before strides are computed, default all 1
 * @throws {LayoutError} `collapse/interval` when an interval leaves the tensor, runs backwards or overlaps another
 */
export function collapsedLinearMap(
  shape: readonly number[],
  collapseIntervals: readonly CollapseInterval[],
  dimAlignments?: readonly number[],
): AffineMap {
  if (dimAlignments !== undefined) checkAlignments(shape, dimAlignments);
  const aligned = shape.map((extent, dim) => roundUp(extent, dimAlignments?.[dim] ?? 1));
  const ranges = collapsedRanges(shape.length, collapseIntervals);
  return {
    dimCount: shape.length,
    symbolCount: 0,
    results: ranges.map(([start, end]) => rowMajorSum(start, aligned.slice(start, end))),
  };
}

/**
 * Map and physical extents as the compiler derives them from `logical_shape`, `collapsed_intervals` and
 * `dim_alignments`: from the innermost dim of an interval outwards, the running product is multiplied by the
 * extent and rounded up to that dim's alignment (tt-mlir:metal-layout-attribute).
 *
 * @param shape logical tensor shape
 * @throws {LayoutError} as {@linkcode collapsedLinearMap}
 */
export function alignedCollapse(
  shape: readonly number[],
  collapseIntervals: readonly CollapseInterval[],
  dimAlignments: readonly number[],
): Required<Pick<MetalLayout, "linear" | "alignedShape">> {
  checkShape(shape);
  checkAlignments(shape, dimAlignments);
  const alignedShape: number[] = [];
  const results = collapsedRanges(shape.length, collapseIntervals).map(([start, end]) => {
    let elements = 1;
    let sum = affineConstant(0);
    for (let dim = end - 1; dim >= start; dim--) {
      sum = affineAdd(affineMul(affineDim(dim), affineConstant(elements)), sum);
      elements = roundUp((shape[dim] ?? 1) * elements, dimAlignments[dim] ?? 1);
    }
    alignedShape.push(elements);
    return sum;
  });
  return { linear: { dimCount: shape.length, symbolCount: 0, results }, alignedShape };
}

function checkAlignments(shape: readonly number[], dimAlignments: readonly number[]): void {
  if (
    dimAlignments.length !== shape.length ||
    dimAlignments.some((multiple) => !Number.isSafeInteger(multiple) || multiple < 1)
  ) {
    throw new LayoutError(
      "shape/rank",
      `Cannot align a tensor of shape ${formatExtents(shape)} to [${dimAlignments.join(", ")}]: ` +
        `one positive multiple per dimension is needed`,
    );
  }
}

/** The ranges of dims that become one result each, in order; a dim of no interval is a range of its own. */
function collapsedRanges(rank: number, collapseIntervals: readonly CollapseInterval[]): CollapseInterval[] {
  const groupOf = new Array<number | undefined>(rank).fill(undefined);
  for (const [group, [rawStart, rawEnd]] of collapseIntervals.entries()) {
    const start = normalDim(rawStart, rank);
    const end = normalDim(rawEnd, rank);
    const refuse = (reason: string): never => {
      throw new LayoutError(
        "collapse/interval",
        `Cannot collapse the dims [${rawStart}, ${rawEnd}) of a tensor of rank ${rank}: ${reason}`,
      );
    };
    if (!Number.isSafeInteger(rawStart) || !Number.isSafeInteger(rawEnd)) refuse("the ends must be integers");
    if (start < 0 || end < 0 || end > rank) refuse("it reaches out of the tensor");
    if (start > end) refuse("it ends before it starts");
    for (let dim = start; dim < end; dim++) {
      if (groupOf[dim] !== undefined) refuse(`it overlaps another interval at d${dim}`);
      groupOf[dim] = group;
    }
  }
  const ranges: CollapseInterval[] = [];
  for (let dim = 0; dim < rank;) {
    let end = dim + 1;
    while (end < rank && groupOf[dim] !== undefined && groupOf[end] === groupOf[dim]) end++;
    ranges.push([dim, end]);
    dim = end;
  }
  return ranges;
}

/**
 * Refuses layouts that do not belong to a tensor: ranks, the map and the memref are checked against each other.
 *
 * @throws {LayoutError} `memref/shape` when the memref is not what shape, map and grid make it; else as
 * {@linkcode makeMetalLayout}
 */
export function verifyMetalLayout(shape: readonly number[], layout: MetalLayout): void {
  checkShape(shape);
  checkGrid(layout.grid);
  const { tile, shape: memref } = layout.memref;
  const expected = shardMemrefShape(shape, layout, tile);
  if (!sameExtents(expected, memref)) {
    throw new LayoutError(
      "memref/shape",
      `Cannot use a memref of ${formatExtents(memref)} for a tensor of shape ${formatExtents(shape)} on a ` +
        `${formatExtents(layout.grid)} grid: the shard is ${formatExtents(expected)}`,
    );
  }
}

/** Elements that one shard reserves per physical dim, padded to tiles. */
export function paddedShardShape(memref: ShardMemref): number[] {
  const { shape, tile } = memref;
  return shape.map((extent, dim) =>
    tile === undefined || dim < shape.length - 2
      ? extent
      : extent * (dim === shape.length - 1 ? tile.width : tile.height)
  );
}
