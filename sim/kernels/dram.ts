// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import type { ProgramTensor } from "../../lib/programs/program_tensor.ts";

/** Cycles in which `bytes` cross the DRAM interface at a share of its theoretical bandwidth. */
export function dramCycles(device: Device, bytes: number, share: number): number {
  return bytes * device.clock.aiclk / (device.dram.peakBandwidth * 1000 * share);
}

/** How a program's cores walk over the DRAM banks. */
export type DramPattern = "interleaved" | "sharded";

/** Shortest time, in cycles, in which all cores together read `bytes` from DRAM. */
export function dramReadCycles(device: Device, bytes: number, pattern: DramPattern): number {
  const share = pattern === "sharded" ? device.dram.shardedReadShare : device.dram.interleavedReadShare;
  return dramCycles(device, bytes, share);
}

/** Shortest time, in cycles, in which all cores together write `bytes` to DRAM. */
export function dramWriteCycles(device: Device, bytes: number): number {
  return dramCycles(device, bytes, device.dram.interleavedWriteShare);
}

/** Least cycles in which tensors can cross the DRAM interface: their bytes at the theoretical bandwidth. */
export function dramFloorCycles(device: Device, tensors: readonly ProgramTensor[]): number {
  return dramCycles(device, tensors.reduce((sum, tensor) => sum + tensor.bytes, 0), 1);
}

/**
 * Shortest time, in cycles, in which all cores together read `bytes` of interleaved pages: their share of the peak, or
 * the pace at which banks answer one page after the other, which limits pages below about 1 KiB.
 */
export function interleavedReadCycles(device: Device, bytes: number, pageBytes: number): number {
  const answers = bytes / pageBytes / device.dram.banks * device.dram.pageCycles;
  return Math.max(dramCycles(device, bytes, device.dram.interleavedReadShare), answers);
}
