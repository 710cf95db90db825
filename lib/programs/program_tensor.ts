// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { coreCount, type CoreRange, sameCoreRanges } from "../layout/core_range.ts";
import { type DataType, elementBytes, isBlockFloat, tileBytes } from "../layout/data_type.ts";
import { sameExtents, volume } from "../layout/extents.ts";
import { physicalExtent, roundUp, shardBytes } from "../layout/make_layout.ts";
import {
  DEFAULT_TILE,
  gridVolume,
  isSharded as hasShards,
  type TensorMemoryLayout,
  type TileShape,
  type TtnnLayout,
} from "../layout/ttnn_layout.ts";
import type { TensorShape } from "../ops/op_signature.ts";

/** Memory of a tensor, as far as it affects time. */
export type TensorPlacement = "host" | "dram_interleaved" | "dram_sharded" | "l1_interleaved" | "l1_sharded";

/** A tensor in a device program: extents, bytes and placement. */
export interface ProgramTensor {
  /** Logical extents. */
  readonly shape: readonly number[];
  /** Format in memory (the layout's, which may differ from the declared one). */
  readonly dataType: DataType;
  /** Memory, and whether the tensor is sharded there. */
  readonly placement: TensorPlacement;
  /** As in the layout; `undefined` on the host, without a layout, and if it does not matter ({@linkcode byAddress}). */
  readonly memoryLayout: TensorMemoryLayout | undefined;
  /** Whether pages are tiles. */
  readonly tiled: boolean;
  /** Two-dimensional extent `[rows, columns]` in elements, padded to tiles when tiled. */
  readonly extent: readonly [number, number];
  /** 32x32 tiles of as many elements as the extent: ⌈elements / 1024⌉. */
  readonly tiles: number;
  /** Transfer unit: a tile, or a row (of the shard) when row-major. */
  readonly pageBytes: number;
  /** Transfer units of the whole tensor, at least 1; without those that only pad shards. */
  readonly pages: number;
  /** Bytes of all pages, padding included, whole chip. */
  readonly bytes: number;
  /** Cores (or DRAM banks) that hold shards; 0 unless sharded. */
  readonly shardCores: number;
  /** Bytes of one shard; 0 unless sharded. */
  readonly shardBytes: number;
  /** Shard extents in tiles when tiled, in elements when row-major; empty unless sharded. */
  readonly shardShape: readonly number[];
  /** Shards along each axis; empty unless sharded. */
  readonly gridShape: readonly number[];
  /** Cores of the shards; empty unless sharded. */
  readonly coreRanges: readonly CoreRange[];
}

/** Cached views: layouts are interned and shapes belong to a graph, so both recur. */
const CACHE: WeakMap<TtnnLayout, WeakMap<readonly number[], ProgramTensor>> = new WeakMap();

/** The view of a tensor through its layout. Without a layout: DRAM interleaved tiles, TTNN's default. */
export function programTensor(tensor: TensorShape, layout: TtnnLayout | undefined): ProgramTensor {
  if (layout === undefined) return viewTensor(tensor, layout);
  let views = CACHE.get(layout);
  if (views === undefined) CACHE.set(layout, views = new WeakMap());
  let view = views.get(tensor.shape);
  if (view === undefined) views.set(tensor.shape, view = viewTensor(tensor, layout));
  return view;
}

function viewTensor(tensor: TensorShape, layout: TtnnLayout | undefined): ProgramTensor {
  const dataType = layout?.dataType ?? tensor.dataType;
  const isTiled = layout === undefined || isBlockFloat(dataType);
  const tile = layout?.tile ?? (isTiled ? DEFAULT_TILE : undefined);
  const extent = physicalExtent(tensor.shape, tile);
  const sharded = layout !== undefined && hasShards(layout);
  const { height, width } = tile ??
    { height: 1, width: Math.max(1, (sharded ? layout.shardShape.at(-1) : undefined) ?? extent[1]) };
  const pageBytes = tile === undefined ? elementBytes(dataType) * width : tileBytes(dataType, height, width);
  const pages = extent[0] / height * Math.ceil(extent[1] / width);
  return {
    shape: tensor.shape,
    dataType,
    placement: placementOf(layout),
    memoryLayout: layout?.memoryLayout,
    tiled: tile !== undefined,
    extent,
    tiles: Math.ceil(extent[0] * extent[1] / 1024),
    pageBytes,
    pages: Math.max(1, pages),
    bytes: pages * pageBytes,
    ...NO_SHARDS,
    ...sharded ? shardsOf(layout) : {},
  };
}

type Shards = Pick<ProgramTensor, "shardCores" | "shardBytes" | "shardShape" | "gridShape" | "coreRanges">;

const NO_SHARDS: Shards = { shardCores: 0, shardBytes: 0, shardShape: [], gridShape: [], coreRanges: [] };

function shardsOf(layout: TtnnLayout): Shards {
  const { shardShape, gridShape, coreRanges } = layout;
  const shards = gridVolume(layout);
  const shardCores = Math.min(shards, coreCount(coreRanges) || shards);
  return { shardCores, shardBytes: shardBytes(layout), shardShape, gridShape, coreRanges };
}

function placementOf(layout: TtnnLayout | undefined): TensorPlacement {
  if (layout === undefined) return "dram_interleaved";
  if (layout.bufferType === "system_memory") return "host";
  const memory = layout.bufferType === "dram" || layout.bufferType === "trace" ? "dram" : "l1";
  return `${memory}_${hasShards(layout) ? "sharded" : "interleaved"}`;
}

/** Whether two sharded tensors have their shards on the same cores or banks. */
export function sameShards(a: ProgramTensor, b: ProgramTensor): boolean {
  return isInShards(a) && a.placement === b.placement && a.memoryLayout === b.memoryLayout &&
    a.shardCores === b.shardCores && sameExtents(a.shardShape, b.shardShape) &&
    sameCoreRanges(a.coreRanges, b.coreRanges);
}

/** Whether a sharded tensor fills all of its shards (tt-metal `!is_uneven`). */
export function fillsShards({ extent, shardShape, tiled }: ProgramTensor): boolean {
  const unit = tiled ? 32 : 1;
  const [rows = 1, columns = 1] = [shardShape.at(-2), shardShape.at(-1)];
  return extent[0] % (rows * unit) === 0 && extent[1] % (columns * unit) === 0;
}

/** Bytes of a 32x32 tile of a tensor's format, also for tensors whose pages are rows. */
export function bytesPerTile({ dataType }: Pick<ProgramTensor, "dataType">): number {
  return tileBytes(dataType);
}

/** Bytes of one page of a circular buffer that streams a tensor: a tile, or a row (of the shard). */
export function circularBufferPage(tensor: ProgramTensor): number {
  return tensor.tiled ? bytesPerTile(tensor) : tensor.pageBytes;
}

/** Device memory of a tensor, or of the results of ops on a host tensor. */
export function deviceMemory(tensor: ProgramTensor): "dram" | "l1" {
  return memoryOf(tensor) === "l1" ? "l1" : "dram";
}

/** An interleaved tiled tensor, as an intermediate of ops with several programs. */
export function tiledTensor(
  shape: readonly number[],
  dataType: DataType,
  memory: "dram" | "l1",
): ProgramTensor {
  return interleavedTensor(shape, dataType, memory, DEFAULT_TILE);
}

/** An interleaved row-major tensor; block floats become bf16. */
export function rowMajorTensor(
  shape: readonly number[],
  dataType: DataType,
  memory: "dram" | "l1",
): ProgramTensor {
  return interleavedTensor(shape, isBlockFloat(dataType) ? "bf16" : dataType, memory, undefined);
}

/** The tensor, interleaved in a memory. */
export function interleavedCopy(
  { shape, dataType, tiled }: ProgramTensor,
  memory: "dram" | "l1",
): ProgramTensor {
  return interleavedTensor(shape, dataType, memory, tiled ? DEFAULT_TILE : undefined);
}

/** An interleaved tensor, tiled or row-major. */
export function interleavedTensor(
  shape: readonly number[],
  dataType: DataType,
  memory: "dram" | "l1",
  tile: TileShape | undefined,
): ProgramTensor {
  return programTensor({ shape, dataType }, interleavedMemory(memory, dataType, tile));
}

/** An interleaved memory for a format, tiled or row-major, for any tensor. */
export function interleavedMemory(
  bufferType: "dram" | "l1",
  dataType: DataType,
  tile: TileShape | undefined,
): TtnnLayout {
  return {
    bufferType,
    memoryLayout: "interleaved",
    dataType,
    tile,
    gridShape: [1, 1],
    shardShape: [1, 1],
    coreRanges: [],
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  };
}

/** A tensor of another shape in the same memory: pages, format and shards stay. */
export function withShape(tensor: ProgramTensor, shape: readonly number[]): ProgramTensor {
  return programTensor({ shape, dataType: tensor.dataType }, layoutOf(tensor));
}

/**
 * A tensor with other pages in the same memory. Shards keep their cores, and their elements up to padding; block
 * floats become bf16 in row-major pages.
 */
export function inPages(tensor: ProgramTensor, pages: "tile" | "row_major"): ProgramTensor {
  const layout = layoutOf(tensor);
  const tile = pages === "tile" ? DEFAULT_TILE : undefined;
  const [rows = 1, columns = 1] = tensor.shardShape;
  const [from, to] = [tensor.tiled ? 32 : 1, tile === undefined ? 1 : 32];
  return programTensor(tensor, {
    ...layout,
    dataType: tile === undefined && isBlockFloat(tensor.dataType) ? "bf16" : tensor.dataType,
    tile,
    shardShape: [Math.ceil(rows * from / to), Math.ceil(columns * from / to)],
  });
}

/** The layout of a device tensor's view. */
export function layoutOf(tensor: ProgramTensor): TtnnLayout {
  const { dataType, tiled, memoryLayout = "interleaved", gridShape, shardShape, coreRanges } = tensor;
  return {
    bufferType: deviceMemory(tensor),
    memoryLayout,
    dataType,
    tile: tiled ? DEFAULT_TILE : undefined,
    gridShape,
    shardShape,
    coreRanges,
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  };
}

/** A tensor in another format, in the same memory. */
export function withFormat(tensor: ProgramTensor, dataType: DataType): ProgramTensor {
  return programTensor({ shape: tensor.shape, dataType }, { ...layoutOf(tensor), dataType });
}

export function inDram(tensor: ProgramTensor): boolean {
  return tensor.placement === "dram_interleaved" || tensor.placement === "dram_sharded";
}

/** Whether a tensor's pages are spread over all banks of its memory. */
export function isInterleaved(tensor: ProgramTensor): boolean {
  return tensor.placement === "dram_interleaved" || tensor.placement === "l1_interleaved";
}

/** Whether an operand or result is a tensor. */
export function isPresent(tensor: ProgramTensor | undefined): tensor is ProgramTensor {
  return tensor !== undefined;
}

/**
 * A tensor as seen by a program that reads by address: pages of a memory, regardless of the cores that hold
 * them.
 */
export function byAddress(tensor: ProgramTensor): ProgramTensor {
  if (!isInShards(tensor)) return tensor;
  return { ...tensor, memoryLayout: undefined, ...NO_SHARDS };
}

/**
 * Bytes per bank that the allocator reserves for a tensor in L1 or DRAM: the pages of whole shards if sharded, even if
 * partly filled; of the fullest bank if interleaved. Pages are padded to the memory's alignment
 * (`ttnn:backend-0-81-1`).
 */
export function bytesPerBank(tensor: ProgramTensor, chip: ChipDescription): number {
  const { shardShape, gridShape, shardCores, tiled, pages, pageBytes } = tensor;
  const banks = memoryOf(tensor) === "l1" ? workerCores(chip) : chip.dramBanks;
  const perBank = isInShards(tensor)
    ? Math.ceil(volume(gridShape) / shardCores) * volume(tiled ? shardShape : shardShape.slice(0, -1))
    : Math.ceil(pages / banks);
  return perBank * roundUp(pageBytes, alignmentOf(tensor, chip));
}

/** Memory that holds a tensor. */
export function memoryOf({ placement }: ProgramTensor): "host" | "dram" | "l1" {
  if (placement === "host") return "host";
  return placement === "dram_interleaved" || placement === "dram_sharded" ? "dram" : "l1";
}

/** Alignment of a tensor's memory, bytes. */
export function alignmentOf(tensor: ProgramTensor, chip: ChipDescription): number {
  return memoryOf(tensor) === "l1" ? chip.l1Alignment : chip.dramAlignment;
}

/** Whether a tensor is sharded, in L1 or over DRAM banks. */
export function isInShards({ placement }: ProgramTensor): boolean {
  return placement === "l1_sharded" || placement === "dram_sharded";
}
