// SPDX-License-Identifier: Apache-2.0
import { GUESSED_DISTANCE, MOST_SHARE_MOVED } from "./limits.ts";
import type { ValueId } from "../graph/graph.ts";
import { ROUNDING } from "./elimination/factor.ts";
import type { SharedCharge, SharesInto, Sharing } from "./factors/sharing.ts";

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
  /** Whether the next problem has higher prices, because the assignment was priced with congestion. */
  readonly isCongested: boolean;
  /** Joint choices that were examined to solve it. */
  readonly work: number;
}

/**
 * A round that takes at least this much work and raises the bound by at most this share is the last: the next
 * one would take more work and gain less.
 */
const IN_VAIN = { work: 500_000, gain: 1e-4 } as const;

/**
 * Rounds, by kind: those that move shares between readers; one that separates branches; those that pay copies
 * in full, of which the first gain most; those that only update prices with congestion. Each of the last kind
 * finds other layouts, dozens of which may be equally fast without congestion, so there are many of these
 * rounds if one takes little work ({@linkcode IN_VAIN}).
 */
const ROUNDS = { shares: 4, paid: 1 + 4, congested: 8, cheapCongested: 64 } as const;

/**
 * Raises a lower bound that charges less for shared copies than they cost. First it changes the readers'
 * shares, by target layout (subgradient method with Polyak's step length, scaled); then it separates
 * solutions in which all readers share one branch of copies; then it pays copies in full while shares change
 * further. Ends when the assignment costs as much as the bound, or after a fixed number of rounds.
 *
 * @param solve the problem under some sharings, none at first; values that are not in the map have equal shares
 * @param isEnough asked after every round: whether shares and fully paid copies are good enough
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
  let best = current;
  let bestSharings = sharings;
  let cheapest = current;
  /** Whether prices have changed since the best solution was found. */
  let isBestOutdated = current.isCongested;
  let step = 1;
  const advance = (next: ReadonlyMap<ValueId, Sharing>): void => {
    sharings = next;
    current = solve(sharings);
    if (current.assignmentUs < cheapest.assignmentUs) cheapest = current;
    if (current.bound > best.bound) {
      best = current;
      bestSharings = sharings;
      isBestOutdated = current.isCongested;
    } else {
      step /= 2;
      isBestOutdated ||= current.isCongested;
    }
  };
  const returnToBest = (): void => {
    if (isBestOutdated) return advance(bestSharings);
    sharings = bestSharings;
    current = best;
  };
  const isDone = (): boolean =>
    isSpent(current) || current.undercharged.length === 0 || isEnough(best.bound, cheapest.assignmentUs);
  const moved = (undercharged: readonly SharedCharge[]): ReadonlyMap<ValueId, Sharing> =>
    movedShares(sharings, undercharged, step * distanceOf(cheapest.assignmentUs, current.bound));
  for (let round = 0; round < ROUNDS.shares && !isDone(); round++) advance(moved(current.undercharged));
  if (current !== best && !isSpent(current)) returnToBest();
  for (let round = 0; round < ROUNDS.paid && !isDone(); round++) {
    const next = new Map(moved(current.undercharged.filter(({ sharing }) => sharing.separatesBranches)));
    // Values whose shares moved may be charged too little in other solutions.
    for (const [value, sharing] of round === 0 ? sharings : []) {
      if (sharing.sharesInto !== undefined) next.set(value, { ...sharing, separatesBranches: true });
    }
    for (const { value, sharing, payNext } of current.undercharged) {
      const paid = sharing.separatesBranches ? [...sharing.paid, ...payNext] : sharing.paid;
      next.set(value, { ...sharing, ...next.get(value), separatesBranches: true, paid });
    }
    const before = best.bound;
    advance(next);
    if (current.work >= IN_VAIN.work && best.bound <= before * (1 + IN_VAIN.gain)) break;
  }
  if (current !== best && !isSpent(current)) returnToBest();
  const isWorthPricing = (): boolean =>
    current.isCongested && !isSpent(current) && !isEnough(best.bound, cheapest.assignmentUs);
  for (let round = 0; isWorthPricing(); round++) {
    if (round >= (current.work < IN_VAIN.work ? ROUNDS.cheapCongested : ROUNDS.congested)) break;
    advance(sharings);
  }
  return { highest: best, cheapest };
}

/**
 * µs between a bound and the best assignment; an assumption if no assignment was found that a plan can make as
 * it is.
 */
function distanceOf(assignmentUs: number, bound: number): number {
  return assignmentUs === Infinity ? bound * GUESSED_DISTANCE : Math.max(0, assignmentUs - bound);
}

/**
 * Moves shares of copies into the same layouts towards readers that pay more for such copies than the mean.
 * Every list of shares moves equally far, independent of the prices: together just enough to close the gap,
 * but at most {@linkcode MOST_SHARE_MOVED}.
 */
function movedShares(
  sharings: ReadonlyMap<ValueId, Sharing>,
  undercharged: readonly SharedCharge[],
  distance: number,
): ReadonlyMap<ValueId, Sharing> {
  const directions = undercharged.map(({ into }) => into.map(({ paths }) => directionOf(paths)));
  const steepness = directions.flat().reduce((sum, { length }) => sum + length, 0);
  if (steepness === 0) return sharings;
  const far = Math.min(MOST_SHARE_MOVED, distance / steepness);
  const next = new Map(sharings);
  undercharged.forEach(({ value, sharing, into }, index) => {
    const sharesInto = into.map(({ layouts, shares }, list): SharesInto => {
      const unit = directions[index]?.[list]?.unit;
      return unit === undefined
        ? { layouts, shares }
        : { layouts, shares: onSimplex(shares.map((share, reader) => share + far * (unit[reader] ?? 0))) };
    });
    next.set(value, { ...sharing, sharesInto });
  });
  return next;
}

/** The slope of µs per reader against their mean: its length, and a vector of length 1 unless it is flat. */
function directionOf(
  paths: readonly number[],
): { readonly length: number; readonly unit?: readonly number[] } {
  const mean = paths.reduce((sum, us) => sum + us, 0) / paths.length;
  // Differences that are only rounding would be blown up to slopes.
  const slope = paths.map((us) => Math.abs(us - mean) <= ROUNDING * mean ? 0 : us - mean);
  const length = Math.sqrt(slope.reduce((sum, us) => sum + us * us, 0));
  return length === 0 ? { length } : { length, unit: slope.map((us) => us / length) };
}

/** The nearest list of numbers ≥ 0 that add up to 1; never more, or the bound would charge more than a plan pays. */
export function onSimplex(shares: readonly number[]): readonly number[] {
  let above = 0;
  let shift = 0;
  shares.toSorted((a, b) => b - a).forEach((share, index) => {
    above += share;
    const candidate = (above - 1) / (index + 1);
    if (share > candidate) shift = candidate;
  });
  const nearest = shares.map((share) => Math.max(0, share - shift));
  const sum = nearest.reduce((all, share) => all + share, 0);
  return sum > 1 ? nearest.map((share) => share / sum) : nearest;
}
