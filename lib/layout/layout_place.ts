// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "./ttnn_layout.ts";

/** Where and how a tensor is stored, for colours and legends. */
const LAYOUT_PLACES = [
  "dram",
  "l1_interleaved",
  "l1_height_sharded",
  "l1_width_sharded",
  "l1_block_sharded",
  "dram_sharded",
  "other",
] as const;

/** One of {@linkcode LAYOUT_PLACES}. */
export type LayoutPlace = (typeof LAYOUT_PLACES)[number];

/** The place of a layout; `other` for the host, a reserved region or an unknown place. */
export function layoutPlace(layout: TtnnLayout | undefined): LayoutPlace {
  const memoryLayout = layout?.memoryLayout ?? "interleaved";
  if (layout?.bufferType === "dram") return memoryLayout === "interleaved" ? "dram" : "dram_sharded";
  if (layout?.bufferType !== "l1") return "other";
  const name = `l1_${memoryLayout}`;
  return LAYOUT_PLACES.find((place) => place === name) ?? "other";
}
