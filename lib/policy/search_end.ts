// SPDX-License-Identifier: Apache-2.0

/**
 * Functions up to this size (in ops) are searched thoroughly. In longer ones, an assignment that is slower
 * before spilling than the best plan after it is dropped, because spills hardly ever make a plan faster; chains
 * are dropped likewise before they are made to fit. The search ends within {@linkcode CLOSE} of the bound.
 */
export const THOROUGH_OPS = 400;

/**
 * Relative tolerance within which a plan's time, summed by the simulator, and a bound, summed by the solver, count as
 * equal: such a plan is optimal.
 */
export const ON_BOUND = 1e-6;

/**
 * Gap at which a long function's plan is good enough: on every corpus file that came this close, everything else that
 * the tool can do took longer and could save no more (derived:close-enough).
 */
const CLOSE = 1e-3;

/**
 * Longer functions than this (in ops) stop as soon as the assignment behind the bound is within
 * {@linkcode CLOSE} of it: each further round over all ops takes a tenth of a second and gains less than a
 * thousandth.
 */
const VERY_LONG_OPS = 2000;

/** Whether one round over all ops takes so long that only a few are worth it. */
export function isVeryLong(ops: number): boolean {
  return ops > VERY_LONG_OPS;
}

/**
 * Gap at which the assignment behind the bound is good enough to stop improving it; `undefined` where only finished
 * programs count.
 *
 * @param ops of the function
 */
export function enoughBehindBound(ops: number): number | undefined {
  return isVeryLong(ops) ? CLOSE : undefined;
}

/**
 * Whether a lower bound ends the search: no plan of the same kind is faster or, in a long function, none is faster by
 * enough to be worth looking for.
 *
 * @param ops of the function
 */
export function endsSearch(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return microseconds <= lowerBoundUs * (1 + (ops > THOROUGH_OPS ? CLOSE : ON_BOUND));
}

/**
 * Gap below which a long function's plan competes only with the exact assignment that fits L1 by sums of bytes: on
 * every corpus input that came this close nothing else was faster still (derived:close-enough).
 */
const NEAR = 2e-3;

/**
 * Whether a long function's plan is so close to its lower bound that only the exact assignment that fits L1 by sums
 * of bytes is still worth trying.
 *
 * @param ops of the function
 */
export function isNearBound(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return ops > THOROUGH_OPS && microseconds <= lowerBoundUs * (1 + NEAR);
}

/**
 * Largest share of its time that pass 2 may save an assignment, so that in a long function one that cannot beat
 * a known plan can be dropped. Spilling hardly ever makes an op faster, least of all where layouts were chosen
 * by time. Of 139 beam assignments that had to spill, none got faster; of 15 by cheaper policies three did, one
 * by 5.8 % (derived:close-enough).
 */
export const SAVED_BY_SPILLS = { ofBeams: 1e-3, ofCheaperPolicies: 8e-2 } as const;

/**
 * In long functions: largest share of its time by which anything that later beams find may be faster than the
 * widest beam by time, before pass 2. In 19 runs the best of the others (refined and fed-back ones included)
 * was at most 0.14 % below it, and above it in 16 (derived:close-enough).
 */
export const SAVED_BY_OTHER_BEAMS = 2e-3;

/**
 * Gap below which policies of chains and, in thoroughly searched functions, beams are not worth trying: on every
 * corpus input whose plan came this close without being proven optimal theirs were slower, those of chains by at
 * least half a percent (a fifth in long functions), those of beams by 0.4 % (derived:close-enough).
 */
const CLOSE_TO_ALL = { thorough: 1e-2, long: 3e-2 } as const;

/**
 * Functions of up to this many ops always get plans by chains and beams: they take some hundredths of a second.
 */
export const SHORT_OPS = 100;

/**
 * Whether a plan by exact assignments is so close to its lower bound that heuristics, policies of chains and beams,
 * are not worth trying.
 *
 * @param ops of the function
 */
export function isTooGoodForHeuristics(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  const close = ops > THOROUGH_OPS ? CLOSE_TO_ALL.long : CLOSE_TO_ALL.thorough;
  return ops > SHORT_OPS && microseconds <= lowerBoundUs * (1 + close);
}
