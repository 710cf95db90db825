// SPDX-License-Identifier: Apache-2.0
import { COMPARED_STATES } from "../search/limits.ts";
import type { SpillProblem, SpillTensor } from "./spill_problem.ts";

/** Most live tensors of a state: bits of a mask. */
export const MOST_LIVE = 31;

/** Location of each live tensor, one bit per tensor, and the µs spent so far. */
export interface Places {
  /** Tensors in L1. */
  readonly inL1: number;
  /** Those of them that have a copy in DRAM as well; all others are only in DRAM. */
  readonly inBoth: number;
  readonly cost: number;
}

/** Upper bounds on the µs that a live tensor can cost one state more than another from now on. */
export interface CatchUp {
  /** If it is in DRAM here and in L1 in the other state. */
  readonly fromDram: number;
  /** If it is only in L1 here and also has a copy in DRAM in the other state. */
  readonly toDram: number;
}

/**
 * Upper bounds, per live tensor, on the cost of switching to another state's locations: one copy back to L1
 * before the next use (or a direct read from DRAM at a last use that needs no more bytes), plus the copy to
 * DRAM if leaving L1 helps before a later use.
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

/**
 * The Pareto-optimal states, cheapest first; ties keep their order. State a dominates state b in two cases:
 * (1) same tensors in L1, a superset of b's copies in DRAM, and cost(a) ≤ cost(b); (2) a's tensors in L1 are
 * a subset of b's, and cost(a) + {@linkcode catchUpsAfter catch-up} < cost(b).
 */
export function undominated<State extends Places>(
  states: readonly State[],
  catchUps: readonly CatchUp[],
): State[] {
  const kept: State[] = [];
  const cheapest: State[] = [];
  const groups = new Map<number, State[]>();
  for (const state of states.toSorted((a, b) => a.cost - b.cost)) {
    const group = groups.get(state.inL1);
    const isDominated = group?.some((better) => dominates(better, state, catchUps)) === true ||
      cheapest.some((better) => dominates(better, state, catchUps));
    if (isDominated) continue;
    kept.push(state);
    if (cheapest.length < COMPARED_STATES) cheapest.push(state);
    if (group === undefined) groups.set(state.inL1, [state]);
    else group.push(state);
  }
  return kept;
}

/** @param better costs no more than `other` */
function dominates(better: Places, other: Places, catchUps: readonly CatchUp[]): boolean {
  if ((better.inL1 & ~other.inL1) !== 0) return false;
  const missing = other.inL1 & ~better.inL1;
  const uncopied = other.inBoth & ~better.inBoth;
  let { cost } = better;
  for (let bits = missing | uncopied; bits !== 0; bits &= bits - 1) {
    const bit = 31 - Math.clz32(bits & -bits);
    const catchUp = catchUps[bit];
    cost += ((missing >>> bit & 1) === 1 ? catchUp?.fromDram : catchUp?.toDram) ?? 0;
  }
  // Equal costs dominate only if the same tensors are in L1, so that the first of equal choices stays first.
  return cost < other.cost || (missing === 0 && cost === other.cost);
}
