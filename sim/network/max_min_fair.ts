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
 * @param demands resources of each flow; a flow without any gets rate `Infinity`
 * @param capacity of each resource, by id
 * @param active flows that share the resources; the others get rate 0
 * @returns rate per flow
 */
export function maxMinFairRates(
  demands: readonly (readonly Demand[])[],
  capacity: Float64Array,
  active: readonly number[],
): Float64Array {
  const rates = new Float64Array(demands.length);
  const load = new Float64Array(capacity.length);
  const waiting = new Int32Array(capacity.length);
  const flowsOf: number[][] = [];
  const used: number[] = [];
  for (const flow of active) {
    for (const { resource, weight } of demands[flow] ?? []) {
      const list = flowsOf[resource];
      if (list === undefined) {
        flowsOf[resource] = [flow];
        used.push(resource);
      } else {
        list.push(flow);
      }
      load[resource] = (load[resource] ?? 0) + weight;
      waiting[resource] = (waiting[resource] ?? 0) + 1;
    }
  }
  const left = Float64Array.from(capacity);
  const stopped = new Uint8Array(demands.length);
  let running = 0;
  for (const flow of active) {
    if ((demands[flow]?.length ?? 0) === 0) rates[flow] = Infinity;
    else running++;
  }
  while (running > 0) {
    let tightest = -1;
    let rate = Infinity;
    for (const resource of used) {
      if (waiting[resource] === 0) continue;
      const share = Math.max(0, left[resource] ?? 0) / (load[resource] ?? 0);
      if (share < rate) {
        rate = share;
        tightest = resource;
      }
    }
    if (tightest === -1) break;
    for (const flow of flowsOf[tightest] ?? []) {
      if (stopped[flow] === 1) continue;
      stopped[flow] = 1;
      running--;
      rates[flow] = rate;
      for (const { resource, weight } of demands[flow] ?? []) {
        left[resource] = (left[resource] ?? 0) - rate * weight;
        load[resource] = (load[resource] ?? 0) - weight;
        waiting[resource] = (waiting[resource] ?? 0) - 1;
      }
    }
  }
  return rates;
}
