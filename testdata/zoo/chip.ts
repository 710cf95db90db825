// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";

/**
 * The chip that the zoo's modules are written for: one Wormhole of an n150. Numbers of tt-mlir's mock descriptor, with
 * the first free byte of L1 that descriptors taken from real boards carry (tt-mlir test descriptors: 103,712).
 */
export const ZOO_CHIP: ChipDescription = {
  name: "n150",
  architecture: "wormhole_b0",
  workerGrid: { rows: 8, columns: 8 },
  l1Size: 1499136,
  l1UnreservedBase: 103712,
  l1SmallSize: 0,
  dramBanks: 12,
  dramBankSize: 1073741824,
  dramUnreservedBase: 1024,
  dramUnreservedEnd: 1073741824,
  l1Alignment: 16,
  dramAlignment: 32,
  pcieAlignment: 32,
  dstTiles: 16,
  circularBuffers: 32,
};
