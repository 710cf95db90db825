// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "./data_type.ts";
import { type CoreRange, sameCoreRanges } from "./core_range.ts";
import { sameExtents, volume } from "./extents.ts";

/** The memory of a buffer: names of `#ttnn.buffer_type`, in the order of tt-mlir's enumeration. */
export const BUFFER_TYPES = ["dram", "l1", "system_memory", "l1_small", "trace"] as const;

/** One of {@linkcode BUFFER_TYPES}. */
export type BufferType = (typeof BUFFER_TYPES)[number];

/**
 * The distribution of a tensor: names of `#ttnn.tensor_memory_layout`, in the order of tt-mlir's enumeration.
 */
export const TENSOR_MEMORY_LAYOUTS = [
  "interleaved",
  "height_sharded",
  "width_sharded",
  "block_sharded",
  "nd_sharded",
] as const;

/** One of {@linkcode TENSOR_MEMORY_LAYOUTS}. */
export type TensorMemoryLayout = (typeof TENSOR_MEMORY_LAYOUTS)[number];

/** Order of the shards over the cores of a core range. A `#ttnn.ttnn_layout` always means `row_major`. */
export type ShardOrientation = "row_major" | "col_major";

/** Height and width of a tile, in elements. */
export interface TileShape {
  /** Rows. */
  readonly height: number;
  /** Columns. */
  readonly width: number;
}

/** Default tile shape of TTNN: 32x32 elements. */
export const DEFAULT_TILE: TileShape = { height: 32, width: 32 };

/**
 * The layout of one TTNN tensor (`#ttnn.ttnn_layout`), without its affine map: the map follows from the tensor shape.
 *
 * Values are immutable and compared structurally; hot code holds the {@linkcode LayoutId} of a `LayoutTable` instead.
 */
export interface TtnnLayout {
  /** Memory that holds the tensor. */
  readonly bufferType: BufferType;
  /** `undefined` exactly for `system_memory`. */
  readonly memoryLayout: TensorMemoryLayout | undefined;
  /** Format of the elements. */
  readonly dataType: DataType;
  /** `undefined` means row-major pages. */
  readonly tile: TileShape | undefined;
  /**
   * Shard grid `[rows, columns]`; one extent per sharded dimension for `nd_sharded`; the worker grid for interleaved
   * L1; `[1, 1]` for other interleaved tensors and system memory.
   */
  readonly gridShape: readonly number[];
  /** The memref shape: tiles per shard when tiled, elements when row-major. */
  readonly shardShape: readonly number[];
  /** Cores of the shards (DRAM: banks, `x` is the bank); empty if interleaved, on the host, or left to the backend. */
  readonly coreRanges: readonly CoreRange[];
  /** Order of the shards over the cores. */
  readonly shardOrientation: ShardOrientation;
  /** If true, the backend chooses grid, shard shape and cores for the memory layout; those given here are hints. */
  readonly ignorePhysicalLayout: boolean;
}

/** Whether a layout splits the tensor into shards. */
export function isSharded(layout: TtnnLayout): boolean {
  return layout.memoryLayout !== undefined && layout.memoryLayout !== "interleaved";
}

/** Whether a layout has shards in DRAM banks. */
export function isOverBanks(layout: TtnnLayout): boolean {
  return layout.bufferType === "dram" && isSharded(layout);
}

/** The page layout: tiles, or row-major. */
export function pagesOf({ tile }: Pick<TtnnLayout, "tile">): "tile" | "row_major" {
  return tile === undefined ? "row_major" : "tile";
}

/** Whether memory layout, grid shape and core ranges are equal. Ignores buffer type and shard orientation. */
export function sameShardGrid(a: TtnnLayout, b: TtnnLayout): boolean {
  return a.memoryLayout === b.memoryLayout && sameExtents(a.gridShape, b.gridShape) &&
    sameCoreRanges(a.coreRanges, b.coreRanges);
}

/** Number of shards of the logical grid (not of the core ranges). */
export function gridVolume(layout: TtnnLayout): number {
  return volume(layout.gridShape);
}

/** Whether buffers of this type are in DRAM banks (`trace` buffers are). */
export function isDramBuffer(bufferType: BufferType): boolean {
  return bufferType === "dram" || bufferType === "trace";
}
