// SPDX-License-Identifier: Apache-2.0
import { bytesPerElement } from "../data_type.ts";
import { volume } from "../extents.ts";
import { elementRuns, type StridedSum, stridedSums } from "../affine/linear_map.ts";
import { type MetalLayout, metalShardShape, paddedShardShape, verifyMetalLayout } from "./metal_layout.ts";
import { checkIndex } from "../ttnn/ttnn_coordinates.ts";

/** A box of physical elements of one shard, `[start, end)` per physical dim. */
export interface ShardRegion {
  /** First element per physical dim, counted from the start of the shard. */
  readonly start: readonly number[];
  /** One past the last element per physical dim. */
  readonly end: readonly number[];
}

/**
 * The padding of one shard as boxes that do not overlap. Elements are not enumerated: the number of boxes grows with
 * the gaps that the strides leave.
 *
 * Order: by start, the first physical dim first.
 *
 * @param grid coordinate of the core in the virtual grid
 * @throws {LayoutError} if the layout does not belong to the tensor or the coordinate is outside of the grid
 */
export function* paddedRegions(
  shape: readonly number[],
  layout: MetalLayout,
  grid: readonly number[],
): Generator<ShardRegion> {
  verifyMetalLayout(shape, layout);
  checkIndex(layout.grid, grid);
  const sums = stridedSums(layout.linear, shape);
  const shard = metalShardShape(shape, layout);
  const padded = paddedShardShape(layout.memref);
  yield* visit(0, [], [], new Map());

  function* visit(
    dim: number,
    start: readonly number[],
    end: readonly number[],
    fixed: ReadonlyMap<number, number>,
  ): Generator<ShardRegion> {
    const sum = sums[dim];
    if (sum === undefined) return;
    const extent = padded[dim] ?? 1;
    const first = (grid[dim] ?? 0) * (shard[dim] ?? 1);
    const box = (from: number, to: number): ShardRegion => ({
      start: [...start, from, ...new Array<number>(padded.length - dim - 1).fill(0)],
      end: [...end, to, ...padded.slice(dim + 1)],
    });
    let cursor = 0;
    const wanted = sharedDims(sums, dim, fixed);
    for (const run of elementRuns(sum, first, first + (shard[dim] ?? 1), fixed, wanted)) {
      if (run.start - first > cursor) yield box(cursor, run.start - first);
      yield* visit(
        dim + 1,
        [...start, run.start - first],
        [...end, run.end - first],
        new Map([...fixed, ...run.fixed]),
      );
      cursor = run.end - first;
    }
    if (cursor < extent) yield box(cursor, extent);
  }
}

/** Dims of one result that later results use as well and that have no value yet. */
function sharedDims(
  sums: readonly StridedSum[],
  result: number,
  fixed: ReadonlyMap<number, number>,
): Set<number> {
  const later = new Set(sums.slice(result + 1).flatMap((sum) => sum.dims.map(({ dim }) => dim)));
  const own = sums[result]?.dims.map(({ dim }) => dim) ?? [];
  return new Set(own.filter((dim) => later.has(dim) && !fixed.has(dim)));
}

/** Memory of a tensor, in bytes; padded figures count whole shards. */
export interface MetalFootprint {
  /** Shards of the grid, on all devices that its outermost dims divide the tensor among. */
  readonly shards: number;
  /** Bytes of one shard, padding included. */
  readonly shardBytes: number;
  /** `shards × shardBytes`. */
  readonly allocatedBytes: number;
  /** Logical elements times their size (for block-float the share of the exponents is included). */
  readonly logicalBytes: number;
  /** Part of the allocated bytes that is padding, 0 to 1. */
  readonly wastedShare: number;
}

/**
 * Bytes of a tensor, per shard and in total, with and without padding.
 *
 * @throws {LayoutError} if the layout does not belong to the tensor
 */
export function metalFootprint(shape: readonly number[], layout: MetalLayout): MetalFootprint {
  verifyMetalLayout(shape, layout);
  const elementSize = bytesPerElement(layout.memref);
  const shards = volume(layout.grid);
  const shardBytes = volume(paddedShardShape(layout.memref)) * elementSize;
  const logicalBytes = volume(shape) * elementSize;
  return {
    shards,
    shardBytes,
    allocatedBytes: shards * shardBytes,
    logicalBytes,
    wastedShare: 1 - logicalBytes / (shards * shardBytes),
  };
}

/** Elements of one shard that are padding. */
export function paddedElements(
  shape: readonly number[],
  layout: MetalLayout,
  grid: readonly number[],
): number {
  let elements = 0;
  for (const { start, end } of paddedRegions(shape, layout, grid)) {
    elements += start.reduce((volume, from, dim) => volume * ((end[dim] ?? 0) - from), 1);
  }
  return elements;
}
