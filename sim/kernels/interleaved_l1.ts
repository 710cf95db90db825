// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { smoothMax } from "./kernel.ts";

/**
 * Least cycles in which the L1 banks of all cores give and take interleaved pages. Readers and writers use a network
 * each, so that the two directions hide each other (profiles of RT-DETR: 6,400 tiles of relu take 78 µs, tiles of an
 * addition, which read twice as much, hardly more).
 */
export function interleavedL1Cycles(device: Device, readBytes: number, writtenBytes: number): number {
  return smoothMax(
    readBytes / device.stream.l1ChipReadBytesPerCycle,
    writtenBytes / device.noc.allToAllChipBytesPerCycle,
    device.stream.sharingOverlap,
  );
}
