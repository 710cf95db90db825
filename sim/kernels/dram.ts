// SPDX-License-Identifier: Apache-2.0
import type { PageStream } from "../../lib/programs/program_work.ts";
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

/** Shortest time, in cycles, in which all cores together read `bytes` of interleaved pages from DRAM. */
export function dramReadCycles(device: Device, bytes: number): number {
  return dramCycles(device, bytes, device.dram.interleavedReadShare);
}

/** Shortest time, in cycles, in which all cores together write `bytes` of interleaved pages to DRAM. */
export function dramWriteCycles(device: Device, bytes: number): number {
  return dramCycles(device, bytes, device.dram.interleavedWriteShare);
}

/** Least cycles in which tensors can cross the DRAM interface: their bytes at the theoretical bandwidth. */
export function dramFloorCycles(device: Device, tensors: readonly ProgramTensor[]): number {
  return dramCycles(device, tensors.reduce((sum, tensor) => sum + tensor.bytes, 0), 1);
}

/** Page size that the DRAM bandwidth shares refer to: a bf16 tile. */
const SHARE_PAGE = 2048;

const SHORT_PAGE = 512;

/**
 * Bytes of bf16 tiles with the same DRAM time as interleaved pages of another size: a bank spends a fixed
 * time per page, so small pages reach a smaller share of the bandwidth.
 */
export function pagedBytes(device: Device, bytes: number, pageBytes: number): number {
  const { pageOverhead, pageFloor } = device.dram;
  // Below half a KiB the reader's issue rate is the limit, which is part of the reader's own time.
  const page = Math.max(SHORT_PAGE, pageBytes);
  return bytes * Math.max(pageFloor, page + pageOverhead) / page / (1 + pageOverhead / SHARE_PAGE);
}

/**
 * As {@linkcode pagedBytes}, for reads. Banks read a limited number of short pages per second, whereas short
 * writes wait in their queue (published:ops-2, 1,920 and 2,304 rows of 128 bytes: 18 cycles each per bank of
 * Blackhole).
 */
export function pagedReadBytes(device: Device, bytes: number, pageBytes: number): number {
  const { pageOverhead, pageFloor } = device.dram;
  const shortPages = bytes * pageFloor / Math.max(1, pageBytes) / (1 + pageOverhead / SHARE_PAGE);
  return Math.max(pagedBytes(device, bytes, pageBytes), shortPages);
}

/**
 * Bytes of an interleaved tensor, scaled up if its pages are shorter than the smallest efficient DRAM access.
 */
export function shortPageBytes(device: Device, bytes: number, tensor: ProgramTensor): number {
  if (tensor.placement !== "dram_interleaved") return bytes;
  return bytes * Math.max(1, device.dram.pageFloor / tensor.pageBytes);
}

/** Shortest time, in cycles, in which all cores together read `bytes` of interleaved pages. */
export function interleavedReadCycles(device: Device, bytes: number, pageBytes: number): number {
  return dramCycles(device, pagedBytes(device, bytes, pageBytes), device.dram.interleavedReadShare);
}

/**
 * Least cycles in which all L1 banks read and write interleaved pages: little more than the slower direction,
 * because readers and writers use separate NoCs (profiles of RT-DETR: 6,400 tiles of relu take 78 µs, those of an
 * add, with twice the reads, hardly more).
 */
export function interleavedL1Cycles(device: Device, readBytes: number, writtenBytes: number): number {
  return smoothMax(
    readBytes / device.stream.l1ChipReadBytesPerCycle,
    writtenBytes / device.noc.allToAllChipBytesPerCycle,
    device.stream.sharingOverlap,
  );
}
