// SPDX-License-Identifier: Apache-2.0
import type { ResidentProgram, StreamProgram, UnitPasses } from "../../lib/programs/program.ts";
import type { PageStream } from "../../lib/programs/program_work.ts";
import { inDram } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { dramCycles } from "./dram.ts";
import { FREE, type KernelCost, startCycles, tileWorkCycles } from "./kernel.ts";
import {
  bytesOf,
  loneThreadCycles,
  mapMemories,
  sharedCycles,
  type SharedTime,
  sharedTime,
  sharing,
  threadCycles,
  transactionOf,
} from "./page_streams.ts";

/** The components of a stream, in cycles of the core with the most units. */
interface StreamWork {
  /** Units of this core. */
  readonly units: number;
  /** Streams over the NoC. */
  readonly reads: readonly PageStream[];
  readonly writes: readonly PageStream[];
  /** The reader's cycles for reading all units: barriers, short copies and mapped pieces included. */
  readonly fetched: number;
  /** The reader's cycles for filling its buffers itself, for all units: padding, broadcast fills, copied words. */
  readonly filled: number;
  /** Cycles of the compute threads, for all units. */
  readonly compute: number;
  /** The writer's cycles, for all units: barriers and waits for rows included. */
  readonly written: number;
  /** Demands of all units on the shared memories. */
  readonly shared: SharedTime;
}

/**
 * Cycles of an op that streams units of work. A core's reader passes a unit on when all of its pages have
 * arrived: latency counts once per unit. The chip's DRAM and interleaved L1 are lower bounds for all cores
 * together. Streams within a core's own L1 (`local`) take no time here.
 */
export function streamCost(program: StreamProgram, device: Device): KernelCost {
  const { cores } = program;
  const work = workOf(program, device);
  const { reads, fetched, filled, compute, written, shared } = work;
  const moved = [...program.reads, ...program.writes].filter((stream) => stream.local !== true);
  const streamed = program.compute.passes !== undefined
    ? inPasses(program, program.compute.passes, work, device)
    : program.oneThread
    ? inOneThread(program, work, device)
    : pipelined(program, work, device);
  const dramBytes = bytesOf(moved.filter((stream) => inDram(stream.tensor)));
  const own = startCycles(cores, device) + leadCycles(program, work, device) + streamed +
    afterUnits(program, device);
  return {
    ...FREE,
    // The highest share of the peak is reached by banks that serve one reader each.
    cycles: Math.max(own, dramCycles(device, dramBytes, device.dram.shardedReadShare)),
    read: Math.max(
      fetched + filled,
      reads.length > 0 && sharedCycles(shared) > Math.max(compute, written) ? sharedCycles(shared) : 0,
    ),
    compute,
    write: written,
    cores,
    dramBytes,
    nocBytes: bytesOf(moved),
    flops: program.flops,
  };
}

function workOf(program: StreamProgram, device: Device): StreamWork {
  const { reader, writer } = program;
  const { stream } = device;
  const units = Math.ceil(program.units / program.cores);
  const share = units / program.units;
  const reads = program.reads.filter((stream) => stream.local !== true);
  const writes = program.writes.filter((stream) => stream.local !== true && stream.afterUnits !== true);
  return {
    units,
    reads,
    writes,
    fetched:
      threadCycles(device, readsOfCore(program, reads, share), share, units * reader.barriers, "read") +
      units *
        (reader.copies * stream.shortCopy + reader.mappedPieces * stream.mappedPiece),
    filled: units *
      (reader.broadcastFills * stream.broadcastFill + reader.paddingWords * stream.padWord +
        reader.paddingRuns * stream.padRun + reader.copiedWords * stream.copyWord),
    compute: units * tileWorkCycles(program.compute.work, device),
    written: threadCycles(device, writes, share, units * writer.barriers, "write") +
      units * writer.rowWaits * stream.stickWait,
    shared: sharedTime(device, reads, writes),
  };
}

/** The reads as a core with this share of all units sees them: a stream that every core reads once counts once per core. */
function readsOfCore(
  { cores }: StreamProgram,
  reads: readonly PageStream[],
  share: number,
): readonly PageStream[] {
  if (reads.every(isOfUnits)) return reads;
  return reads.map((stream) =>
    isOfUnits(stream) ? stream : { ...stream, bytes: stream.bytes / cores / share }
  );
}

/**
 * Cycles before the first unit: the reader's barriers and setup, the first tile's latency through compute,
 * and writer fills that take longer than the first unit's arrival.
 */
function leadCycles(
  { reader, compute, writer }: StreamProgram,
  { fetched, units }: StreamWork,
  { stream, tensix }: Device,
): number {
  return reader.setupBarriers * stream.readBarrier + reader.clearedWords * stream.clearWord +
    (reader.computesStrides ? stream.strides : 0) +
    (reader.findsShards ? stream.shardRanges : 0) +
    (compute.work.length > 0 ? tensix.computeStart : 0) +
    Math.max(0, writer.filledWords * stream.padWord - fetched / units);
}

/** Cycles in which all cores write the `afterUnits` streams. */
function afterUnits({ writes, cores }: StreamProgram, device: Device): number {
  const after = writes.filter((stream) => stream.afterUnits === true);
  if (after.length === 0) return 0;
  return sharing(
    threadCycles(device, after, 1 / cores, 1, "write"),
    askedAtOnce(sharedTime(device, [], after)),
    1,
    device,
  );
}

/**
 * Cycles of a core's pipeline reader → compute → writer: the first units take the sum of their three stages, each further
 * round of units the cycles of the slowest stage. With parts > 1 compute starts on the first part of a unit, so the first
 * round takes its slowest stage, and the other two stages add only their first part.
 */
function pipelined(program: StreamProgram, work: StreamWork, device: Device): number {
  const { units, fetched, filled, compute, written } = work;
  const moved = Math.max(fetched + filled, written) / units;
  const round = (share: number) =>
    program.compute.isSingleBuffered
      ? compute / units + roundCycles(work, moved, share, device)
      : roundCycles(work, Math.max(moved, compute / units), share, device);
  const together = unitsPerWait(program, units);
  const stages = firstStages(program, work, together, device);
  const inSequence = stages.reduce((sum, cycles) => sum + cycles, 0);
  const first = round(firstShare(program));
  const begun = program.parts === 1
    ? inSequence - contentionCountedTwice(program, work, together, device)
    : first + (inSequence - Math.max(...stages)) / program.parts;
  return begun + Math.max(0, inRounds(program, round) - together * first);
}

/**
 * Cycles of the three stages (reader, compute, writer) for the first units of a core. All cores read their first units at
 * the same time, and write them at the same time.
 */
function firstStages(
  program: StreamProgram,
  { units, reads, writes, fetched, filled, compute, written }: StreamWork,
  together: number,
  device: Device,
): readonly number[] {
  const share = Math.min(1, firstShare(program) * together);
  return [
    sharing(fetched / units * together, askedAtOnce(sharedTime(device, reads, [])), share, device) +
    filled / units * together,
    compute / units * together,
    sharing(written / units * together, askedAtOnce(sharedTime(device, [], writes)), share, device),
  ];
}

/** Shared times if all cores issue their requests at the same time, so that service is fully uneven. */
function askedAtOnce(shared: SharedTime): SharedTime {
  return mapMemories(shared, ({ cycles }) => ({ cycles, unevenness: 1 }));
}

/**
 * Cycles to subtract for the first units: min(read contention, write contention) / pages per read. A core that is served
 * late on read writes after the others, free of contention; the more pages a core reads at once, the closer together all
 * cores finish reading.
 */
function contentionCountedTwice(
  program: StreamProgram,
  { units, reads, writes, fetched, written }: StreamWork,
  together: number,
  device: Device,
): number {
  const share = Math.min(1, firstShare(program) * together);
  const waitFor = (own: number, shared: SharedTime) => sharing(own, askedAtOnce(shared), share, device) - own;
  const pages = reads.reduce((sum, read) => sum + read.bytes / transactionOf(read), 0) / program.units *
    together;
  return Math.min(
    waitFor(fetched / units * together, sharedTime(device, reads, [])),
    waitFor(written / units * together, sharedTime(device, [], writes)),
  ) / Math.max(1, pages);
}

/** Units that a core passes to the next stage together, because one barrier covers them; 1 with a barrier per unit or part. */
function unitsPerWait({ parts, reader, writer }: StreamProgram, units: number): number {
  const waits = Math.max(reader.barriers, writer.barriers);
  return parts === 1 && waits > 0 ? Math.min(units, Math.max(1, 1 / waits)) : 1;
}

/** Cycles if one thread reads and writes: it reads a unit only after writing the previous one. */
function inOneThread(program: StreamProgram, work: StreamWork, device: Device): number {
  const { units, reads, writes, filled, compute, shared } = work;
  const share = units / program.units;
  const copied = units * program.reader.copies * device.stream.shortCopy;
  const waits = { reads: units * program.reader.barriers, writes: units * program.writer.barriers };
  const moved = loneThreadCycles(device, reads, writes, share, waits);
  const pace = Math.max(moved + copied + filled, compute) / units;
  return inRounds(program, (share) => Math.max(pace, sharing(moved / units, shared, share, device)));
}

/**
 * Cycles if compute makes several passes over each unit. Data movement outside the passes (the first unit's
 * read, the last unit's write) overlaps with nothing and is added.
 */
function inPasses(program: StreamProgram, passes: UnitPasses, work: StreamWork, device: Device): number {
  const ownPasses = work.compute / work.units;
  const everyUnit = program.reads.every(isOfUnits)
    ? work
    : workOf({ ...program, reads: program.reads.filter(isOfUnits) }, device);
  const outside = outsideOfPasses(program, passes, everyUnit, device);
  const first = outside(firstShare(program));
  const last = lastShare(program);
  const ownRound = (share: number) => {
    // A unit's buffer is occupied until its last pass: the next unit is then read without overlap, and the
    // last one while earlier ones are written.
    const moved = outside(share).read;
    const waited = passes.holdsUnit ? share === last ? Math.max(moved, first.write) : moved : 0;
    return ownPasses + waited;
  };
  const round = (share: number) => roundCycles(everyUnit, ownRound(share), share, device);
  // Cores without a further unit write their last one while others compute.
  const written = last === 0
    ? first.write
    : Math.max(outside(last).write, passes.holdsUnit ? 0 : first.write - round(last));
  const arrived = passes.holdsUnit ? 0 : first.read;
  const others = inRounds(program, round) - round(firstShare(program));
  return others + Math.max(
    arrived + ownRound(firstShare(program)) + written,
    movedInFirstRound(program, work, everyUnit, device),
  );
}

function isOfUnits({ oncePerCore }: PageStream): boolean {
  return oncePerCore !== true;
}

/**
 * Cycles in which all cores move a unit each, and every core also reads the data that it needs for all units.
 */
function movedInFirstRound(
  program: StreamProgram,
  work: StreamWork,
  everyUnit: StreamWork,
  device: Device,
): number {
  const { units, written, shared } = everyUnit;
  const share = firstShare(program);
  const fetched = everyUnit.fetched / units + work.fetched - everyUnit.fetched;
  const ofRound = mapMemories(work.shared, ({ cycles, unevenness }, memory) => ({
    // Additional reads may make the mix faster; they then count as 0, never negative.
    cycles: shared[memory].cycles * share + Math.max(0, cycles - shared[memory].cycles),
    unevenness,
  }));
  return sharing(Math.max(fetched, written / units), ofRound, 1, device);
}

/**
 * Cycles per unit outside the passes: the read beyond the first pass and the write beyond the last, each at
 * least one part of the unit. All cores of a round move data simultaneously: the chip's memories count as
 * well. Operands beside the unit, such as weights, arrive during its passes.
 *
 * @returns both, as functions of the share of all units in a round
 */
function outsideOfPasses(
  { units, parts }: StreamProgram,
  passes: UnitPasses,
  { reads: [unit], writes, compute, units: ownUnits }: StreamWork,
  device: Device,
): (share: number) => { readonly read: number; readonly write: number } {
  const reads = unit === undefined ? [] : [{ ...unit, bytes: Math.min(unit.bytes, unit.tensor.bytes) }];
  const pass = compute / ownUnits / passes.count;
  const ownRead = threadCycles(device, reads, 1 / units, parts, "read");
  const ownWrite = threadCycles(device, writes, 1 / units, parts, "write");
  const [sharedRead, sharedWrite] = [sharedTime(device, reads, []), sharedTime(device, [], writes)];
  const beyondOnePass = (own: number, shared: SharedTime, share: number) => {
    const time = sharing(own, shared, share, device);
    return Math.max(time / parts, time - pass);
  };
  return (share) => ({
    read: beyondOnePass(ownRead, sharedRead, share),
    write: beyondOnePass(ownWrite, sharedWrite, share),
  });
}

/**
 * Cycles of ⌊units / cores⌋ full rounds, and of a last round of the cores with one unit more: shared memories
 * bound the full rounds, the core's own threads the last one.
 *
 * @param round cycles of one round, by the share of all units in it
 */
function inRounds({ units, cores }: StreamProgram, round: (share: number) => number): number {
  const full = Math.floor(units / cores);
  const last = units - full * cores;
  return full * round(cores / units) + (last > 0 ? round(last / units) : 0);
}

/**
 * Cycles of one round of units, one per core.
 *
 * @param own cycles that a core takes for a unit by itself
 * @param share of all units that the cores do in this round
 */
function roundCycles(
  { units, fetched, written, shared }: StreamWork,
  own: number,
  share: number,
  device: Device,
): number {
  return Math.max(own, sharing(Math.max(fetched, written) / units, shared, share, device));
}

/** Share of all units in the last round, in which only some cores run; 0 if all have equally many. */
function lastShare({ units, cores }: StreamProgram): number {
  const last = units - Math.floor(units / cores) * cores;
  return units > cores ? last / units : 0;
}

/** Share of all units in the first round. */
function firstShare({ units, cores }: StreamProgram): number {
  return Math.min(1, cores / units);
}

/** Cycles of an op whose cores process their own shards: compute, or copying within L1 if that takes longer. */
export function residentCost(program: ResidentProgram, device: Device): KernelCost {
  const compute = tileWorkCycles(program.compute, device);
  const read = program.copiedBytes / device.tensix.localCopyBytesPerCycle;
  return {
    ...FREE,
    cycles: startCycles(program.cores, device) + (compute > 0 ? device.tensix.computeStart : 0) +
      Math.max(compute, read),
    read,
    compute,
    cores: program.cores,
    flops: program.flops,
  };
}
