// SPDX-License-Identifier: Apache-2.0

/** A share of one resource that a flow takes: `weight` units of it per unit of the flow's rate. */
export interface Demand {
  readonly resource: number;
  readonly weight: number;
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
  demands: readonly (readonly Demand[])[],
  capacity: Float64Array,
): (active: readonly number[]) => Float64Array {
  const flows = demands.length;
  const total = demands.reduce((sum, list) => sum + list.length, 0);
  const start = new Int32Array(flows + 1);
  const resourceAt = new Int32Array(total);
  const weightAt = new Float64Array(total);
  // Flows of each resource, in ascending order: those of resource `r` from `firstOf[r]` to `firstOf[r + 1]`.
  const firstOf = new Int32Array(capacity.length + 1);
  let at = 0;
  demands.forEach((list, flow) => {
    for (const { resource, weight } of list) {
      resourceAt[at] = resource;
      weightAt[at++] = weight;
      firstOf[resource + 1] = (firstOf[resource + 1] ?? 0) + 1;
    }
    start[flow + 1] = at;
  });
  for (let resource = 0; resource < capacity.length; resource++) {
    firstOf[resource + 1] = (firstOf[resource + 1] ?? 0) + (firstOf[resource] ?? 0);
  }
  const flowAt = new Int32Array(total);
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
  /** Rate at which each resource is full; kept, as far more resources are looked at than change. */
  const share = new Float64Array(capacity.length);
  const waiting = new Int32Array(capacity.length);
  const used = new Int32Array(capacity.length);
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
      share[resource] = Math.max(0, left[resource] ?? 0) / (load[resource] ?? 0);
    }
    while (running > 0) {
      let tightest = -1;
      let rate = Infinity;
      let kept = 0;
      for (let index = 0; index < usedCount; index++) {
        const resource = used[index] ?? 0;
        const filledAt = share[resource] ?? Infinity;
        if (filledAt === Infinity && waiting[resource] === 0) continue;
        used[kept++] = resource;
        if (filledAt < rate) {
          rate = filledAt;
          tightest = resource;
        }
      }
      usedCount = kept;
      if (tightest === -1) break;
      for (let place = firstOf[tightest] ?? 0; place < (firstOf[tightest + 1] ?? 0); place++) {
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
          share[resource] = others === 0 ? Infinity : Math.max(0, rest) / demand;
        }
      }
    }
    // Only rates that no resource bounds leave something behind.
    for (const flow of active) runs[flow] = 0;
    for (let index = 0; index < usedCount; index++) waiting[used[index] ?? 0] = 0;
    return rates;
  };
}
