// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../lib/device/chip_description.ts";

/** A Wormhole chip for tests: 8x8 workers, L1 base and L1_SMALL of real descriptors (tt-mlir:system-descriptors). */
export const TEST_WORMHOLE: ChipDescription = {
  name: "test-wormhole",
  architecture: "wormhole_b0",
  workerGrid: { rows: 8, columns: 8 },
  l1Size: 1_499_136,
  l1UnreservedBase: 105_824,
  l1SmallSize: 65_536,
  dramBanks: 12,
  dramBankSize: 1_073_741_824,
  dramUnreservedBase: 1024,
  dramUnreservedEnd: 1_073_741_824,
  l1Alignment: 16,
  dramAlignment: 32,
  pcieAlignment: 32,
  dstTiles: 16,
  circularBuffers: 32,
  ethernetL1UnreservedBase: 98304,
  dramBankWorkers: [],
};

/** The test chip with another worker grid. */
export function testChipWithGrid(rows: number, columns: number): ChipDescription {
  return { ...TEST_WORMHOLE, name: `test-${rows}x${columns}`, workerGrid: { rows, columns } };
}
