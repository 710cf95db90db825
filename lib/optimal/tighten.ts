// SPDX-License-Identifier: Apache-2.0
import { IN_VAIN, TIGHTENING_ROUNDS } from "./limits.ts";
import type { ValueId } from "../graph/graph.ts";
import type { SharedCharge, Sharing } from "./factors/sharing.ts";

/** The facts about a solved problem that tightening needs. */
export interface TightenedSolution {
  /** A time in µs that no assignment beats. */
  readonly bound: number;
  /** µs of the assignment behind the bound. */
  readonly assignmentUs: number;
  /** How the readers of values shared their copies. */
  readonly sharings: ReadonlyMap<ValueId, Sharing>;
  /** Copies that cost more than the assignment is charged for them. */
  readonly undercharged: readonly SharedCharge[];
  /** Whether pricing the assignment with congestion raised a price, so that the next problem is more expensive. */
  readonly isCongested: boolean;
  /** Joint choices that were examined to solve it. */
  readonly work: number;
}

/**
 * Raises a lower bound that charges less for shared copies than they cost. A value whose copies are undercharged first
 * gets a variable that tells whether one branch serves all readers; if they still are, its undercharged copies are paid
 * in full, some per round. Then the copies of the solution are priced with congestion, round by round. Ends when
 * `isEnough` or `isSpent` says so, when an expensive paid round raised the bound by next to nothing
 * ({@linkcode IN_VAIN}), or after {@linkcode TIGHTENING_ROUNDS}.
 *
 * Moving the readers' shares towards those that pay most (a subgradient method) was removed: on 28 runs it
 * changed no plan by more than 0.006 % and raised one bound by 0.7 %, the others by less than 0.1 %.
 *
 * @param solve the problem under some sharings, none at first; values that are not in the map have equal shares
 * @param isEnough asked after every round: whether the bound is good enough
 * @param isSpent asked after every round, with its solution: whether to stop
 * @returns the solution with the highest bound, and the one with the fastest assignment
 */
export function tighten<Solution extends TightenedSolution>(
  solve: (sharings: ReadonlyMap<ValueId, Sharing>) => Solution,
  isEnough: (bound: number, leastUs: number) => boolean,
  isSpent: (solution: Solution) => boolean = () => false,
): { readonly highest: Solution; readonly cheapest: Solution } {
  let sharings: ReadonlyMap<ValueId, Sharing> = new Map();
  let current = solve(sharings);
  let highest = current;
  let highestSharings = sharings;
  let cheapest = current;
  /** Whether prices have changed since the highest bound was found. */
  let isOutdated = current.isCongested;
  const advance = (next: ReadonlyMap<ValueId, Sharing>): void => {
    sharings = next;
    current = solve(sharings);
    if (current.assignmentUs < cheapest.assignmentUs) cheapest = current;
    isOutdated = current.isCongested || (isOutdated && current.bound <= highest.bound);
    if (current.bound > highest.bound) [highest, highestSharings] = [current, sharings];
  };
  const isDone = (): boolean => isSpent(current) || isEnough(highest.bound, cheapest.assignmentUs);
  for (
    let round = 0;
    round < TIGHTENING_ROUNDS.paid && current.undercharged.length > 0 && !isDone();
    round++
  ) {
    const next = new Map(sharings);
    for (const { value, sharing, payNext } of current.undercharged) {
      const paid = sharing.separatesBranches ? [...sharing.paid, ...payNext] : sharing.paid;
      next.set(value, { ...sharing, separatesBranches: true, paid });
    }
    const before = highest.bound;
    advance(next);
    if (current.work >= IN_VAIN.work && highest.bound <= before * (1 + IN_VAIN.gain)) break;
  }
  // Go on from the best sharings; solve them again only if prices rose since.
  if (current !== highest && !isSpent(current)) {
    if (isOutdated) advance(highestSharings);
    else [current, sharings] = [highest, highestSharings];
  }
  for (let round = 0; current.isCongested && !isDone(); round++) {
    if (
      round >= (current.work < IN_VAIN.work ? TIGHTENING_ROUNDS.cheapCongested : TIGHTENING_ROUNDS.congested)
    ) break;
    advance(sharings);
  }
  return { highest, cheapest };
}
