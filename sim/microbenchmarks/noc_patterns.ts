// SPDX-License-Identifier: Apache-2.0
import type { MeasuredDevice } from "./measured_device.ts";

/** A run of equal transactions that one core issues to one or more peers before it waits. */
export interface UnicastRun {
  readonly kind: "read" | "write";
  readonly transactionBytes: number;
  readonly transactions: number;
  readonly peers: number;
  /** Whether issuer and peer share a row or column; with several peers they do not. */
  readonly sameAxis: boolean;
  /** Whether only the changing registers are set per transaction. */
  readonly stateful: boolean;
}

/** Cycles from the first issue to the barrier, on an idle network. */
export function unicastCycles(run: UnicastRun, device: MeasuredDevice): number {
  const { noc, unicast } = device;
  const read = run.kind === "read";
  const issue = run.stateful
    ? (read ? unicast.readIssueStateful : unicast.writeIssueStateful)
    : (read ? noc.readIssue : noc.writeIssue);
  const rate = read ? noc.readBytesPerCycle : noc.writeBytesPerCycle;
  const latency = run.sameAxis
    ? (read ? unicast.readLatencySameAxis : unicast.writeLatencySameAxis)
    : (read ? noc.readLatency : noc.writeLatency);
  const moving = run.transactionBytes / rate;
  return latency + (run.peers - 1) * unicast.peerSetup + moving +
    (run.transactions - 1) * Math.max(issue, moving);
}

/** A run of equal multicasts from one core to a rectangle of cores. */
export interface MulticastRun {
  readonly transactionBytes: number;
  readonly transactions: number;
  /** Extents of the rectangle of receivers. */
  readonly columns: number;
  readonly rows: number;
  /** Whether the path stays reserved from one multicast to the next. */
  readonly linked: boolean;
  /** Whether the sender is one of the receivers. */
  readonly loopback: boolean;
}

/** Cycles from the first issue of a multicast run to its barrier. */
export function multicastCycles(run: MulticastRun, device: MeasuredDevice): number {
  const { noc, multicast } = device;
  const hops = run.columns + run.rows - 2;
  const packets = Math.max(1, Math.ceil(run.transactionBytes / noc.maxBurst));
  const line = (run.columns === 1 || run.rows === 1) && !run.loopback ? multicast.reserveLine : 0;
  const reserve = run.loopback
    ? multicast.loopbackReserveHop * hops
    : multicast.reserve + multicast.reserveHop * hops + line;
  const moving = run.transactionBytes / noc.multicastBytesPerCycle;
  // Every receiver of every packet acknowledges to the sender.
  const acknowledged = run.columns * run.rows * packets * multicast.acknowledge;
  const linked = run.loopback ? moving + acknowledged : Math.max(moving, acknowledged);
  const each = Math.max(multicast.issue, run.linked ? linked : moving + packets * reserve);
  return noc.multicastLatency + noc.hop * hops + moving + (run.transactions - 1) * each +
    (run.linked ? 0 : Math.max(0, packets - 1) * reserve);
}

/** Every core of a grid exchanging equal transactions with every core. */
export interface AllToAllRun {
  readonly kind: "read" | "write";
  readonly transactionBytes: number;
  /** Transactions of one core. */
  readonly transactions: number;
  readonly columns: number;
  readonly rows: number;
}

/**
 * Cycles until all cores have exchanged their transactions. Uniform traffic loads the rings of the torus evenly: a
 * byte crosses half a ring in each dimension, and only the rings of the grid's own rows and columns carry it, so that
 * `cores × ring / 2` link crossings share `rows × ring` links along the rows, and likewise along the columns.
 */
export function allToAllCycles(run: AllToAllRun, device: MeasuredDevice): number {
  const { noc, unicast, allToAll } = device;
  const cores = run.columns * run.rows;
  const wire = run.transactionBytes + noc.linkBytesPerCycle;
  const capacity = noc.linkBytesPerCycle / Math.max(1, run.columns / 2, run.rows / 2);
  if (run.kind === "write") {
    const rate = Math.min(noc.writeBytesPerCycle, capacity * allToAll.efficiency);
    return noc.writeLatency + (cores - 1) * unicast.peerSetup +
      run.transactions * Math.max(noc.writeIssue, wire / rate);
  }
  const rate = Math.min(
    noc.readBytesPerCycle,
    allToAll.readBytesPerCycle * (64 / cores) ** allToAll.readExponent,
  );
  const issue = Math.max(noc.readIssue, wire / rate);
  return noc.readLatency + (cores - 1) * unicast.peerSetup + run.transactions * issue;
}

/** A run of equal transactions of one core with DRAM. */
export interface DramRun {
  readonly kind: "read" | "write";
  readonly transactionBytes: number;
  readonly transactions: number;
  /** Whether the pages are spread over all banks; otherwise one bank has them. */
  readonly interleaved: boolean;
}

/** Cycles from the first issue to the barrier of one core's transactions with DRAM. */
export function dramRunCycles(run: DramRun, device: MeasuredDevice): number {
  const { noc, dramRun } = device;
  const latency = run.kind === "read" ? dramRun.readLatency : dramRun.writeLatency;
  // Packets of the largest size keep both halves of a bank busy.
  const bank = run.transactionBytes >= noc.maxBurst
    ? dramRun.bankBurstBytesPerCycle
    : dramRun.bankBytesPerCycle;
  const rate = run.interleaved ? dramRun.interleavedBytesPerCycle : bank;
  const short = run.kind === "write" && run.transactionBytes <= dramRun.shortWriteBytes;
  const issue = run.interleaved ? noc.interleavedIssue : short ? dramRun.shortWriteIssue : dramRun.bankIssue;
  const linkRate = run.kind === "read" ? noc.readBytesPerCycle : noc.writeBytesPerCycle;
  return latency + run.transactionBytes / linkRate +
    (run.transactions - 1) * Math.max(issue, run.transactionBytes / rate);
}
