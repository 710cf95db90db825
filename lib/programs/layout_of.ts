// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_TILE, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { isInterleaved, memoryOf, type ProgramTensor } from "./program_tensor.ts";

/** The layout of a tensor on the device, as far as programs see it. */
export function layoutOf(tensor: ProgramTensor): TtnnLayout {
  return {
    bufferType: memoryOf(tensor) === "l1" ? "l1" : "dram",
    memoryLayout: isInterleaved(tensor) ? "interleaved" : tensor.memoryLayout ?? "height_sharded",
    dataType: tensor.dataType,
    tile: tensor.tiled ? DEFAULT_TILE : undefined,
    gridShape: tensor.gridShape,
    shardShape: tensor.shardShape,
    coreRanges: tensor.coreRanges,
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  };
}
