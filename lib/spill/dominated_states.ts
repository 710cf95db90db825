// SPDX-License-Identifier: Apache-2.0
import type { SpillProblem, SpillTensor } from "./spill_problem.ts";

/** Where a tensor is: in L1 only, in L1 with a copy in DRAM, in DRAM only. */
export type Place = 0 | 1 | 2;
export const L1: Place = 0;
export const BOTH: Place = 1;
export const DRAM: Place = 2;

/** Where each live tensor is, and the µs that it took to get there. */
interface Placed {
  readonly places: readonly Place[];
  readonly cost: number;
}

/** µs at most that a live tensor costs one state more than another from now on. */
export interface CatchUp {
  /** It is in DRAM and the other one's is in L1. */
  readonly fromDram: number;
  /** It is in L1 alone and the other one's has a copy in DRAM as well. */
  readonly toDram: number;
}

/**
 * What it takes at most to do as another state does from here on, per live tensor: one copy back to L1 before the next
 * use, unless that is the last one and may read DRAM in no more bytes; the copy to DRAM, if leaving helps at any later use.
 *
 * @param helpsAfter whether room is short after a use before the next one, so that leaving may help
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

/** A state with a bit per tensor, in words of 32. */
interface Masked<State> {
  readonly state: State;
  readonly inL1: Int32Array;
  readonly inBoth: Int32Array;
}

/** Kept states that a state is compared with beside those with the same tensors in L1: the cheapest ones dominate most. */
const RIVALS = 256;

/**
 * The states that no other one dominates, the cheapest first, equals in their order. One dominates another if it has the
 * same tensors in L1, at least the same copies in DRAM and is not dearer; or if it has no other tensors in L1 and would
 * be cheaper still if it caught up with the other one.
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

/** @param better is not dearer */
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
  // Equal costs count only where the rest is the same: of equal choices the first one stays the first.
  return cost < other.state.cost || (isEqualInL1 && cost === better.state.cost);
}
