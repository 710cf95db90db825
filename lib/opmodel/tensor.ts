// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { roundUp } from "../layout/make_layout.ts";
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { bytesPerBank, type ProgramTensor, programTensor } from "../programs/program_tensor.ts";
import { type ShapedLayout, shardCores } from "../programs/shard_spec.ts";

/** A tensor operand or result as a rule sees it: logical shape plus concrete layout. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly layout: TtnnLayout;
  readonly layoutId: LayoutId;
}

/** Number of cores whose banks hold a tensor's L1 buffer: shard cores, or every bank when interleaved. */
export function holdingCores(layout: TtnnLayout, chip: ChipDescription): number {
  return isSharded(layout) ? shardCores(layout).count : workerCores(chip);
}

/**
 * L1 bytes per core as the backend's graph trace reports them (tt-metal:graph-trace):
 * `ceil(pages / cores) × aligned page`; 0 for tensors that are not in L1 or have no elements.
 */
export function reportedL1Bytes(tensor: ShapedLayout, chip: ChipDescription): number {
  const { layout } = tensor;
  if (layout.bufferType !== "l1" && layout.bufferType !== "l1_small") return 0;
  const { pages, pageBytes, bytes } = asProgramTensor(tensor);
  if (bytes === 0) return 0;
  return Math.ceil(pages / holdingCores(layout, chip)) * roundUp(pageBytes, chip.l1Alignment);
}

/** Bytes per bank that the allocator reserves, in L1 or DRAM; as {@linkcode bytesPerBank}. */
export function allocatedBytesPerBank(tensor: ShapedLayout, chip: ChipDescription): number {
  return bytesPerBank(asProgramTensor(tensor), chip);
}

/** The tensor as device programs see it. */
export function asProgramTensor({ shape, layout }: ShapedLayout): ProgramTensor {
  return programTensor({ shape, dataType: layout.dataType }, layout);
}
