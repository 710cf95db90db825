// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../ops/op_signature.ts";
import type { MemoryOp } from "../dialect/memory_op_properties.ts";
import { layoutsEqual } from "../layout/layout_table.ts";
import { makeLayout, shardRows, type WorkerGrid } from "../layout/make_layout.ts";
import { isSharded, sameShardGrid, type TtnnLayout } from "../layout/ttnn_layout.ts";

/** One op of a conversion and the layout that it produces. */
export interface ConversionStep {
  readonly op: MemoryOp;
  readonly layout: TtnnLayout;
}

/**
 * The ops that turn one layout of a tensor into another. Each op changes one thing, as upstream's verifier
 * requires: `to_layout` pages and format, `typecast` the format of tiles, `to_memory_config` the memory,
 * `to_device` and `from_device` the placement (tt-mlir:ir-generations, tt-mlir:ttmlir-opt). Pages are changed
 * in interleaved memory, or within height shards of the same rows (tt-metal:tilize-untilize).
 *
 * @returns the steps in order; empty if the layouts are equal
 */
export function conversionChain(
  tensor: TensorShape,
  from: TtnnLayout,
  to: TtnnLayout,
  workerGrid: WorkerGrid,
): readonly ConversionStep[] {
  if (layoutsEqual(from, to)) return [];
  if (from.bufferType === "system_memory" || to.bufferType === "system_memory") {
    return hostChain(tensor, from, to, workerGrid);
  }
  const samePages = sameTile(from, to);
  if (samePages && from.dataType === to.dataType) return [{ op: "ttnn.to_memory_config", layout: to }];
  const change = samePages ? "ttnn.typecast" : "ttnn.to_layout";
  const inPlace = samePages || !isSharded(from) || holdSameRows(from, to);
  if (sameMemory(from, to) && inPlace) return [{ op: change, layout: to }];
  const interleaved = (pages: TtnnLayout, memory: TtnnLayout): TtnnLayout =>
    makeLayout({
      shape: tensor.shape,
      dataType: pages.dataType,
      tile: pages.tile ?? null,
      bufferType: memory.bufferType,
      memoryLayout: "interleaved",
    }, workerGrid);
  const steps: ConversionStep[] = [];
  let current = from;
  const step = (op: MemoryOp, layout: TtnnLayout): void => {
    if (layoutsEqual(current, layout)) return;
    steps.push({ op, layout });
    current = layout;
  };
  if (isSharded(from)) {
    const target = isSharded(to) ? { ...to, bufferType: "dram" as const } : to;
    step("ttnn.to_memory_config", interleaved(from, target));
  }
  step(change, interleaved(to, current));
  step("ttnn.to_memory_config", to);
  return steps;
}

/** The op of a conversion that takes one op; a reshard if it takes several, as there is no single op for it. */
export function conversionOp(
  tensor: TensorShape,
  from: TtnnLayout,
  to: TtnnLayout,
  workerGrid: WorkerGrid,
): MemoryOp {
  const [first, ...more] = conversionChain(tensor, from, to, workerGrid);
  return first === undefined || more.length > 0 ? "ttnn.to_memory_config" : first.op;
}

/** Pages and format change on the device, so tensors on the host are moved to it first, or back last. */
function hostChain(
  tensor: TensorShape,
  from: TtnnLayout,
  to: TtnnLayout,
  workerGrid: WorkerGrid,
): readonly ConversionStep[] {
  const inDram = (layout: TtnnLayout): TtnnLayout =>
    makeLayout({
      shape: tensor.shape,
      dataType: layout.dataType,
      tile: layout.tile ?? null,
      bufferType: "dram",
      memoryLayout: "interleaved",
    }, workerGrid);
  if (from.bufferType === "system_memory" && to.bufferType === "system_memory") {
    return [{ op: sameTile(from, to) ? "ttnn.typecast" : "ttnn.to_layout", layout: to }];
  }
  if (from.bufferType === "system_memory") {
    const arrived = inDram(from);
    return [{ op: "ttnn.to_device", layout: arrived }, ...conversionChain(tensor, arrived, to, workerGrid)];
  }
  const leaving = inDram(to);
  return [...conversionChain(tensor, from, leaving, workerGrid), { op: "ttnn.from_device", layout: to }];
}

function sameTile(a: TtnnLayout, b: TtnnLayout): boolean {
  return a.tile?.height === b.tile?.height && a.tile?.width === b.tile?.width;
}

/**
 * Whether the shards of two height sharded layouts of one format, one tiled and one row-major, hold the same
 * rows.
 */
function holdSameRows(a: TtnnLayout, b: TtnnLayout): boolean {
  if (a.memoryLayout !== "height_sharded" || b.memoryLayout !== "height_sharded") return false;
  return a.bufferType === "l1" && b.bufferType === "l1" && a.dataType === b.dataType &&
    shardRows(a) === shardRows(b);
}

/** Whether two layouts distribute pages over the same memory in the same way, whatever the pages are. */
function sameMemory(a: TtnnLayout, b: TtnnLayout): boolean {
  return a.bufferType === b.bufferType && sameShardGrid(a, b);
}
