// SPDX-License-Identifier: Apache-2.0
import { Heap } from "../../search/heap.ts";

/** An order in which to eliminate variables, and its cost. */
export interface EliminationOrder {
  readonly order: readonly number[];
  /** Sum over the steps of the joint choices of the variable and its neighbours: additions per factor. */
  readonly work: number;
  /** Joint choices of the most expensive step. */
  readonly dearest: number;
  /** Variables that occur in the most expensive step, ascending. */
  readonly dearestVariables: readonly number[];
  /** Most neighbours of any variable when it is eliminated: an upper bound of the treewidth. */
  readonly width: number;
}

/**
 * Repeatedly picks the variable that is cheapest to eliminate (min-weight); ties by index. For graphs of neural
 * networks this finds orders of width 2 to 4 (derived:exact-layouts).
 */
export function eliminationOrder(
  domains: readonly number[],
  scopes: readonly (readonly number[])[],
): EliminationOrder {
  const neighbours = domains.map(() => new Set<number>());
  for (const scope of scopes) {
    for (const a of scope) for (const b of scope) if (a !== b) neighbours[a]?.add(b);
  }
  const weightOf = (variable: number): number => {
    let weight = domains[variable] ?? 1;
    for (const other of neighbours[variable] ?? []) {
      weight *= domains[other] ?? 1;
      // Nothing of this size is ever enumerated, and a tensor of a thousand readers has as many neighbours.
      if (weight > Number.MAX_SAFE_INTEGER) return Infinity;
    }
    return weight;
  };
  const heap = new Heap<{ readonly weight: number; readonly variable: number }>((a, b) =>
    a.weight < b.weight || (a.weight === b.weight && a.variable < b.variable)
  );
  const weights = domains.map((_, variable) => weightOf(variable));
  weights.forEach((weight, variable) => heap.push({ weight, variable }));
  const gone = new Uint8Array(domains.length);
  const order: number[] = [];
  let work = 0;
  let dearest = 0;
  let dearestVariables: readonly number[] = [];
  let width = 0;
  for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
    const { weight, variable } = top;
    if (gone[variable] === 1 || weight !== weights[variable]) continue;
    gone[variable] = 1;
    order.push(variable);
    work += weight;
    const around = [...neighbours[variable] ?? []];
    width = Math.max(width, around.length);
    if (weight > dearest) {
      dearest = weight;
      dearestVariables = [variable, ...around].sort((a, b) => a - b);
    }
    for (const a of around) {
      neighbours[a]?.delete(variable);
      for (const b of around) if (a !== b) neighbours[a]?.add(b);
    }
    for (const other of around) {
      const changed = weightOf(other);
      if (changed === weights[other]) continue;
      weights[other] = changed;
      heap.push({ weight: changed, variable: other });
    }
  }
  return { order, work, dearest, dearestVariables, width };
}
