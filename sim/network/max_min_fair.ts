// SPDX-License-Identifier: Apache-2.0

/** What flows need of resources, flow after flow: those of flow `f` from `start[f]` to `start[f + 1]`. */
export interface Demands {
  readonly start: Int32Array;
  /** Ids of resources; each at most once per flow. */
  readonly resource: Int32Array;
  /** Units of the resource per unit of the flow's rate. */
  readonly weight: Float64Array;
}

/**
 * Max-min fair rates by progressive filling: the rates of all flows grow together; when a resource is full, the flows
 * that use it stop, and the others go on. No rate can then grow without taking from a flow that is not faster.
 *
 * The demands are laid out once for all questions about them, as rates are asked for again each time flows finish.
 *
 * @param demands resources of each flow; a flow without any gets rate `Infinity`
 * @param capacity of each resource, by id
 * @returns rate per flow for the flows that share the resources, given in ascending order; the others get rate 0
 */
export function maxMinFairRates(
  { start, resource: resourceAt, weight: weightAt }: Demands,
  capacity: Float64Array,
): (active: readonly number[]) => Float64Array {
  const flows = start.length - 1;
  // Flows of each resource, in ascending order: those of resource `r` from `firstOf[r]` to `firstOf[r + 1]`.
  const firstOf = new Int32Array(capacity.length + 1);
  for (let index = 0; index < resourceAt.length; index++) {
    const next = (resourceAt[index] ?? 0) + 1;
    firstOf[next] = (firstOf[next] ?? 0) + 1;
  }
  for (let resource = 0; resource < capacity.length; resource++) {
    firstOf[resource + 1] = (firstOf[resource + 1] ?? 0) + (firstOf[resource] ?? 0);
  }
  const flowAt = new Int32Array(resourceAt.length);
  const filled = firstOf.slice();
  for (let flow = 0; flow < flows; flow++) {
    for (let index = start[flow] ?? 0; index < (start[flow + 1] ?? 0); index++) {
      const resource = resourceAt[index] ?? 0;
      const place = filled[resource] ?? 0;
      flowAt[place] = flow;
      filled[resource] = place + 1;
    }
  }
  const load = new Float64Array(capacity.length);
  const left = new Float64Array(capacity.length);
  const waiting = new Int32Array(capacity.length);
  // Resources in use, in the order in which flows name them, and the rate at which each is full; `slot` is its place.
  const used = new Int32Array(capacity.length);
  const share = new Float64Array(capacity.length);
  const slot = new Int32Array(capacity.length);
  const runs = new Uint8Array(flows);

  return (active) => {
    const rates = new Float64Array(flows);
    let usedCount = 0;
    let running = 0;
    for (const flow of active) {
      const end = start[flow + 1] ?? 0;
      const first = start[flow] ?? 0;
      if (first === end) {
        rates[flow] = Infinity;
        continue;
      }
      runs[flow] = 1;
      running++;
      for (let index = first; index < end; index++) {
        const resource = resourceAt[index] ?? 0;
        const others = waiting[resource] ?? 0;
        if (others === 0) {
          slot[resource] = usedCount;
          used[usedCount++] = resource;
          left[resource] = capacity[resource] ?? 0;
          load[resource] = 0;
        }
        load[resource] = (load[resource] ?? 0) + (weightAt[index] ?? 0);
        waiting[resource] = others + 1;
      }
    }
    for (let index = 0; index < usedCount; index++) {
      const resource = used[index] ?? 0;
      share[index] = Math.max(0, left[resource] ?? 0) / (load[resource] ?? 0);
    }
    let done = 0;
    while (running > 0) {
      // Far more resources are looked at than change: those that nobody waits for leave when they are half of them.
      if (2 * done > usedCount) {
        let kept = 0;
        for (let index = 0; index < usedCount; index++) {
          const resource = used[index] ?? 0;
          if (waiting[resource] === 0) continue;
          used[kept] = resource;
          share[kept] = share[index] ?? Infinity;
          slot[resource] = kept++;
        }
        usedCount = kept;
        done = 0;
      }
      let tightest = -1;
      let rate = Infinity;
      for (let index = 0; index < usedCount; index++) {
        const filledAt = share[index] ?? Infinity;
        if (filledAt < rate) {
          rate = filledAt;
          tightest = index;
        }
      }
      if (tightest === -1) break;
      const full = used[tightest] ?? 0;
      for (let place = firstOf[full] ?? 0; place < (firstOf[full + 1] ?? 0); place++) {
        const flow = flowAt[place] ?? 0;
        if (runs[flow] === 0) continue;
        runs[flow] = 0;
        running--;
        rates[flow] = rate;
        for (let index = start[flow] ?? 0; index < (start[flow + 1] ?? 0); index++) {
          const resource = resourceAt[index] ?? 0;
          const weight = weightAt[index] ?? 0;
          const others = (waiting[resource] ?? 0) - 1;
          const rest = (left[resource] ?? 0) - rate * weight;
          const demand = (load[resource] ?? 0) - weight;
          left[resource] = rest;
          load[resource] = demand;
          waiting[resource] = others;
          if (others === 0) done++;
          share[slot[resource] ?? 0] = others === 0 ? Infinity : Math.max(0, rest) / demand;
        }
      }
    }
    // Only rates that no resource bounds leave something behind.
    for (const flow of active) runs[flow] = 0;
    for (let index = 0; index < usedCount; index++) waiting[used[index] ?? 0] = 0;
    return rates;
  };
}
