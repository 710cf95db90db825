// SPDX-License-Identifier: Apache-2.0
import { greatestCommonDivisor } from "../../lib/layout/extents.ts";
import type { PageStream } from "../../lib/programs/program_work.ts";
import { inDram, isInterleaved } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { dramCycles, dramFloorCycles, interleavedL1Cycles, pagedBytes, pagedReadBytes } from "./dram.ts";
import { smoothMax } from "./kernel.ts";

/**
 * Cycles that one data movement thread is busy with its share of some tensors, on an idle NoC.
 *
 * @param share of all bytes that this core moves
 * @param barriers at which it waits for the latency of its memory, the mean over the streams
 */
export function threadCycles(
  device: Device,
  streams: readonly PageStream[],
  share: number,
  barriers: number,
  kind: "read" | "write",
): number {
  if (streams.length === 0) return 0;
  const rate = kind === "read" ? device.noc.readBytesPerCycle : device.noc.writeBytesPerCycle;
  // A reader waits for the streams of its operands in sequence, each for the latency of its memory.
  const waitOf = ({ tensor }: PageStream) =>
    kind === "write"
      ? device.stream.writeBarrier
      : inDram(tensor)
      ? device.stream.readBarrier
      : device.stream.l1ReadBarrier;
  const wait = streams.reduce((sum, stream) => sum + waitOf(stream), 0) / streams.length;
  let cycles = barriers * wait;
  for (const stream of streams) {
    const size = transactionOf(stream);
    const departure = stream.flushesPages === true ? device.stream.tileDeparture : 0;
    cycles += stream.bytes * share / size * (Math.max(issueOf(stream, device), size / rate) + departure);
  }
  return cycles;
}

/** Bytes of one NoC transaction of a stream: a page, unless the kernel moves pieces of other sizes; at least 1. */
export function transactionOf({ tensor, transactionBytes }: PageStream): number {
  return Math.max(1, transactionBytes ?? tensor.pageBytes);
}

/** Cycles in which a thread issues one transaction of a stream. */
function issueOf({ scattered }: PageStream, { stream, noc }: Device): number {
  return scattered === true ? stream.scatteredIssue : noc.interleavedIssue;
}

/**
 * Cycles of a single thread that reads and writes unit by unit. It passes no buffers on, so each page costs
 * its full latency. Written pages rotate over the banks, unless their stride hits only some of them: a bank
 * then serves one page after another at its share of the bandwidth (published:ops-2, repeats of rows of 320
 * to 1,920 bytes: 55 to 123 cycles per copy on Blackhole).
 *
 * @param share of all bytes that this core moves
 * @param waits numbers of barriers at which it waits for what it has read and for what it has written
 */
export function loneThreadCycles(
  device: Device,
  reads: readonly PageStream[],
  writes: readonly PageStream[],
  share: number,
  waits: { readonly reads: number; readonly writes: number },
): number {
  const { noc, stream, dram } = device;
  const fromDram = reads.some(({ tensor }) => inDram(tensor));
  let cycles = waits.reads * (fromDram ? noc.readLatency : stream.l1ReadBarrier) +
    waits.writes * noc.writeLatency;
  for (const read of reads) {
    const size = transactionOf(read);
    cycles += read.bytes * share / size * Math.max(issueOf(read, device), size / noc.readBytesPerCycle);
  }
  for (const write of writes) {
    const size = transactionOf(write);
    const issue = issueOf(write, device);
    const inOneBank = dramCycles(device, size * dram.banks, dram.interleavedWriteShare);
    const goesRound = !inDram(write.tensor) || greatestCommonDivisor(write.stride ?? 1, dram.banks) === 1;
    cycles += write.bytes * share / size *
      (goesRound ? Math.max(issue, size / noc.writeBytesPerCycle) : issue + inOneBank);
  }
  return cycles;
}

/** Demand on a memory that all cores share. */
interface MemoryTime {
  /** Least cycles in which it can serve the bytes. */
  readonly cycles: number;
  /**
   * Unevenness of service, from 0 to 1. Banks that only read or only write serve cores in order of arrival
   * (0). If they switch between both, or requests arrive out of order, some cores wait longer than others.
   */
  readonly unevenness: number;
}

/** Demands on the memories that all cores share: the DRAM banks, and interleaved L1. */
export interface SharedTime {
  readonly dram: MemoryTime;
  readonly l1: MemoryTime;
}

/** Least cycles in which the slower of the shared memories serves all bytes. */
export function sharedCycles({ dram, l1 }: SharedTime): number {
  return Math.max(dram.cycles, l1.cycles);
}

/** Applies a function to both memories. */
export function mapMemories(
  { dram, l1 }: SharedTime,
  change: (time: MemoryTime, memory: keyof SharedTime) => MemoryTime,
): SharedTime {
  return { dram: change(dram, "dram"), l1: change(l1, "l1") };
}

/**
 * Cycles of a core's own thread combined with its share of the shared memories: their maximum, and more if
 * both are similar and service is uneven. Waits for DRAM and L1 overlap, so a faster memory never delays a core.
 */
export function sharing(own: number, { dram, l1 }: SharedTime, share: number, device: Device): number {
  const waitFor = ({ cycles, unevenness }: MemoryTime): number => {
    const shared = cycles * share;
    const longer = Math.max(own, shared);
    if (shared === 0 || unevenness === 0) return longer;
    return longer + unevenness * (smoothMax(own, shared, device.stream.sharingOverlap) - longer);
  };
  return Math.max(waitFor(dram), waitFor(l1));
}

/** Demands on the shared memories for reading and writing the bytes. */
export function sharedTime(
  device: Device,
  reads: readonly PageStream[],
  writes: readonly PageStream[],
): SharedTime {
  const { interleavedReadShare, interleavedWriteShare } = device.dram;
  const read = interleavedBytes(device, reads, pagedReadBytes, readPage);
  const written = interleavedBytes(device, writes, pagedBytes, ({ tensor }) => tensor.pageBytes);
  const from = read.inDram;
  const to = written.inDram;
  const large = Math.max(read.largest, written.largest) > device.dram.largeBytes ? device.dram.largeShare : 1;
  const streams = [...reads, ...writes];
  const sharded = streams.filter(({ tensor }) => tensor.placement === "dram_sharded");
  const inBanks = Math.max(
    dramCycles(device, from, interleavedReadShare * large),
    dramCycles(device, to, interleavedWriteShare * large),
    from > 0 && to > 0 ? dramCycles(device, from + to, mixedShare(device, to / (from + to)) * large) : 0,
    dramFloorCycles(device, sharded.map(({ tensor }) => tensor)) / device.dram.shardedReadShare,
  );
  const scattered = streams.some((stream) => stream.scattered === true);
  const readFromL1 = read.inL1;
  const writtenToL1 = written.inL1;
  return {
    dram: { cycles: inBanks, unevenness: scattered ? 1 : turnsOf(to / Math.max(1, from + to)) },
    l1: {
      cycles: Math.max(
        interleavedL1Cycles(device, readFromL1, writtenToL1),
        fewPortsCycles(device, reads),
        fewPortsCycles(device, writes),
      ),
      unevenness: scattered ? 1 : turnsOf(writtenToL1 / Math.max(1, readFromL1 + writtenToL1)),
    },
  };
}

/**
 * Least cycles in which the cores that hold an L1 tensor serve its pages, each through its one NoC port
 * (tt-isa:noc). With few pages, or shards on few cores, these ports are the bottleneck, for any number of
 * reads per page.
 */
function fewPortsCycles({ noc }: Device, streams: readonly PageStream[]): number {
  let cycles = 0;
  for (const { tensor, bytes } of streams) {
    if (inDram(tensor)) continue;
    const ports = tensor.shardCores > 0 ? tensor.shardCores : tensor.pages;
    cycles = Math.max(cycles, bytes / (ports * noc.linkBytesPerCycle));
  }
  return cycles;
}

/**
 * Bytes per access to a bank. Row pieces are in different pages than the accesses before and after them, and
 * cost a bank as much as short pages (published:ops-3, permutes of rows in pieces of 64 bytes: 21 cycles each
 * per bank of Blackhole); pieces of a tile hit its open page.
 */
function readPage({ tensor, transactionBytes }: PageStream): number {
  return tensor.tiled ? tensor.pageBytes : Math.min(tensor.pageBytes, transactionBytes ?? tensor.pageBytes);
}

/** Bytes of interleaved tensors, by memory. */
interface InterleavedBytes {
  /** Including the overhead of pages, and of banks that few pages leave idle. */
  readonly inDram: number;
  readonly inL1: number;
  /** Bytes of the largest stream from or to DRAM. */
  readonly largest: number;
}

function interleavedBytes(
  device: Device,
  streams: readonly PageStream[],
  bytesOfPages: typeof pagedBytes,
  pageOf: (stream: PageStream) => number,
): InterleavedBytes {
  let ofDram = 0;
  let ofL1 = 0;
  let largest = 0;
  for (let index = 0; index < streams.length; index++) {
    const stream = streams[index];
    if (stream === undefined || !isInterleaved(stream.tensor)) continue;
    const { tensor, bytes } = stream;
    if (!inDram(tensor)) {
      ofL1 += bytes;
      continue;
    }
    // With fewer pages than banks, other banks stay idle, for any number of reads per page.
    const idle = Math.max(1, device.dram.banks / tensor.pages);
    ofDram += bytesOfPages(device, bytes, pageOf(stream)) * idle;
    largest = Math.max(largest, bytes);
  }
  return { inDram: ofDram, inL1: ofL1, largest };
}

/**
 * Rate at which banks switch between reading and writing, relative to the maximum, by the written share of
 * the bytes.
 */
function turnsOf(written: number): number {
  return 2 * Math.min(written, 1 - written);
}

/**
 * Share of the DRAM peak that mixed reads and writes reach. The loss grows with the number of switches
 * between them, so a small share of writes costs little more than its bytes.
 *
 * @param written share of the bytes that is written
 */
function mixedShare({ dram }: Device, written: number): number {
  const pure = written < 0.5 ? dram.interleavedReadShare : dram.interleavedWriteShare;
  return pure + (dram.interleavedMixedShare - pure) * turnsOf(written);
}

/** Bytes of some streams, by all cores. */
export function bytesOf(streams: readonly PageStream[]): number {
  return streams.reduce((sum, stream) => sum + stream.bytes, 0);
}
