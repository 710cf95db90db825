// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { type Demand, maxMinFairRates } from "./max_min_fair.ts";
import type { Network } from "./network.ts";
import { issueCycles } from "./noc.ts";
import {
  describeLink,
  hopCount,
  linkCount,
  multicastRoute,
  type NocId,
  type NocLinkKind,
  unicastRoute,
} from "./noc_route.ts";

/** A worker core or DRAM bank, by its place in {@linkcode Network.nodes}. */
export type Place = number;

/**
 * Bytes that one core moves between two places, or from one place to many. Reads are issued by the destination, writes
 * by the source; data flows from source to destination either way.
 */
export interface Flow {
  readonly kind: "read" | "write";
  readonly noc: NocId;
  readonly source: Place;
  /** One place, or several for a multicast write. */
  readonly destinations: readonly Place[];
  readonly bytes: number;
  /** Bytes of one transaction. */
  readonly transactionBytes: number;
  /** Multicasts that keep their path reserved from one to the next; default true. */
  readonly linked?: boolean;
}

/** The resource that most time would be lost on, were everything else infinitely fast. */
export interface Bottleneck {
  readonly kind: NocLinkKind | "dram_bank" | "issue";
  /** Words for it: `NoC0 link +x of (3, 1)`, `DRAM bank 4`, `reads of core 12`. */
  readonly name: string;
  /** Cycles that the resource is busy at the least. */
  readonly cycles: number;
}

/** Time and load of a set of flows that start together. */
export interface TrafficCost {
  /** Cycles until the last byte has arrived, latency included. */
  readonly cycles: number;
  /** Cycles until each flow has arrived. */
  readonly arrival: Float64Array;
  /** Bytes on the wire per link, headers included, by link id of `noc_route.ts`. */
  readonly linkBytes: Float64Array;
  /** Bytes read from and written to each DRAM bank. */
  readonly bankBytes: Float64Array;
  readonly bottleneck: Bottleneck | undefined;
}

/** A way to time traffic. */
export interface TrafficModel {
  time(flows: readonly Flow[]): TrafficCost;
}

/** Share of the active flows that may finish before rates are made anew; in between, freed capacity stays unused. */
const EPOCH_SHARE = 0.04;

/**
 * Congestion: at every moment the flows share all links, ways into and out of the network, banks and issuing cores
 * max-min fairly; when some have finished, the others speed up.
 */
export function flowTraffic(device: Device, network: Network): TrafficModel {
  return {
    time(flows) {
      const resources = resourcesOf(device, network, flows);
      const finish = finishCycles(resources, flows);
      const arrival = finish.map((cycles, index) => cycles + (resources.latency[index] ?? 0));
      return cost(resources, flows, busyCycles(resources, flows), arrival);
    },
  };
}

/** What flows need and what there is of it. Capacities are per cycle, weights per byte of payload. */
interface Resources {
  readonly network: Network;
  readonly demands: readonly (readonly Demand[])[];
  readonly capacity: Float64Array;
  /** Cycles from issue to arrival on an idle network, per flow. */
  readonly latency: readonly number[];
  /** First resource ids: links start at 0, then banks, then issuing threads (core × NoC). */
  readonly firstBank: number;
  readonly firstIssuer: number;
}

function resourcesOf(device: Device, network: Network, flows: readonly Flow[]): Resources {
  const firstBank = linkCount(network);
  const firstIssuer = firstBank + network.nodes.length - network.cores;
  const capacity = new Float64Array(firstIssuer + 2 * network.nodes.length);
  capacity.fill(device.noc.linkBytesPerCycle, 0, firstBank);
  capacity.fill(network.bankBytesPerCycle, firstBank, firstIssuer);
  capacity.fill(1, firstIssuer);
  const demands = flows.map((flow): Demand[] => {
    const source = nodeOf(network, flow.source);
    const targets = flow.destinations.map((place) => nodeOf(network, place));
    const [target = source] = targets;
    const links = targets.length > 1
      ? multicastRoute(network, flow.noc, source, targets)
      : unicastRoute(network, flow.noc, source, target);
    const wire = wireBytes(device, flow.transactionBytes) / flow.transactionBytes;
    const list = links.map((resource): Demand => ({ resource, weight: wire }));
    for (const place of [flow.source, ...flow.destinations]) {
      if (place >= network.cores) list.push({ resource: firstBank + place - network.cores, weight: 1 });
    }
    const issuer = flow.kind === "read" ? flow.destinations[0] ?? flow.source : flow.source;
    list.push({
      resource: firstIssuer + 2 * issuer + flow.noc,
      weight: issueWeight(device, network, flow),
    });
    return list;
  });
  return {
    network,
    demands,
    capacity,
    latency: flows.map((flow) => latencyOf(device, network, flow)),
    firstBank,
    firstIssuer,
  };
}

/** Bytes of one transaction on a link: whole flits plus one header flit per packet (tt-isa:noc). */
function wireBytes(device: Device, transactionBytes: number): number {
  const flit = device.noc.linkBytesPerCycle;
  const packets = Math.max(1, Math.ceil(transactionBytes / device.noc.maxBurst));
  return (Math.ceil(transactionBytes / flit) + packets) * flit;
}

/** Cycles of the issuing core's data movement thread per byte. */
function issueWeight(device: Device, network: Network, flow: Flow): number {
  const { kind, transactionBytes } = flow;
  if (flow.destinations.length > 1) {
    const reserve = flow.linked === false ? network.multicastReserve : 0;
    const busy = Math.max(device.noc.writeIssue, transactionBytes / device.noc.multicastBytesPerCycle);
    return (busy + reserve) / transactionBytes;
  }
  return issueCycles(device, { kind, transactionBytes, transactions: 1 }) / transactionBytes;
}

/**
 * Latency from issue to the end of the barrier: a request travels one way and its answer (or acknowledgement) the rest
 * of the way round the torus, so that it depends on whether rows and columns have to be crossed at all, not on how far
 * apart the places are. `noc.readLatency` and `noc.writeLatency` are those of a diagonal, which goes round both rings.
 */
function latencyOf(device: Device, network: Network, flow: Flow): number {
  const diagonal = flow.destinations.length > 1
    ? device.noc.multicastLatency
    : flow.kind === "read"
    ? device.noc.readLatency
    : device.noc.writeLatency;
  const both = device.noc.hop * (network.columns + network.rows);
  const source = nodeOf(network, flow.source);
  let longest = 0;
  for (const place of flow.destinations) {
    const target = nodeOf(network, place);
    if (target === source) {
      longest = Math.max(longest, network.localReadLatency);
      continue;
    }
    const hops = hopCount(network, flow.noc, source, target) + hopCount(network, flow.noc, target, source);
    longest = Math.max(longest, Math.max(network.localReadLatency, diagonal - both + device.noc.hop * hops));
  }
  return longest;
}

function nodeOf(network: Network, place: Place): number {
  const node = network.nodes[place];
  if (node === undefined) {
    throw new RangeError(`Cannot route to place ${place}: the network has ${network.nodes.length}`);
  }
  return node;
}

/** Cycles that each resource needs for all flows. */
function busyCycles(resources: Resources, flows: readonly Flow[]): Float64Array {
  const busy = new Float64Array(resources.capacity.length);
  flows.forEach((flow, index) => {
    for (const { resource, weight } of resources.demands[index] ?? []) {
      busy[resource] = (busy[resource] ?? 0) + flow.bytes * weight / (resources.capacity[resource] ?? 1);
    }
  });
  return busy;
}

/** Cycles until each flow has moved its last byte, latency left out. */
function finishCycles(resources: Resources, flows: readonly Flow[]): Float64Array {
  const left = Float64Array.from(flows, (flow) => flow.bytes);
  const finish = new Float64Array(flows.length);
  let active = flows.map((_, index) => index).filter((index) => (left[index] ?? 0) > 0);
  let now = 0;
  const ratesOf = maxMinFairRates(resources.demands, resources.capacity);
  while (active.length > 0) {
    const rates = ratesOf(active);
    const times = Float64Array.from(active, (index) => (left[index] ?? 0) / (rates[index] ?? 1)).sort();
    const span = times[Math.floor(active.length * EPOCH_SHARE)] ?? 0;
    const next: number[] = [];
    for (const index of active) {
      const rate = rates[index] ?? 0;
      const need = (left[index] ?? 0) / rate;
      if (need <= span) {
        finish[index] = now + need;
      } else {
        left[index] = (left[index] ?? 0) - rate * span;
        next.push(index);
      }
    }
    now += span;
    active = next;
  }
  return finish;
}

function cost(
  resources: Resources,
  flows: readonly Flow[],
  busy: Float64Array,
  arrival: Float64Array,
): TrafficCost {
  const { network, capacity, firstBank, firstIssuer } = resources;
  const bytes = busy.map((cycles, resource) => cycles * (capacity[resource] ?? 0));
  let hottest = 0;
  busy.forEach((cycles, resource) => {
    if (cycles > (busy[hottest] ?? 0)) hottest = resource;
  });
  return {
    cycles: arrival.reduce((last, cycles) => Math.max(last, cycles), 0),
    arrival,
    linkBytes: bytes.slice(0, firstBank),
    bankBytes: bytes.slice(firstBank, firstIssuer),
    bottleneck: flows.length === 0 ? undefined : {
      ...nameResource(network, hottest, firstBank, firstIssuer),
      cycles: busy[hottest] ?? 0,
    },
  };
}

function nameResource(
  network: Network,
  resource: number,
  firstBank: number,
  firstIssuer: number,
): Omit<Bottleneck, "cycles"> {
  if (resource >= firstIssuer) {
    const issuer = resource - firstIssuer;
    return { kind: "issue", name: `transactions of core ${Math.floor(issuer / 2)} on NoC${issuer % 2}` };
  }
  if (resource >= firstBank) return { kind: "dram_bank", name: `DRAM bank ${resource - firstBank}` };
  const { noc, x, y, kind } = describeLink(network, resource);
  const sign = noc === 0 ? "+" : "-";
  const what = kind === "inject" ? "way in" : kind === "eject" ? "way out" : `link ${sign}${kind}`;
  return { kind, name: `NoC${noc} ${what} of (${x}, ${y})` };
}
