// SPDX-License-Identifier: Apache-2.0
import type { PageStream, ResidentProgram, StreamProgram, UnitPasses } from "../../lib/programs/program.ts";
import { inDram, isInterleaved } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { dramCycles, dramFloorCycles, pagedBytes, pagedReadBytes } from "./dram.ts";
import { interleavedL1Cycles } from "./interleaved_l1.ts";
import { FREE, type KernelCost, smoothMax, startCycles } from "./kernel.ts";
import { tileWorkCycles } from "./tile_work.ts";

/**
 * Times an op that streams units of work. Each core's reader waits for the pages of a unit before it hands them on, so
 * that latency counts once per unit; the busiest of reader, compute and writer sets the pace; and the chip's DRAM and
 * interleaved L1 set a floor for all cores together. Before the pace is set, the first unit passes through the threads
 * one after another: all cores read theirs at the same time, and write it at the same time.
 */
export function streamCost(program: StreamProgram, device: Device): KernelCost {
  const { cores } = program;
  const units = Math.ceil(program.units / cores);
  const share = units / program.units;
  const reads = program.reads.filter((stream) => stream.local !== true);
  const writes = program.writes.filter((stream) => stream.local !== true);
  const fetched = threadCycles(device, reads, share, units * program.readBarriers, "read") +
    units * program.shortCopies * device.stream.shortCopy;
  const filled = units *
    (program.broadcastFills * device.stream.broadcastFill + program.paddingWords * device.stream.padWord);
  const read = fetched + filled;
  const write = threadCycles(device, writes, share, units * program.writeBarriers, "write");
  const compute = units * tileWorkCycles(program.compute, device);
  const floor = sharedCycles(device, reads, writes);
  const lead = program.leadBarriers * device.stream.readBarrier;
  const sharing = (own: number, shared: number) => smoothMax(own, shared, device.stream.sharingOverlap);
  const first = Math.min(1, cores / program.units);
  const batch = unitsPerWait(program, units);
  const turns = [
    sharing(fetched / units * batch, sharedCycles(device, reads, []) * Math.min(1, first * batch)) +
    filled / units * batch,
    compute / units * batch,
    sharing(write / units * batch, sharedCycles(device, [], writes) * Math.min(1, first * batch)),
  ];
  const inTurn = turns.reduce((sum, cycles) => sum + cycles, 0);
  const pace = (program.oneThread ? Math.max(read + write, compute) : Math.max(read, compute, write)) / units;
  const round = (share: number) => Math.max(pace, sharing(Math.max(fetched, write) / units, floor * share));
  // A unit that is needed whole is written when all cores have read theirs: the two directions do not meet.
  const begun = program.oneThread
    ? round(first)
    : program.parts === 1
    ? inTurn
    : round(first) + (inTurn - Math.max(...turns)) / program.parts;
  const dramBytes = bytesOf([...reads, ...writes].filter((stream) => inDram(stream.tensor)));
  const inPasses = program.passes === undefined
    ? undefined
    : outsideOfPasses(program, program.passes, compute / units, device);
  return {
    ...FREE,
    cycles: startCycles(cores, device) + lead +
      (inPasses === undefined
        ? begun + Math.max(0, inRounds(program, units, round) - batch * round(first))
        : inPasses.once + inRounds(program, units, (share) =>
          Math.max(
            compute / units + inPasses.everyUnit,
            sharing(Math.max(fetched, write) / units, floor * share),
          ))),
    read: Math.max(read, reads.length > 0 && floor > Math.max(compute, write) ? floor : 0),
    compute,
    write,
    cores,
    dramBytes,
    nocBytes: bytesOf(reads) + bytesOf(writes),
    flops: program.flops,
    programs: 1,
  };
}

/** Units that a core hands on together, because it waits once for all of them. */
function unitsPerWait({ parts, readBarriers, writeBarriers }: StreamProgram, units: number): number {
  const waits = Math.max(readBarriers, writeBarriers);
  return parts === 1 && waits > 0 ? Math.min(units, Math.max(1, 1 / waits)) : 1;
}

/**
 * Cycles in which a core that goes over its units several times only moves data: while a unit arrives, beyond what the
 * first pass hides, and while the last one leaves, beyond what the last pass hides. The first unit is waited for in any
 * case, the others where a unit's place is taken until it is done. All cores do it at once, so that what the chip's
 * memories give counts as well; what is read beside the unit, weights, arrives during its passes.
 */
function outsideOfPasses(
  program: StreamProgram,
  passes: UnitPasses,
  compute: number,
  device: Device,
): { readonly once: number; readonly everyUnit: number } {
  const { units, cores, parts } = program;
  const [unit] = program.reads.filter((stream) => stream.local !== true);
  const reads = unit === undefined ? [] : [{ ...unit, bytes: Math.min(unit.bytes, unit.tensor.bytes) }];
  const writes = program.writes.filter((stream) => stream.local !== true);
  const beyondOnePass = (own: number, shared: number) => {
    const time = smoothMax(own, shared * cores / units, device.stream.sharingOverlap);
    return Math.max(time / parts, time - compute / passes.count);
  };
  const read = beyondOnePass(
    threadCycles(device, reads, 1 / units, parts, "read"),
    sharedCycles(device, reads, []),
  );
  const write = beyondOnePass(
    threadCycles(device, writes, 1 / units, parts, "write"),
    sharedCycles(device, [], writes),
  );
  return passes.holdsUnit ? { once: write, everyUnit: read } : { once: read + write, everyUnit: 0 };
}

/**
 * Cores that have one unit more than others do it while the others are done: what all share is scarce in the rounds
 * before, and the core's own threads in the last one.
 *
 * @param rounds units of the core with the most
 * @param round cycles of one round in which the cores do such a share of all units
 */
function inRounds(
  { units, cores }: StreamProgram,
  rounds: number,
  round: (share: number) => number,
): number {
  const full = Math.floor(units / cores);
  const last = units - full * cores;
  return full * round(cores / units) + (rounds > full ? round(last / units) : 0);
}

/** Times cores that work on the shards that they hold. */
export function residentCost(program: ResidentProgram, device: Device): KernelCost {
  const compute = tileWorkCycles(program.compute, device);
  const read = program.copiedBytes / device.tensix.localCopyBytesPerCycle;
  return {
    ...FREE,
    cycles: startCycles(program.cores, device) + Math.max(compute, read),
    read,
    compute,
    cores: program.cores,
    flops: program.flops,
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
  // Streams of several operands are waited for in turn, each as long as its memory takes.
  const waitOf = ({ tensor }: PageStream) =>
    kind === "write"
      ? device.stream.writeBarrier
      : inDram(tensor)
      ? device.stream.readBarrier
      : device.stream.l1ReadBarrier;
  const wait = streams.reduce((sum, stream) => sum + waitOf(stream), 0) / streams.length;
  let cycles = barriers * wait;
  for (const { tensor, bytes, transactionBytes, scattered, departs } of streams) {
    const size = Math.max(1, transactionBytes ?? tensor.pageBytes);
    const transactions = bytes * share / size;
    const issue = scattered === true ? device.stream.scatteredIssue : device.noc.interleavedIssue;
    const departure = departs === true ? device.stream.tileDeparture : 0;
    cycles += transactions * (Math.max(issue, size / rate) + departure);
  }
  return cycles;
}

/** Least cycles in which the memories that all cores share can give and take the bytes. */
function sharedCycles(device: Device, reads: readonly PageStream[], writes: readonly PageStream[]): number {
  const memory = (streams: readonly PageStream[], dram: boolean) =>
    streams.filter(({ tensor }) => isInterleaved(tensor) && inDram(tensor) === dram);
  const { interleavedReadShare, interleavedWriteShare, interleavedMixedShare } = device.dram;
  // Pages that are fewer than the banks keep the others idle, however often they are read.
  const paged = (streams: readonly PageStream[], bytesOfPages: typeof pagedBytes) =>
    streams.reduce(
      (sum, { tensor, bytes }) =>
        sum + bytesOfPages(device, bytes, tensor.pageBytes) * Math.max(1, device.dram.banks / tensor.pages),
      0,
    );
  const from = paged(memory(reads, true), pagedReadBytes);
  const to = paged(memory(writes, true), pagedBytes);
  const largest = [...memory(reads, true), ...memory(writes, true)]
    .reduce((most, { bytes }) => Math.max(most, bytes), 0);
  const large = largest > device.dram.largeBytes ? device.dram.largeShare : 1;
  const sharded = [...reads, ...writes].filter(({ tensor }) => tensor.placement === "dram_sharded");
  return Math.max(
    dramCycles(device, from, interleavedReadShare * large),
    dramCycles(device, to, interleavedWriteShare * large),
    from > 0 && to > 0 ? dramCycles(device, from + to, interleavedMixedShare * large) : 0,
    interleavedL1Cycles(device, bytesOf(memory(reads, false)), bytesOf(memory(writes, false))),
    dramFloorCycles(device, sharded.map(({ tensor }) => tensor)) / device.dram.shardedReadShare,
  );
}

function bytesOf(streams: readonly PageStream[]): number {
  return streams.reduce((sum, stream) => sum + stream.bytes, 0);
}
