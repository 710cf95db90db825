// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { dramCycles, dramFloorCycles } from "./dram.ts";
import { FREE, type KernelCost, pipelineCycles, workers } from "./kernel.ts";
import { inDram, isInterleaved, type PricedTensor } from "./priced_op.ts";

/** Pages of one tensor that a unit of work reads or writes. */
export interface PageStream {
  readonly tensor: PricedTensor;
  /** Bytes of the tensor that the whole op moves; may be less than the tensor, or more when it is read again. */
  readonly bytes: number;
  /** Bytes of one transaction; the tensor's page when absent. */
  readonly transactionBytes?: number;
  /** Whether the bytes lie in the core's own L1 already, so that nothing moves. */
  readonly local?: boolean;
}

/** An op that streams units of work (tiles, tile rows, sticks) through reader, compute and writer of each core. */
export interface StreamingWork {
  /** Units of work in the whole op, split as evenly as `split_work_to_cores` does. */
  readonly units: number;
  /** Cores at most; the worker grid when absent. */
  readonly maxCores?: number;
  readonly reads: readonly PageStream[];
  readonly writes: readonly PageStream[];
  /** Compute cycles of one unit. */
  readonly computePerUnit: number;
  /** Cycles per unit that the reader works beside asking for pages and waiting, default 0. */
  readonly readerWorkPerUnit?: number;
  /** Barriers that the reader waits for per unit, default 1. */
  readonly readBarriers?: number;
  /** Barriers that the writer waits for per unit, default 1. */
  readonly writeBarriers?: number;
  readonly flops: number;
}

/** Every byte of a tensor, page by page. */
export function wholeTensor(tensor: PricedTensor): PageStream {
  return { tensor, bytes: tensor.bytes };
}

/**
 * Times an op that streams units of work. Each core's reader waits for the pages of a unit before it hands them on, so
 * that latency counts once per unit; the busiest of reader, compute and writer sets the pace; and the chip's DRAM and
 * interleaved L1 set a floor for all cores together.
 */
export function streamingCost(work: StreamingWork, device: Device): KernelCost {
  const cores = Math.max(1, Math.min(work.units, work.maxCores ?? workers(device)));
  const units = Math.ceil(work.units / cores);
  const share = units / Math.max(1, work.units);
  const reads = work.reads.filter((stream) => stream.local !== true);
  const writes = work.writes.filter((stream) => stream.local !== true);
  const read = threadCycles(device, reads, share, units * (work.readBarriers ?? 1), "read") +
    units * (work.readerWorkPerUnit ?? 0);
  const write = threadCycles(device, writes, share, units * (work.writeBarriers ?? 1), "write");
  const compute = units * work.computePerUnit;
  const floor = sharedCycles(device, reads, writes);
  const pipeline = pipelineCycles({ steps: units, read, compute, write });
  const dram = [...reads, ...writes].filter((stream) => inDram(stream.tensor));
  const dramBytes = bytesOf(dram);
  return {
    ...FREE,
    cycles: device.stream.startup + Math.max(pipeline, floor),
    read: Math.max(read, reads.length > 0 && floor > Math.max(compute, write) ? floor : 0),
    compute,
    write,
    cores,
    dramBytes,
    nocBytes: bytesOf(reads) + bytesOf(writes),
    flops: work.flops,
    programs: 1,
  };
}

/** Cycles that one data movement thread is busy with its share of some tensors. */
function threadCycles(
  device: Device,
  streams: readonly PageStream[],
  share: number,
  barriers: number,
  kind: "read" | "write",
): number {
  if (streams.length === 0) return 0;
  const rate = kind === "read" ? device.noc.readBytesPerCycle : device.noc.writeBytesPerCycle;
  const remote = streams.some(({ tensor }) => inDram(tensor));
  const wait = kind === "write"
    ? device.stream.writeBarrier
    : remote
    ? device.stream.readBarrier
    : device.stream.l1ReadBarrier;
  let cycles = barriers * wait;
  for (const { tensor, bytes, transactionBytes } of streams) {
    const size = Math.max(1, transactionBytes ?? tensor.pageBytes);
    const transactions = bytes * share / size;
    cycles += transactions * Math.max(device.noc.interleavedIssue, size / rate);
  }
  return cycles;
}

/** Least cycles in which the memories that all cores share can give and take the bytes. */
function sharedCycles(device: Device, reads: readonly PageStream[], writes: readonly PageStream[]): number {
  const memory = (streams: readonly PageStream[], dram: boolean) =>
    streams.filter(({ tensor }) => isInterleaved(tensor) && inDram(tensor) === dram);
  const { interleavedReadShare, interleavedWriteShare, interleavedMixedShare } = device.dram;
  const from = bytesOf(memory(reads, true));
  const to = bytesOf(memory(writes, true));
  const largest = [...memory(reads, true), ...memory(writes, true)]
    .reduce((most, { bytes }) => Math.max(most, bytes), 0);
  const large = largest > device.dram.largeBytes ? device.dram.largeShare : 1;
  const l1 = bytesOf(memory(reads, false)) + bytesOf(memory(writes, false));
  const sharded = [...reads, ...writes].filter(({ tensor }) => tensor.placement === "dram_sharded");
  return Math.max(
    dramCycles(device, from, interleavedReadShare * large),
    dramCycles(device, to, interleavedWriteShare * large),
    dramCycles(device, from + to, interleavedMixedShare * large),
    l1 / device.stream.l1ChipBytesPerCycle,
    dramFloorCycles(device, sharded.map(({ tensor }) => tensor)) / device.dram.shardedReadShare,
  );
}

function bytesOf(streams: readonly PageStream[]): number {
  return streams.reduce((sum, stream) => sum + stream.bytes, 0);
}
