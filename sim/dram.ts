// SPDX-License-Identifier: Apache-2.0
import type { Device } from "./device.ts";

/** How a program's cores walk over the DRAM banks. */
export type DramPattern = "interleaved" | "sharded";

/** Cycles of one GB/s: bytes per AICLK cycle. */
function bytesPerCycle(device: Device, gigabytesPerSecond: number): number {
  return gigabytesPerSecond * 1000 / device.clock.aiclk;
}

/** Shortest time, in cycles, in which all cores together read `bytes` from DRAM. */
export function dramReadCycles(device: Device, bytes: number, pattern: DramPattern): number {
  const bandwidth = pattern === "sharded"
    ? device.dram.shardedReadBandwidth
    : device.dram.interleavedReadBandwidth;
  return bytes / bytesPerCycle(device, bandwidth);
}

/** Shortest time, in cycles, in which all cores together write `bytes` to DRAM. */
export function dramWriteCycles(device: Device, bytes: number): number {
  return bytes / bytesPerCycle(device, device.dram.interleavedWriteBandwidth);
}
