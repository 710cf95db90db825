// SPDX-License-Identifier: Apache-2.0

/**
 * Functions up to this size are searched thoroughly. In longer ones, an assignment that is slower before
 * spilling than the best plan after it is dropped, because spills hardly ever make a plan faster; chains are
 * dropped likewise before they are made to fit. The search ends within {@linkcode CLOSE} of the bound.
 */
export const THOROUGH_OPS = 400;

/**
 * Relative tolerance within which a plan's time (summed by the simulator) and a bound (summed by the solver)
 * count as equal: a plan that close to its bound is optimal.
 */
export const ON_BOUND = 1e-6;

/**
 * Relative distance from the bound at which a long function's plan is good enough. On every file of the corpus
 * that came so close, everything else took longer, and it could not have saved more (derived:close-enough).
 */
const CLOSE = 1e-3;

/**
 * Longer functions than this stop as soon as the assignment behind the bound is within {@linkcode CLOSE} of it:
 * each further round over all ops takes a tenth of a second and gains less than a thousandth.
 */
const VERY_LONG_OPS = 2000;

/** Whether a round over all ops of a function takes so long that few are worth it. */
export function isVeryLong(ops: number): boolean {
  return ops > VERY_LONG_OPS;
}

/**
 * Relative distance from the bound at which its own assignment is good enough to stop looking for a better one;
 * `undefined` if only finished plans count.
 *
 * @param ops of the function
 */
export function enoughBehindBound(ops: number): number | undefined {
  return isVeryLong(ops) ? CLOSE : undefined;
}

/**
 * Whether a lower bound makes further search pointless: no plan of the same kind is faster or, in a long
 * function, not by enough to look for it.
 *
 * @param ops of the function
 */
export function endsSearch(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return microseconds <= lowerBoundUs * (1 + (ops > THOROUGH_OPS ? CLOSE : ON_BOUND));
}

/**
 * Relative distance from the bound at which a long function tries nothing more than the exact assignment that
 * fits L1 by byte sums. On every input of the corpus that came so close, that assignment was the only thing
 * that was still faster (derived:close-enough).
 */
const NEAR = 2e-3;

/**
 * Whether a long function's plan is so near its lower bound that, of what is left to try, only the exact
 * assignment that fits L1 by byte sums is worth it.
 *
 * @param ops of the function
 */
export function isNearBound(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return ops > THOROUGH_OPS && microseconds <= lowerBoundUs * (1 + NEAR);
}

/**
 * Share of its time that pass 2 may save an assignment, so that in a long function one that cannot beat a known
 * plan can be dropped. Spilling hardly ever makes an op faster, least of all where layouts were chosen by time.
 * Of 139 beam assignments that had to spill, none got faster; of 15 by cheaper policies three did, one by 5.8 %
 * (derived:close-enough).
 */
export const SAVED_BY_SPILLS = { ofBeams: 1e-3, ofCheaperPolicies: 8e-2 } as const;

/**
 * In long functions: share of its time by which anything that later beams find may be faster than the widest
 * beam by time, before pass 2. In 19 runs the best of the others (refined and fed-back ones included) was at
 * most 0.14 % below it, and above it in 16 (derived:close-enough).
 */
export const SAVED_BY_OTHER_BEAMS = 2e-3;

/**
 * Relative distance from the bound at which neither chain policies nor (in functions that are searched
 * thoroughly) beams are worth trying. On every input of the corpus that came so close without proof, their
 * plans were slower: chains by at least half a percent, and by a fifth in long functions, beams by 0.4 %
 * (derived:close-enough).
 */
const CLOSE_TO_ALL = { thorough: 1e-2, long: 3e-2 } as const;

/** Functions up to this size always try chains and beams, which take some hundredths of a second. */
export const SHORT_OPS = 100;

/**
 * Whether a plan of exact assignments is so near its lower bound that heuristics (chain policies, beams) are
 * not worth trying.
 *
 * @param ops of the function
 */
export function isTooGoodForHeuristics(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  const close = ops > THOROUGH_OPS ? CLOSE_TO_ALL.long : CLOSE_TO_ALL.thorough;
  return ops > SHORT_OPS && microseconds <= lowerBoundUs * (1 + close);
}
