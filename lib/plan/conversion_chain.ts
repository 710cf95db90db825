// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../ops/op_signature.ts";
import type { MemoryOp } from "../dialect/memory_op_properties.ts";
import { layoutsEqual } from "../layout/layout_table.ts";
import { type DataType, elementBytes, isBlockFloat } from "../layout/data_type.ts";
import { makeInterleaved, makeLayout, physicalUnits, type WorkerGrid } from "../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, sameShardGrid, type TtnnLayout } from "../layout/ttnn_layout.ts";

/** The facts about a chip that conversions depend on. */
export interface ConvertingChip {
  readonly workerGrid: WorkerGrid;
  /** Alignment of rows in L1, in bytes. */
  readonly l1Alignment: number;
}

/** One op of a conversion and the layout that it produces. */
export interface ConversionStep {
  readonly op: MemoryOp;
  readonly layout: TtnnLayout;
}

/**
 * The ops that convert one layout of a tensor to another. As upstream's verifier requires, `to_layout` changes pages
 * and format, `typecast` the format, `to_memory_config` the memory and the shards; `to_device` and `from_device` move
 * the tensor between host and device (tt-mlir:ir-generations, tt-mlir:ttmlir-opt). Pages change in interleaved
 * memory, on the host, or within shards of whole tiles ({@linkcode otherPages}). Untilizing keeps the format, except
 * bfp8 to bf16 (`ttnn:backend-0-81-1`).
 *
 * @returns the steps in order; empty if the layouts are equal
 */
export function conversionChain(
  tensor: TensorShape,
  from: TtnnLayout,
  to: TtnnLayout,
  chip: ConvertingChip,
): readonly ConversionStep[] {
  if (layoutsEqual(from, to)) return [];
  const converted: ConvertedTensor = { tensor, from, to, chip };
  if (from.bufferType === "system_memory" || to.bufferType === "system_memory") return hostChain(converted);
  const isRetiled = !sameTile(from, to);
  if (!isRetiled && from.dataType === to.dataType) return [{ op: "ttnn.to_memory_config", layout: to }];
  if (isRetiled ? isRetiledInPlace(converted) : isCastInPlace(converted)) {
    return [{ op: isRetiled ? "ttnn.to_layout" : "ttnn.typecast", layout: to }];
  }
  return interleavedChain(converted);
}

/** A tensor that goes from one layout to another. */
interface ConvertedTensor {
  readonly tensor: TensorShape;
  readonly from: TtnnLayout;
  readonly to: TtnnLayout;
  readonly chip: ConvertingChip;
}

/**
 * Changes pages and format in interleaved memory: that of `from` if interleaved, else that of `to` if interleaved, else
 * DRAM.
 */
function interleavedChain(
  { tensor: { shape }, from, to, chip: { workerGrid } }: ConvertedTensor,
): readonly ConversionStep[] {
  const through = [from, to].find((layout) => !isSharded(layout))?.bufferType ?? "dram";
  const steps: ConversionStep[] = [];
  let current = from;
  const step = (op: MemoryOp, layout: TtnnLayout): void => {
    if (layoutsEqual(current, layout)) return;
    steps.push({ op, layout });
    current = layout;
  };
  const interleaved = ({ tile }: TtnnLayout, dataType: DataType): TtnnLayout =>
    makeInterleaved(through, { shape, dataType, tile }, workerGrid);
  if (isSharded(from)) step("ttnn.to_memory_config", interleaved(from, from.dataType));
  if (sameTile(from, to)) {
    step("ttnn.typecast", interleaved(to, to.dataType));
  } else if (keepsFormat(from, to)) {
    step("ttnn.to_layout", interleaved(to, to.dataType));
  } else {
    // The format changes in tiled layout.
    if (to.tile === undefined) step("ttnn.typecast", interleaved(from, to.dataType));
    step("ttnn.to_layout", interleaved(to, current.dataType));
    step("ttnn.typecast", interleaved(to, to.dataType));
  }
  step("ttnn.to_memory_config", to);
  return steps;
}

const FLOATS: ReadonlySet<DataType> = new Set<DataType>(["f32", "bf16", "bfp_bf8", "bfp_bf4"]);

/**
 * Whether one `to_layout` yields the format of `to`, which need not be that of `from`. Tilizing converts between f32, bf16, bfp8 and bfp4; untilizing
 * keeps the format, except bfp8 to bf16.
 */
function keepsFormat(from: TtnnLayout, to: TtnnLayout): boolean {
  if (from.dataType === to.dataType) return true;
  return to.tile === undefined
    ? from.dataType === "bfp_bf8" && to.dataType === "bf16"
    : FLOATS.has(from.dataType) && FLOATS.has(to.dataType);
}

function isRetiledInPlace({ tensor, from, to, chip }: ConvertedTensor): boolean {
  if (!sameMemory(from, to) || !keepsFormat(from, to)) return false;
  if (!isSharded(from)) return true;
  const there = otherPages(tensor, from, chip.workerGrid);
  return there !== undefined && layoutsEqual(there, to);
}

/** Whether one `typecast` suffices: equal memory, and rows of row-major shards are aligned. */
function isCastInPlace({ from, to, chip }: ConvertedTensor): boolean {
  const isAligned = from.tile !== undefined || !isSharded(from) ||
    (from.shardShape[1] ?? 1) * elementBytes(from.dataType) % chip.l1Alignment === 0;
  return sameMemory(from, to) && isAligned;
}

/**
 * The same memory layout with the other kind of pages (row-major for tiles, 32x32 tiles for row-major). `undefined` for
 * block formats, `ignorePhysicalLayout` and system memory. Shards change pages only in L1, on a grid of two dimensions,
 * if the last two tensor dimensions and the shard are whole tiles (`ttnn:backend-0-81-1`) and the shard is
 * ⌈extent / grid⌉; otherwise `undefined`.
 */
export function otherPages(
  { shape }: TensorShape,
  layout: TtnnLayout,
  workerGrid: WorkerGrid,
): TtnnLayout | undefined {
  const { dataType, bufferType, memoryLayout, gridShape, shardShape, ignorePhysicalLayout } = layout;
  if (ignorePhysicalLayout || isBlockFloat(dataType)) return undefined;
  const tile = layout.tile === undefined ? DEFAULT_TILE : undefined;
  if (memoryLayout === "interleaved") {
    return makeLayout({ shape, dataType, tile: tile ?? null, bufferType, memoryLayout }, workerGrid);
  }
  const extent = physicalUnits(shape, undefined);
  const isPadded = shape.length < 2 || shape.slice(-2).some((side) => side % 32 !== 0);
  if (bufferType !== "l1" || gridShape.length !== 2 || isPadded) return undefined;
  const elements = layout.tile === undefined ? shardShape : shardShape.map((tiles) => 32 * tiles);
  const isWhole = elements.every((side) => side % 32 === 0);
  // A layout attribute states shard = ⌈extent / grid⌉: shards of 96 rows for 320 rows on 4 cores cannot be
  // written.
  const isWritten = elements.every((side, axis) =>
    side === Math.ceil((extent[axis] ?? 1) / (gridShape[axis] ?? 1))
  );
  if (!isWhole || !isWritten) return undefined;
  return { ...layout, tile, shardShape: tile === undefined ? elements : elements.map((side) => side / 32) };
}

/** The op of a conversion of one op; `ttnn.to_memory_config` for none or several. */
export function conversionOp(
  tensor: TensorShape,
  from: TtnnLayout,
  to: TtnnLayout,
  chip: ConvertingChip,
): MemoryOp {
  const [first, ...more] = conversionChain(tensor, from, to, chip);
  return first === undefined || more.length > 0 ? "ttnn.to_memory_config" : first.op;
}

/**
 * Conversions from or to system memory. From host to host, one op changes pages and format on the host. Otherwise they
 * change on the device, from or to interleaved DRAM: `to_device` is the first op, `from_device` the last.
 */
function hostChain({ tensor, from, to, chip }: ConvertedTensor): readonly ConversionStep[] {
  const inDram = ({ dataType, tile }: TtnnLayout): TtnnLayout =>
    makeInterleaved("dram", { shape: tensor.shape, dataType, tile }, chip.workerGrid);
  if (from.bufferType === "system_memory" && to.bufferType === "system_memory") {
    return [{ op: sameTile(from, to) ? "ttnn.typecast" : "ttnn.to_layout", layout: to }];
  }
  if (from.bufferType === "system_memory") {
    const arrived = inDram(from);
    return [{ op: "ttnn.to_device", layout: arrived }, ...conversionChain(tensor, arrived, to, chip)];
  }
  const leaving = inDram(to);
  return [...conversionChain(tensor, from, leaving, chip), { op: "ttnn.from_device", layout: to }];
}

function sameTile(a: TtnnLayout, b: TtnnLayout): boolean {
  return a.tile?.height === b.tile?.height && a.tile?.width === b.tile?.width;
}

/** Whether buffer type, memory layout, grid and cores are equal; ignores pages and format. */
function sameMemory(a: TtnnLayout, b: TtnnLayout): boolean {
  return a.bufferType === b.bufferType && sameShardGrid(a, b);
}
