// SPDX-License-Identifier: Apache-2.0
import { boundingBox, coreCount, coreRangeVolume } from "../layout/core_range.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { InputFilter } from "./rule.ts";

/** Whether a filter lets a layout through (tt-mlir:op-rules). */
export function acceptsLayout(filter: InputFilter, layout: TtnnLayout): boolean {
  switch (filter) {
    case "any":
      return true;
    case "not_sharded":
      return !isSharded(layout);
    case "not_width_sharded":
      return layout.memoryLayout !== "width_sharded";
    case "dram_interleaved":
      return isDramInterleaved(layout);
    case "not_l1_interleaved":
      return isSharded(layout) || layout.bufferType === "dram";
    case "not_height_sharded":
      return layout.memoryLayout !== "height_sharded";
    case "interleaved_or_height_sharded":
      return !isSharded(layout) || layout.memoryLayout === "height_sharded";
    case "row_major":
      return layout.tile === undefined;
    case "tile":
      return layout.tile !== undefined;
    case "tile_dram_interleaved":
      return layout.tile !== undefined && isDramInterleaved(layout);
    case "tile_not_sharded":
      return layout.tile !== undefined && !isSharded(layout);
    case "interleaved_or_full_box":
      if (!isSharded(layout)) return true;
      return layout.memoryLayout !== "height_sharded" && fillsBoundingBox(layout);
  }
}

/** Whether a layout's cores fill their bounding box. */
function fillsBoundingBox({ coreRanges }: TtnnLayout): boolean {
  const box = boundingBox(coreRanges);
  return box !== undefined && coreCount(coreRanges) === coreRangeVolume(box);
}

function isDramInterleaved(layout: TtnnLayout): boolean {
  return layout.bufferType === "dram" && !isSharded(layout);
}
