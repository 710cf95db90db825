// SPDX-License-Identifier: Apache-2.0
import { checkCoreRanges, coreCount } from "./core_range.ts";
import { checkGrid, formatExtents, LayoutError } from "./layout_error.ts";
import { checkPages } from "./tile_shape.ts";
import {
  type BufferType,
  gridVolume,
  isSharded,
  type TensorMemoryLayout,
  type TtnnLayout,
} from "./ttnn_layout.ts";

/**
 * Refuses layouts that no tensor can have: the rules of the `ttnn_layout` verifier
 * (tt-mlir:layout-attribute).
 *
 * @example
 * ```ts
 * import { LayoutError, makeLayout, verifyLayout } from "@tilewright/tilewright/layout";
 * import { assertThrows } from "@std/assert";
 *
 * const request = { shape: [256, 64], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" } as const;
 * const layout = makeLayout(request, { rows: 8, columns: 8 });
 * verifyLayout(layout);
 * assertThrows(() => verifyLayout({ ...layout, bufferType: "system_memory" }), LayoutError);
 * ```
 *
 * @throws {LayoutError} for the first broken rule; `rule` names it
 */
export function verifyLayout(layout: TtnnLayout): void {
  const { bufferType, memoryLayout, gridShape } = layout;
  checkGrid(gridShape);
  checkPages(layout.tile, layout.dataType);
  checkMemoryLayout(bufferType, memoryLayout);
  const wholeTensor = bufferType === "system_memory" ||
    (bufferType === "dram" && memoryLayout === "interleaved");
  if (wholeTensor && gridVolume(layout) !== 1) {
    throw new LayoutError(
      "grid/one-by-one",
      `Cannot use the grid ${formatExtents(gridShape)}: ` +
        `${bufferType === "dram" ? "interleaved DRAM" : "system memory"} has the grid 1x1`,
    );
  }
  verifyCoreRanges(layout);
}

/**
 * Refuses memories that cannot distribute a tensor as requested.
 *
 * @throws {LayoutError} `memory-layout/on-system-memory`, `memory-layout/required` or
 * `memory-layout/dram-block-sharded`
 */
export function checkMemoryLayout(
  bufferType: BufferType,
  memoryLayout: TensorMemoryLayout | undefined,
): void {
  if (bufferType === "system_memory" && memoryLayout !== undefined) {
    throw new LayoutError(
      "memory-layout/on-system-memory",
      `Cannot use a ${memoryLayout} layout in system memory: host tensors have no memory layout`,
    );
  }
  if (bufferType !== "system_memory" && memoryLayout === undefined) {
    throw new LayoutError(
      "memory-layout/required",
      `Cannot use a layout in ${bufferType} without a memory layout: device tensors need one`,
    );
  }
  if (bufferType === "dram" && memoryLayout === "block_sharded") {
    throw new LayoutError(
      "memory-layout/dram-block-sharded",
      "Cannot use block shards in DRAM: banks form a line, use height or width sharding",
    );
  }
}

function verifyCoreRanges(layout: TtnnLayout): void {
  if (!isSharded(layout)) {
    if (layout.coreRanges.length === 0) return;
    throw new LayoutError(
      "core-ranges/unexpected",
      `Cannot use core ranges on a layout that is ${
        layout.memoryLayout ?? "in system memory"
      }: nothing is sharded`,
    );
  }
  if (layout.coreRanges.length === 0) {
    if (layout.ignorePhysicalLayout) return;
    throw new LayoutError(
      "core-ranges/required",
      `Cannot use a ${layout.memoryLayout} layout without core ranges: shards need cores`,
    );
  }
  checkCoreRanges(layout.coreRanges);
  const cores = coreCount(layout.coreRanges);
  const shards = gridVolume(layout);
  if (layout.memoryLayout === "nd_sharded" ? cores > shards : cores !== shards) {
    throw new LayoutError(
      "core-ranges/shard-count",
      `Cannot put ${shards} shards on ${cores} cores: ` +
        (layout.memoryLayout === "nd_sharded" ? "some cores would have none" : "each core takes one shard"),
    );
  }
}
