// SPDX-License-Identifier: Apache-2.0

/**
 * TTNN layouts: make, describe and check one, where its elements lie, and what a change of layout moves.
 *
 * @module
 */

export * from "../lib/layout/data_type.ts";
export * from "../lib/layout/ttnn_layout.ts";
export { LayoutError, type LayoutRule } from "../lib/layout/layout_error.ts";
export {
  type LayoutRequest,
  makeLayout,
  shardBytes,
  shardedExtents,
  type WorkerGrid,
} from "../lib/layout/make_layout.ts";
export {
  type LayoutId,
  type LayoutIds,
  layoutKey,
  layoutsEqual,
  LayoutTable,
} from "../lib/layout/layout_table.ts";
export { describeLayout } from "../lib/layout/describe.ts";
export { verifyLayout } from "../lib/layout/verify_layout.ts";
export {
  type CoreCoord,
  coreCount,
  type CoreRange,
  coreRangesOverlap,
  coreRangeVolume,
  formatCoreRange,
  walkCores,
} from "../lib/layout/core_range.ts";
export {
  type AlignedChip,
  type LayoutFootprint,
  layoutFootprint,
} from "../lib/layout/ttnn/layout_footprint.ts";
export { type TtnnGeometry, ttnnGeometry } from "../lib/layout/ttnn/ttnn_geometry.ts";
export {
  type ElementPlace,
  type PhysicalPlace,
  type TtnnCoordinates,
  ttnnCoordinates,
} from "../lib/layout/ttnn/ttnn_coordinates.ts";
export { type FacePosition, isSupportedTile, SUPPORTED_TILES } from "../lib/layout/tile_shape.ts";

export * from "../lib/layout/ttnn/nodes.ts";
export * from "../lib/layout/ttnn/placement.ts";
export * from "../lib/layout/ttnn/reshard_class.ts";
export * from "../lib/layout/ttnn/reshard_transfers.ts";
