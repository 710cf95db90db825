// SPDX-License-Identifier: Apache-2.0
import { bytesPerElement, elementBytes, tileBytes } from "../data_type.ts";
import { volume } from "../extents.ts";
import { physicalExtent, roundUp } from "../make_layout.ts";
import type { ChipNodes } from "./nodes.ts";
import { isDramBuffer, type TtnnLayout } from "../ttnn_layout.ts";
import { ttnnCoordinates } from "./ttnn_coordinates.ts";

/** A chip with the address alignments of its memories, in bytes. */
export interface AlignedChip extends ChipNodes {
  /** Alignment of addresses in L1. */
  readonly l1Alignment: number;
  /** Alignment of addresses in DRAM. */
  readonly dramAlignment: number;
}

/** Memory of a tensor. All figures in bytes unless named otherwise. */
export interface LayoutFootprint {
  /** A tile, or one row (of the tensor when interleaved, of the shard when sharded). */
  readonly pageBytes: number;
  /** The page as the allocator spaces it, rounded up to the alignment of the memory. */
  readonly alignedPageBytes: number;
  /** Pages of the tensor; of all its shards when sharded, empty ones included. */
  readonly pages: number;
  /** Cores or banks that reserve memory, all the same amount. */
  readonly nodes: number;
  /** Pages that each of them reserves. */
  readonly pagesPerNode: number;
  /** `pagesPerNode × alignedPageBytes`. */
  readonly bytesPerNode: number;
  /** `nodes × bytesPerNode`. */
  readonly allocatedBytes: number;
  /** Logical elements times their size (for block-float the share of the exponents is included). */
  readonly logicalBytes: number;
  /** The tensor padded to whole tiles, before distribution. */
  readonly tensorBytes: number;
  /** Part of the allocated bytes that holds no logical element, 0 to 1. */
  readonly wastedShare: number;
}

/**
 * Bytes of a tensor in a layout, per core or bank and in total, with and without padding (tt-metal:tensor-layout: pages
 * are padded to the alignment of the buffer type, buffers have the same size in every bank they use).
 *
 * @example
 * ```ts
 * import { layoutFootprint, makeLayout } from "@tilewright/tilewright/layout";
 * import { assertEquals } from "@std/assert";
 *
 * const chip = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12, l1Alignment: 16, dramAlignment: 32 };
 * const layout = makeLayout(
 *   { shape: [33, 32], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
 *   chip.workerGrid,
 * );
 * const footprint = layoutFootprint([33, 32], layout, chip);
 * // Two tiles of 2048 bytes each, though only one row of the second one holds elements.
 * assertEquals([footprint.pages, footprint.tensorBytes], [2, 4096]);
 * ```
 *
 * @throws {LayoutError} if the layout cannot hold the tensor or does not fit the chip
 */
export function layoutFootprint(
  shape: readonly number[],
  layout: TtnnLayout,
  chip: AlignedChip,
): LayoutFootprint {
  const coordinates = ttnnCoordinates(shape, layout, chip);
  const { tile, dataType } = layout;
  const { placement } = coordinates;
  const [, pageWidth] = coordinates.pageShape;
  const pageBytes = tile === undefined
    ? pageWidth * elementBytes(dataType)
    : tileBytes(dataType, tile.height, tile.width);
  const alignedPageBytes = roundUp(pageBytes, bufferAlignment(layout, chip));
  const nodes = coordinates.nodes.length;
  const bytesPerNode = coordinates.pagesPerNode * alignedPageBytes;
  const elementSize = bytesPerElement(layout);
  const logicalBytes = volume(shape) * elementSize;
  return {
    pageBytes,
    alignedPageBytes,
    pages: placement.kind === "interleaved"
      ? placement.pages[0] * placement.pages[1]
      : nodes * coordinates.pagesPerNode,
    nodes,
    pagesPerNode: coordinates.pagesPerNode,
    bytesPerNode,
    allocatedBytes: nodes * bytesPerNode,
    logicalBytes,
    tensorBytes: volume(physicalExtent(shape, tile)) * elementSize,
    wastedShare: 1 - logicalBytes / (nodes * bytesPerNode),
  };
}

/** Address alignment of the memory that a layout is in, in bytes; host memory has none. */
function bufferAlignment(layout: TtnnLayout, chip: AlignedChip): number {
  if (layout.bufferType === "system_memory") return 1;
  return isDramBuffer(layout.bufferType) ? chip.dramAlignment : chip.l1Alignment;
}
