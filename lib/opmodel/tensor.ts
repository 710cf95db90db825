// SPDX-License-Identifier: Apache-2.0
import { coreCount } from "../layout/core_range.ts";
import { elementBytes, tileBytes } from "../layout/data_type.ts";
import { volume } from "../layout/extents.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { physicalExtent, roundUp } from "../layout/make_layout.ts";
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { bytesPerBank, type ProgramTensor, programTensor } from "../programs/program_tensor.ts";
import type { ShapedLayout } from "../programs/shard_spec.ts";

/** A tensor operand or result as a rule sees it: logical shape plus concrete layout. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly layout: TtnnLayout;
  readonly layoutId: LayoutId;
}

/** Number of cores whose banks hold a tensor's L1 buffer: shard cores, or every bank when interleaved. */
export function holdingCores(layout: TtnnLayout, chip: ChipDescription): number {
  if (!isSharded(layout)) return workerCores(chip);
  const cores = coreCount(layout.coreRanges);
  return cores > 0 ? cores : volume(layout.gridShape);
}

/** Pages of a tensor and bytes of one page (tt-metal:tensor-layout): a tile, a row, or a shard row. */
function pages(shape: readonly number[], layout: TtnnLayout): { count: number; bytes: number } {
  if (layout.tile !== undefined) {
    const { height, width } = layout.tile;
    const [rows, columns] = physicalExtent(shape, layout.tile);
    return {
      count: Math.ceil(rows / height) * Math.ceil(columns / width),
      bytes: tileBytes(layout.dataType, height, width),
    };
  }
  const [rows, columns] = physicalExtent(shape, undefined);
  const element = elementBytes(layout.dataType);
  if (!isSharded(layout)) return { count: rows, bytes: columns * element };
  const shardWidth = layout.shardShape.at(-1) ?? columns;
  return { count: rows * Math.ceil(columns / Math.max(1, shardWidth)), bytes: shardWidth * element };
}

/**
 * L1 bytes per core as the backend's graph trace reports them (tt-metal:graph-trace):
 * `ceil(pages / cores) × aligned page`; 0 for tensors that are not in L1.
 */
export function reportedL1Bytes({ shape, layout }: ShapedLayout, chip: ChipDescription): number {
  if (layout.bufferType !== "l1" && layout.bufferType !== "l1_small") return 0;
  const page = pages(shape, layout);
  return Math.ceil(page.count / holdingCores(layout, chip)) * roundUp(page.bytes, chip.l1Alignment);
}

/** Bytes per bank that the allocator reserves, in L1 or DRAM; as {@linkcode bytesPerBank}. */
export function allocatedBytesPerBank(tensor: ShapedLayout, chip: ChipDescription): number {
  return bytesPerBank(asProgramTensor(tensor), chip);
}

/** The tensor as device programs see it. */
export function asProgramTensor({ shape, layout }: ShapedLayout): ProgramTensor {
  return programTensor({ shape, dataType: layout.dataType }, layout);
}
