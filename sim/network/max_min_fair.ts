// SPDX-License-Identifier: Apache-2.0

/** Demands of flows on resources, flow by flow: those of flow `f` from `start[f]` to `start[f + 1]`. */
export interface Demands {
  readonly start: Int32Array;
  /** Ids of resources; each at most once per flow. */
  readonly resource: Int32Array;
  /** Units of the resource per unit of the flow's rate. */
  readonly weight: Float64Array;
}

/**
 * Max-min fair rates by progressive filling: the rates of all flows grow together; when a resource is full,
 * the rates of its flows are fixed and the others grow on. In the result, raising a flow's rate would lower
 * that of a flow that is at most as fast. This call indexes the demands; the returned function computes rates
 * each time flows finish.
 *
 * @param demands resources of each flow; a flow without any gets rate `Infinity`
 * @param capacity of each resource, by id
 * @returns rate per flow for the flows that share the resources, given in ascending order; the others get
 *   rate 0. The next call reuses the memory of the result.
 */
export function maxMinFairRates(
  demands: Demands,
  capacity: Float64Array,
): (active: Int32Array) => Float64Array {
  const needed = withoutDominated(withoutDominated(demands, capacity, 1), capacity, -1);
  const filling = new ProgressiveFilling(needed, capacity);
  return (active) => filling.rates(active);
}

/**
 * Drops demands on dominated resources: r is dominated if all its flows need the same adjacent resource s,
 * with a weight / capacity of at least r's. Then s is full first, and no rate depends on r.
 *
 * @param step 1 compares with the next resource of a flow, -1 with the one before
 */
function withoutDominated(
  { start, resource, weight }: Demands,
  capacity: Float64Array,
  step: 1 | -1,
): Demands {
  const shareAt = (index: number): number => (weight[index] ?? 0) / (capacity[resource[index] ?? 0] ?? 1);
  /** By resource: the one that all flows seen so far need beside it, `UNSEEN`, or `NONE`. */
  const beside = new Int32Array(capacity.length).fill(UNSEEN);
  for (let flow = 0; flow + 1 < start.length; flow++) {
    const first = start[flow] ?? 0;
    const end = start[flow + 1] ?? 0;
    for (let index = first; index < end; index++) {
      const at = resource[index] ?? 0;
      const other = index + step;
      const covers = other >= first && other < end && shareAt(other) >= shareAt(index);
      const next = covers ? resource[other] ?? NONE : NONE;
      if (beside[at] === UNSEEN) beside[at] = next;
      else if (beside[at] !== next) beside[at] = NONE;
    }
  }
  const kept = { start: new Int32Array(start.length), resource: resource.slice(), weight: weight.slice() };
  let count = 0;
  for (let flow = 0; flow + 1 < start.length; flow++) {
    for (let index = start[flow] ?? 0; index < (start[flow + 1] ?? 0); index++) {
      const at = resource[index] ?? 0;
      if (beside[at] !== NONE) continue;
      kept.resource[count] = at;
      kept.weight[count++] = weight[index] ?? 0;
    }
    kept.start[flow + 1] = count;
  }
  return { ...kept, resource: kept.resource.subarray(0, count), weight: kept.weight.subarray(0, count) };
}

const NONE = -1;
const UNSEEN = -2;

/** The flows of each resource in ascending order: those of resource `r` from `first[r]` to `first[r + 1]`. */
interface FlowsOfResources {
  readonly first: Int32Array;
  readonly flow: Int32Array;
}

/** The demands by resource in place of by flow. */
function flowsByResource({ start, resource: resourceAt }: Demands, resources: number): FlowsOfResources {
  const first = new Int32Array(resources + 1);
  for (let index = 0; index < resourceAt.length; index++) {
    const next = (resourceAt[index] ?? 0) + 1;
    first[next] = (first[next] ?? 0) + 1;
  }
  for (let resource = 0; resource < resources; resource++) {
    first[resource + 1] = (first[resource + 1] ?? 0) + (first[resource] ?? 0);
  }
  const flowAt = new Int32Array(resourceAt.length);
  const filled = first.slice();
  for (let flow = 0; flow + 1 < start.length; flow++) {
    for (let index = start[flow] ?? 0; index < (start[flow + 1] ?? 0); index++) {
      const resource = resourceAt[index] ?? 0;
      const place = filled[resource] ?? 0;
      flowAt[place] = flow;
      filled[resource] = place + 1;
    }
  }
  return { first, flow: flowAt };
}

/** Relative difference up to which rates that are summed in different orders count as equal. */
const EQUAL_RATES = 1e-12;

/** State of one computation of rates; its memory is reused by the next. */
class ProgressiveFilling {
  readonly #demands: Demands;
  readonly #capacity: Float64Array;
  readonly #flowsOf: FlowsOfResources;
  /** By resource: weight of its growing flows, capacity that the stopped flows leave, number of growing flows. */
  readonly #load: Float64Array;
  readonly #left: Float64Array;
  readonly #growing: Int32Array;
  /**
   * Resources in use, in the order in which flows name them, and the rate at which each is full; `slot` is its place.
   */
  readonly #used: Int32Array;
  readonly #fullAt: Float64Array;
  readonly #slot: Int32Array;
  #usedCount = 0;
  /** Resources among the used ones whose flows all have stopped. */
  #doneCount = 0;
  readonly #grows: Uint8Array;
  readonly #rates: Float64Array;
  #growingFlows = 0;

  constructor(demands: Demands, capacity: Float64Array) {
    const resources = capacity.length;
    this.#demands = demands;
    this.#capacity = capacity;
    this.#flowsOf = flowsByResource(demands, resources);
    this.#load = new Float64Array(resources);
    this.#left = new Float64Array(resources);
    this.#growing = new Int32Array(resources);
    this.#used = new Int32Array(resources);
    this.#fullAt = new Float64Array(resources);
    this.#slot = new Int32Array(resources);
    this.#grows = new Uint8Array(demands.start.length - 1);
    this.#rates = new Float64Array(demands.start.length - 1);
  }

  rates(active: Int32Array): Float64Array {
    const rates = this.#rates.fill(0);
    this.#start(active, rates);
    while (this.#growingFlows > 0) {
      // Far more resources are scanned than change: unused ones are removed when they are half of them.
      if (2 * this.#doneCount > this.#usedCount) this.#dropDone();
      const full = this.#fullNext();
      if (full.length === 0) break;
      const rate = this.#fullAt[full[0] ?? 0] ?? Infinity;
      for (let index = 0; index < full.length; index++) this.#stopFlows(full[index] ?? 0, rate, rates);
    }
    // Flows that no resource bounds are still marked as growing; the next call starts clean.
    if (this.#growingFlows > 0) {
      this.#grows.fill(0);
      this.#growing.fill(0);
    }
    return rates;
  }

  /** All flows grow from 0; those that need nothing have no limit. */
  #start(active: Int32Array, rates: Float64Array): void {
    const { start, resource: resourceAt, weight: weightAt } = this.#demands;
    const load = this.#load;
    const left = this.#left;
    const growing = this.#growing;
    const used = this.#used;
    const slot = this.#slot;
    const capacity = this.#capacity;
    const grows = this.#grows;
    let usedCount = 0;
    let growingFlows = 0;
    for (let at = 0; at < active.length; at++) {
      const flow = active[at] ?? 0;
      const first = start[flow] ?? 0;
      const end = start[flow + 1] ?? 0;
      if (first === end) {
        rates[flow] = Infinity;
        continue;
      }
      grows[flow] = 1;
      growingFlows++;
      for (let index = first; index < end; index++) {
        const resource = resourceAt[index] ?? 0;
        const others = growing[resource] ?? 0;
        if (others === 0) {
          slot[resource] = usedCount;
          used[usedCount++] = resource;
          left[resource] = capacity[resource] ?? 0;
          load[resource] = weightAt[index] ?? 0;
        } else {
          load[resource] = (load[resource] ?? 0) + (weightAt[index] ?? 0);
        }
        growing[resource] = others + 1;
      }
    }
    this.#usedCount = usedCount;
    this.#doneCount = 0;
    this.#growingFlows = growingFlows;
    for (let index = 0; index < usedCount; index++) {
      const resource = used[index] ?? 0;
      this.#fullAt[index] = Math.max(0, left[resource] ?? 0) / (load[resource] ?? 0);
    }
  }

  #dropDone(): void {
    const used = this.#used;
    const fullAt = this.#fullAt;
    let kept = 0;
    for (let index = 0; index < this.#usedCount; index++) {
      const resource = used[index] ?? 0;
      if (this.#growing[resource] === 0) continue;
      used[kept] = resource;
      fullAt[kept] = fullAt[index] ?? Infinity;
      this.#slot[resource] = kept++;
    }
    this.#usedCount = kept;
    this.#doneCount = 0;
  }

  /**
   * Places of the resources that are full next, all at the same rate: the links of a path that flows share, and
   * paths that are alike, of which a regular layout change has dozens. Empty if no resource is ever full.
   */
  #fullNext(): readonly number[] {
    const fullAt = this.#fullAt;
    const count = this.#usedCount;
    let rate = Infinity;
    for (let index = 0; index < count; index++) {
      const full = fullAt[index] ?? Infinity;
      if (full < rate) rate = full;
    }
    const tightest: number[] = [];
    if (rate === Infinity) return tightest;
    const most = rate * (1 + EQUAL_RATES);
    for (let index = 0; index < count; index++) {
      if ((fullAt[index] ?? Infinity) <= most) tightest.push(index);
    }
    return tightest;
  }

  /** The flows of a full resource keep the rate that they have. */
  #stopFlows(place: number, rate: number, rates: Float64Array): void {
    const { start, resource: resourceAt, weight: weightAt } = this.#demands;
    const { first, flow: flowAt } = this.#flowsOf;
    const load = this.#load;
    const left = this.#left;
    const growing = this.#growing;
    const grows = this.#grows;
    const fullAt = this.#fullAt;
    const slot = this.#slot;
    const full = this.#used[place] ?? 0;
    for (let at = first[full] ?? 0; at < (first[full + 1] ?? 0); at++) {
      const flow = flowAt[at] ?? 0;
      if (grows[flow] === 0) continue;
      grows[flow] = 0;
      this.#growingFlows--;
      rates[flow] = rate;
      for (let index = start[flow] ?? 0; index < (start[flow + 1] ?? 0); index++) {
        const resource = resourceAt[index] ?? 0;
        const weight = weightAt[index] ?? 0;
        const others = (growing[resource] ?? 0) - 1;
        const rest = (left[resource] ?? 0) - rate * weight;
        const demand = (load[resource] ?? 0) - weight;
        left[resource] = rest;
        load[resource] = demand;
        growing[resource] = others;
        if (others === 0) this.#doneCount++;
        fullAt[slot[resource] ?? 0] = others === 0 ? Infinity : (rest > 0 ? rest : 0) / demand;
      }
    }
  }
}
