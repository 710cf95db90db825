// SPDX-License-Identifier: Apache-2.0
import { canonicalLayout, layoutsEqual } from "../layout_table.ts";
import { isSharded, type TtnnLayout } from "../ttnn_layout.ts";

/**
 * The kind of data movement between two layouts of a tensor, named after tt-metal's device operations:
 *
 * - `none`: no page changes its node or its kind;
 * - `to_device`, `from_device`: one side is system memory; `host`: both are;
 * - `copy`: interleaved to interleaved (DRAM ⇄ L1, or other pages in the same memory);
 * - `interleaved_to_sharded`, `sharded_to_interleaved`;
 * - `reshard`: sharded to sharded.
 */
export type DataMovement =
  | "none"
  | "host"
  | "to_device"
  | "from_device"
  | "copy"
  | "interleaved_to_sharded"
  | "sharded_to_interleaved"
  | "reshard";

/** The page conversion on the way: none, row-major to tiles, tiles to row-major, or other tiles. */
export type PageConversion = "none" | "tilize" | "untilize" | "retile";

/** Class of a layout change; enough to choose a kernel model. */
export interface ReshardClass {
  /** The data movement. */
  readonly movement: DataMovement;
  /** The page conversion. */
  readonly pages: PageConversion;
  /** Whether the data type changes. */
  readonly typecast: boolean;
}

/** Classifies a layout change of one tensor without looking at its shape; see `reshardTransfers` for an example. */
export function reshardClass(from: TtnnLayout, to: TtnnLayout): ReshardClass {
  return {
    movement: dataMovement(from, to),
    pages: pageConversion(from, to),
    typecast: from.dataType !== to.dataType,
  };
}

function dataMovement(from: TtnnLayout, to: TtnnLayout): DataMovement {
  const fromHost = from.bufferType === "system_memory";
  const toHost = to.bufferType === "system_memory";
  if (fromHost || toHost) return fromHost ? (toHost ? "host" : "to_device") : "from_device";
  if (samePlaces(from, to)) return "none";
  if (isSharded(from)) return isSharded(to) ? "reshard" : "sharded_to_interleaved";
  return isSharded(to) ? "interleaved_to_sharded" : "copy";
}

/** Whether both place every page on the same node, for any element formats. */
function samePlaces(from: TtnnLayout, to: TtnnLayout): boolean {
  if (pageConversion(from, to) !== "none") return false;
  if (!isSharded(from) && !isSharded(to)) return from.bufferType === to.bufferType;
  return layoutsEqual(
    canonicalLayout({ ...from, dataType: to.dataType, ignorePhysicalLayout: false }),
    canonicalLayout({ ...to, ignorePhysicalLayout: false }),
  );
}

function pageConversion(from: TtnnLayout, to: TtnnLayout): PageConversion {
  if (from.tile === undefined) return to.tile === undefined ? "none" : "tilize";
  if (to.tile === undefined) return "untilize";
  return from.tile.height === to.tile.height && from.tile.width === to.tile.width ? "none" : "retile";
}
