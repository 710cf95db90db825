// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { LayoutError } from "../layout/layout_error.ts";
import { layoutFootprint } from "../layout/layout_footprint.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { layoutFault } from "./layout_checks.ts";
import { shardMisfit } from "../programs/shard_spec.ts";

/**
 * Why no tensor of a shape can have a layout on a chip: tt-mlir's `isLayoutLegalForTensorShape`, which makes the
 * tensor's spec, looks whether its cores lie in the worker grid, and sizes pages and buffers (tt-mlir:op-model).
 *
 * @returns `undefined` when one can
 */
export function layoutMisfit(
  shape: readonly number[],
  layout: TtnnLayout,
  chip: ChipDescription,
): string | undefined {
  const fault = layoutFault(layout, chip);
  if (fault !== undefined) return `the layout ${fault.message}`;
  if (layout.ignorePhysicalLayout || layout.bufferType === "system_memory") return undefined;
  const misfit = isSharded(layout) ? shardMisfit(layout, shape, layout.tile) : undefined;
  if (misfit !== undefined) return misfit;
  try {
    layoutFootprint(shape, layout, chip);
    return undefined;
  } catch (error) {
    if (error instanceof LayoutError) return error.message;
    throw error;
  }
}
