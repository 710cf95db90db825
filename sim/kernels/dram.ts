// SPDX-License-Identifier: Apache-2.0
import type { PageStream } from "../../lib/programs/program.ts";
import { inDram, type ProgramTensor } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { smoothMax } from "./kernel.ts";

/** Cycles in which `bytes` cross the DRAM interface at a share of its theoretical bandwidth. */
export function dramCycles(device: Device, bytes: number, share: number): number {
  return bytes * device.clock.aiclk / (device.dram.peakBandwidth * 1000 * share);
}

/** Bytes of streams whose tensors lie in DRAM. */
export function bytesInDram(streams: readonly PageStream[]): number {
  return streams.filter(({ tensor }) => inDram(tensor)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** How a program's cores access the DRAM banks. */
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

/** Page that the shares of the DRAM bandwidth are given for: a bf16 tile. */
const SHARE_PAGE = 2048;

const SHORT_PAGE = 512;

/**
 * Size of interleaved pages as bytes of bf16 tiles that take equally long: a bank spends a fixed time per
 * page, so small pages reach a smaller share of the bandwidth.
 */
export function pagedBytes(device: Device, bytes: number, pageBytes: number): number {
  const { pageOverhead, pageFloor } = device.dram;
  // Below half a KiB the issue of a page is the limit, which is part of the reader's own time.
  const page = Math.max(SHORT_PAGE, pageBytes);
  return bytes * Math.max(pageFloor, page + pageOverhead) / page / (1 + pageOverhead / SHARE_PAGE);
}

/**
 * As {@linkcode pagedBytes}, for reads. The number of short pages that a bank reads per second is limited,
 * while short writes wait in its queue (published:ops-2, 1,920 and 2,304 rows of 128 bytes: 18 cycles each
 * per bank of Blackhole).
 */
export function pagedReadBytes(device: Device, bytes: number, pageBytes: number): number {
  const { pageOverhead, pageFloor } = device.dram;
  const shortPages = bytes * pageFloor / Math.max(1, pageBytes) / (1 + pageOverhead / SHARE_PAGE);
  return Math.max(pagedBytes(device, bytes, pageBytes), shortPages);
}

/** Bytes of a tensor of interleaved pages, more where its pages are shorter than what a bank moves in the least time. */
export function shortPageBytes(device: Device, bytes: number, tensor: ProgramTensor): number {
  if (tensor.placement !== "dram_interleaved") return bytes;
  return bytes * Math.max(1, device.dram.pageFloor / tensor.pageBytes);
}

/** Shortest time, in cycles, in which all cores together read `bytes` of interleaved pages. */
export function interleavedReadCycles(device: Device, bytes: number, pageBytes: number): number {
  return dramCycles(device, pagedBytes(device, bytes, pageBytes), device.dram.interleavedReadShare);
}

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
