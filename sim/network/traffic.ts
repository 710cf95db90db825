// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { type Demands, maxMinFairRates } from "./max_min_fair.ts";
import { issueCycles, type Network } from "./network.ts";
import {
  describeLink,
  hopCount,
  linkCount,
  multicastRoute,
  type NocId,
  type NocLink,
  type NocLinkKind,
  unicastRoute,
} from "./noc_route.ts";

/** A worker core or DRAM bank, by its place in {@linkcode Network.nodes}. */
export type NetworkPlace = number;

/**
 * Bytes that one core moves between two places, or from one place to many. Reads are issued by the destination, writes
 * by the source; data flows from source to destination either way.
 */
export interface Flow {
  readonly kind: "read" | "write";
  readonly noc: NocId;
  readonly source: NetworkPlace;
  /** One place, or several for a multicast write. */
  readonly destinations: readonly NetworkPlace[];
  readonly bytes: number;
  readonly transactionBytes: number;
  /** Multicasts only: the path stays reserved between transactions; default true. */
  readonly linked?: boolean;
}

/** The busiest link, DRAM bank or issuing thread. */
export interface Bottleneck {
  readonly kind: NocLinkKind | "dram_bank" | "issue";
  /** Name: `NoC0 link +x of (3, 1)`, `DRAM bank 4`, `transactions of core 12 on NoC0`. */
  readonly name: string;
  /** Cycles it needs for all flows. */
  readonly cycles: number;
}

/** Demands of flows on the network, independent of time. */
export interface TrafficUse {
  /** Bytes on the wire per link, headers included, by link id of `noc_route.ts`. */
  readonly linkBytes: Float64Array;
  /** Bytes read from and written to each DRAM bank. */
  readonly bankBytes: Float64Array;
  /** `undefined` without flows. */
  readonly bottleneck: Bottleneck | undefined;
}

/** Time and load of a set of flows that start together. */
export interface TrafficCost extends TrafficUse {
  /** Cycles until the last byte has arrived, latency included. */
  readonly cycles: number;
  /** Cycles until each flow has arrived. */
  readonly arrival: Float64Array;
}

export interface TrafficModel {
  time(flows: readonly Flow[]): TrafficCost;
  /** The flows with their demands on the network, before timing. */
  load(flows: readonly Flow[]): TrafficLoad;
}

/** Flows that start together. */
export interface TrafficLoad {
  /**
   * Upper bound of their cycles, much cheaper than `time()`: every flow runs at the rate at which all flows
   * together fill its busiest resource.
   */
  readonly cyclesAtMost: number;
  /** Cheap: nothing is timed. */
  use(): TrafficUse;
  time(): TrafficCost;
}

/** Share of the active flows that may finish before rates are recomputed; until then freed capacity is unused. */
const EPOCH_SHARE = 0.04;

/**
 * Model of congestion: the active flows share links, injection and ejection, banks and issuing cores max-min
 * fairly; when a flow finishes, the others speed up.
 */
export function flowTraffic(device: Device, network: Network): TrafficModel {
  const routes = routesThrough(network);
  const load = (flows: readonly Flow[]): TrafficLoad => {
    const resources = resourcesOf(device, network, routes, flows);
    const use = () => useOf(resources, flows);
    return {
      cyclesAtMost: cyclesAtMost(resources, flows),
      use,
      time() {
        const finish = finishCycles(resources, flows);
        const arrival = finish.map((cycles, index) => cycles + (resources.latency[index] ?? 0));
        return { ...use(), cycles: arrival.reduce((last, cycles) => Math.max(last, cycles), 0), arrival };
      },
    };
  };
  return { load, time: (flows) => load(flows).time() };
}

/** Demands and capacities. Capacities are per cycle, weights per byte of payload. */
interface Resources {
  readonly network: Network;
  readonly demands: Demands;
  readonly capacity: Float64Array;
  /** Cycles from issue to arrival on an idle network, per flow. */
  readonly latency: Float64Array;
  /** First resource ids: links start at 0, then banks, then issuing threads (core × NoC). */
  readonly firstBank: number;
  readonly firstIssuer: number;
}

/** The links that a flow takes. */
type Routes = (flow: Flow) => readonly NocLink[];

/** Routes through a network; those between two places are laid out once. */
function routesThrough(network: Network): Routes {
  const laid = new Map<number, readonly NocLink[]>();
  const nodes = network.columns * network.rows;
  return ({ noc, source: place, destinations }) => {
    const source = nodeOf(network, place);
    if (destinations.length > 1) {
      return multicastRoute(network, noc, source, destinations.map((target) => nodeOf(network, target)));
    }
    const target = nodeOf(network, destinations[0] ?? place);
    const key = (noc * nodes + source) * nodes + target;
    return laid.getOrInsertComputed(key, () => unicastRoute(network, noc, source, target));
  };
}

function resourcesOf(device: Device, network: Network, routes: Routes, flows: readonly Flow[]): Resources {
  const firstBank = linkCount(network);
  const firstIssuer = firstBank + network.nodes.length - network.cores;
  const capacity = new Float64Array(firstIssuer + 2 * network.nodes.length);
  capacity.fill(device.noc.linkBytesPerCycle, 0, firstBank);
  capacity.fill(network.bankBytesPerCycle, firstBank, firstIssuer);
  capacity.fill(1, firstIssuer);
  const links = flows.map(routes);
  // Each flow needs its links, the banks among its places, and who issues it.
  const most = flows.reduce(
    (sum, flow, at) => sum + (links[at]?.length ?? 0) + flow.destinations.length + 2,
    0,
  );
  const start = new Int32Array(flows.length + 1);
  const resource = new Int32Array(most);
  const weight = new Float64Array(most);
  let count = 0;
  for (let at = 0; at < flows.length; at++) {
    const flow = flows[at];
    const taken = links[at];
    if (flow === undefined || taken === undefined) continue;
    const wire = wireBytes(device, flow.transactionBytes) / flow.transactionBytes;
    resource.set(taken, count);
    weight.fill(wire, count, count + taken.length);
    count += taken.length;
    for (let end = -1; end < flow.destinations.length; end++) {
      const place = end < 0 ? flow.source : flow.destinations[end] ?? 0;
      if (place < network.cores) continue;
      resource[count] = firstBank + place - network.cores;
      weight[count++] = 1;
    }
    const issuer = flow.kind === "read" ? flow.destinations[0] ?? flow.source : flow.source;
    resource[count] = firstIssuer + 2 * issuer + flow.noc;
    weight[count++] = issueWeight(device, network, flow);
    start[at + 1] = count;
  }
  return {
    network,
    demands: { start, resource: resource.subarray(0, count), weight: weight.subarray(0, count) },
    capacity,
    latency: Float64Array.from(flows, (flow) => latencyOf(device, network, flow)),
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
 * Cycles from issue to the end of the barrier. A request travels one way round the torus, its answer (or
 * acknowledgement) the rest of the ring: latency depends on whether rows and columns are crossed, at any
 * distance. `noc.readLatency` and `noc.writeLatency` are measured on a diagonal, round both rings.
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

function nodeOf(network: Network, place: NetworkPlace): number {
  const node = network.nodes[place];
  if (node === undefined) {
    throw new RangeError(`Cannot route to place ${place}: the network has ${network.nodes.length}`);
  }
  return node;
}

/** Cycles that each resource needs for all flows. */
function busyCycles({ demands, capacity }: Resources, flows: readonly Flow[]): Float64Array {
  const { start, resource, weight } = demands;
  const busy = new Float64Array(capacity.length);
  let index = 0;
  for (let flow = 0; flow < flows.length; flow++) {
    const bytes = flows[flow]?.bytes ?? 0;
    for (const end = start[flow + 1] ?? 0; index < end; index++) {
      const at = resource[index] ?? 0;
      busy[at] = (busy[at] ?? 0) + bytes * (weight[index] ?? 0) / (capacity[at] ?? 1);
    }
  }
  return busy;
}

/** As {@linkcode TrafficLoad.cyclesAtMost}. */
function cyclesAtMost({ demands, capacity, latency }: Resources, flows: readonly Flow[]): number {
  const { start, resource, weight } = demands;
  /** Cycles per byte of every flow when all flows share a resource. */
  const shared = new Float64Array(capacity.length);
  for (let index = 0; index < resource.length; index++) {
    const at = resource[index] ?? 0;
    shared[at] = (shared[at] ?? 0) + (weight[index] ?? 0) / (capacity[at] ?? 1);
  }
  let most = 0;
  let index = 0;
  for (let flow = 0; flow < flows.length; flow++) {
    let cyclesPerByte = 0;
    for (const end = start[flow + 1] ?? 0; index < end; index++) {
      const cycles = shared[resource[index] ?? 0] ?? 0;
      if (cycles > cyclesPerByte) cyclesPerByte = cycles;
    }
    most = Math.max(most, (flows[flow]?.bytes ?? 0) * cyclesPerByte + (latency[flow] ?? 0));
  }
  return most;
}

/** Cycles until each flow has moved its last byte, latency left out. */
function finishCycles(resources: Resources, flows: readonly Flow[]): Float64Array {
  const left = Float64Array.from(flows, (flow) => flow.bytes);
  const finish = new Float64Array(flows.length);
  let active = Int32Array.from(flows.keys()).filter((flow) => (left[flow] ?? 0) > 0);
  const needed = new Float64Array(active.length);
  let now = 0;
  const ratesOf = maxMinFairRates(resources.demands, resources.capacity);
  while (active.length > 0) {
    const rates = ratesOf(active);
    for (let at = 0; at < active.length; at++) {
      const flow = active[at] ?? 0;
      needed[at] = (left[flow] ?? 0) / (rates[flow] ?? 1);
    }
    const span = needed.slice(0, active.length).sort()[Math.floor(active.length * EPOCH_SHARE)] ?? 0;
    let kept = 0;
    for (let at = 0; at < active.length; at++) {
      const flow = active[at] ?? 0;
      const need = needed[at] ?? 0;
      if (need <= span) {
        finish[flow] = now + need;
      } else {
        left[flow] = (left[flow] ?? 0) - (rates[flow] ?? 0) * span;
        active[kept++] = flow;
      }
    }
    now += span;
    active = active.subarray(0, kept);
  }
  return finish;
}

function useOf(resources: Resources, flows: readonly Flow[]): TrafficUse {
  const { network, capacity, firstBank, firstIssuer } = resources;
  const busy = busyCycles(resources, flows);
  const bytes = busy.map((cycles, resource) => cycles * (capacity[resource] ?? 0));
  let hottest = 0;
  busy.forEach((cycles, resource) => {
    if (cycles > (busy[hottest] ?? 0)) hottest = resource;
  });
  return {
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
