// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TtnnLayout } from "./ttnn_layout.ts";

/**
 * Short spelling of a layout for tables and overrides: `l1/height_sharded/8x1`, `dram/interleaved`,
 * `system_memory`; row-major pages add `/row_major`. A hint whose shards may lie on any grid has `any` in its place.
 *
 * @example
 * ```ts
 * import { describeLayout, makeLayout } from "@tilewright/tilewright/layout";
 * import { assertEquals } from "@std/assert";
 *
 * const request = { shape: [256, 64], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" } as const;
 * assertEquals(describeLayout(makeLayout(request, { rows: 8, columns: 8 })), "dram/interleaved");
 * ```
 */
export function describeLayout(layout: TtnnLayout): string {
  const parts: string[] = [layout.bufferType];
  if (layout.memoryLayout !== undefined) parts.push(layout.memoryLayout);
  if (isSharded(layout)) parts.push(layout.ignorePhysicalLayout ? "any" : layout.gridShape.join("x"));
  if (layout.tile === undefined) parts.push("row_major");
  return parts.join("/");
}

/** As {@linkcode describeLayout}, or a placeholder if there is no layout. */
export function describeLayoutOr(layout: TtnnLayout | undefined, absent: string): string {
  return layout === undefined ? absent : describeLayout(layout);
}

/** Memory and distribution of a tensor, for colours and legends. */
const LAYOUT_PLACES = [
  "dram",
  "l1_interleaved",
  "l1_height_sharded",
  "l1_width_sharded",
  "l1_block_sharded",
  "dram_sharded",
  "other",
] as const;

export type LayoutPlace = (typeof LAYOUT_PLACES)[number];

/** The place of a layout; `other` for the host, a reserved region, other shardings of L1 (`nd_sharded`) and no layout. */
export function layoutPlace(layout: TtnnLayout | undefined): LayoutPlace {
  const memoryLayout = layout?.memoryLayout ?? "interleaved";
  if (layout?.bufferType === "dram") return memoryLayout === "interleaved" ? "dram" : "dram_sharded";
  if (layout?.bufferType !== "l1") return "other";
  const name = `l1_${memoryLayout}`;
  return LAYOUT_PLACES.find((place) => place === name) ?? "other";
}
