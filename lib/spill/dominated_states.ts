// SPDX-License-Identifier: Apache-2.0
import type { SpillProblem, SpillTensor } from "./spill_problem.ts";

/** Where a tensor is: in L1 only, in L1 with a copy in DRAM, in DRAM only. */
export type Place = 0 | 1 | 2;
export const L1: Place = 0;
export const BOTH: Place = 1;
export const DRAM: Place = 2;

/** Where each live tensor is, and the µs spent to get there. */
interface Placed {
  readonly places: readonly Place[];
  readonly cost: number;
}

/** Most µs that a live tensor can cost one state more than another from now on. */
export interface CatchUp {
  /** If it is in DRAM here and in L1 in the other state. */
  readonly fromDram: number;
  /** If it is only in L1 here and also has a copy in DRAM in the other state. */
  readonly toDram: number;
}

/**
 * Upper bound, per live tensor, of the cost of continuing like another state: one copy back to L1 before the
 * next use (or reading DRAM directly at a last use that needs no more bytes for that), plus the copy to DRAM
 * if leaving L1 helps at a later use.
 *
 * @param helpsAfter whether L1 is short between a use and the next one, so that leaving may help
 */
export function catchUpsAfter(
  problem: SpillProblem,
  live: readonly number[],
  step: number,
  helpsAfter: (tensor: SpillTensor, use: number) => boolean,
): readonly CatchUp[] {
  return live.map((index) => {
    const tensor = problem.tensors[index];
    if (tensor === undefined) throw new RangeError(`Cannot look ahead of tensor ${index}: there is none`);
    const next = tensor.uses.findIndex((use) => use.step > step);
    const last = tensor.uses.length - 1;
    const use = tensor.uses[next];
    const direct = next === last && use !== undefined && use.directBytes <= tensor.bytes
      ? use.directCost
      : Infinity;
    const mayLeave = tensor.uses.some((_use, number) => number >= next && helpsAfter(tensor, number));
    return {
      fromDram: Math.min(direct, tensor.reloadCost),
      toDram: mayLeave ? tensor.storeCost : 0,
    };
  });
}

/** A state as bit masks over the live tensors, in words of 32 bits. */
interface Masked<State> {
  readonly state: State;
  readonly inL1: Int32Array;
  readonly inBoth: Int32Array;
}

/**
 * Besides states with the same tensors in L1, each state is compared with this many of the cheapest kept
 * states, which dominate most.
 */
const RIVALS = 256;

/**
 * The Pareto-optimal states, cheapest first, equal ones in their order. A state dominates another in two
 * cases: it has the same tensors in L1, at least the same copies in DRAM, and at most the same cost; or its
 * tensors in L1 are a subset, and it stays cheaper after paying for the difference ({@linkcode
 * catchUpsAfter}).
 */
export function undominated<State extends Placed>(
  states: readonly State[],
  catchUps: readonly CatchUp[],
): State[] {
  const kept: Masked<State>[] = [];
  const cheapest: Masked<State>[] = [];
  const groups = new Map<string, Masked<State>[]>();
  for (const state of states.toSorted((a, b) => a.cost - b.cost)) {
    const masked = {
      state,
      inL1: maskOf(state.places, (place) => place !== DRAM),
      inBoth: maskOf(state.places, (place) => place === BOTH),
    };
    const key = masked.inL1.join();
    const group = groups.get(key);
    const isDominated = group?.some((better) => dominates(better, masked, catchUps)) === true ||
      cheapest.some((better) => dominates(better, masked, catchUps));
    if (isDominated) continue;
    kept.push(masked);
    if (cheapest.length < RIVALS) cheapest.push(masked);
    if (group === undefined) groups.set(key, [masked]);
    else group.push(masked);
  }
  return kept.map(({ state }) => state);
}

function maskOf(places: readonly Place[], isMeant: (place: Place) => boolean): Int32Array {
  const words = new Int32Array(Math.ceil(places.length / 32));
  places.forEach((place, index) => {
    if (isMeant(place)) words[index >>> 5] = (words[index >>> 5] ?? 0) | 1 << (index & 31);
  });
  return words;
}

/** @param better does not cost more */
function dominates<State extends Placed>(
  better: Masked<State>,
  other: Masked<State>,
  catchUps: readonly CatchUp[],
): boolean {
  let cost = better.state.cost;
  let isEqualInL1 = true;
  for (let word = 0; word < other.inL1.length; word++) {
    const inL1 = better.inL1[word] ?? 0;
    const otherInL1 = other.inL1[word] ?? 0;
    if ((inL1 & ~otherInL1) !== 0) return false;
    const missing = otherInL1 & ~inL1;
    const uncopied = (other.inBoth[word] ?? 0) & ~(better.inBoth[word] ?? 0);
    if (missing !== 0) isEqualInL1 = false;
    for (let bits = missing | uncopied; bits !== 0; bits &= bits - 1) {
      const bit = 31 - Math.clz32(bits & -bits);
      const catchUp = catchUps[word << 5 | bit];
      cost += ((missing >>> bit & 1) === 1 ? catchUp?.fromDram : catchUp?.toDram) ?? 0;
    }
  }
  // Equal costs count only if the same tensors are in L1, so that the first of equal choices stays first.
  return cost < other.state.cost || (isEqualInL1 && cost === better.state.cost);
}
