// SPDX-License-Identifier: Apache-2.0

/**
 * Functions up to this size are searched thoroughly. In longer ones an assignment that is dearer before its spills than
 * the best plan is after them is dropped, because spills hardly ever make a plan cheaper, and so are chains before they are
 * made to fit; and the search ends {@linkcode CLOSE} to the bound.
 */
export const THOROUGH_OPS = 400;

/**
 * Relative slack within which a plan's time, which the simulator sums, and a bound, which the solver sums, count as equal:
 * a plan so close to its bound is the best one.
 */
export const ON_BOUND = 1e-6;

/**
 * Share of the bound within which a long function's plan is good enough: everything else that the tool can do took longer
 * on every file of the corpus that came so close, and could save no more (derived:close-enough).
 */
const CLOSE = 1e-3;

/**
 * In longer functions than this nothing is begun any more where the assignment behind the bound is {@linkcode CLOSE} to it:
 * every further round over all ops takes a tenth of a second, and gains a part of a thousandth.
 */
const VERY_LONG_OPS = 2000;

/** Whether every round over all ops of a function takes so long that few are worth it. */
export function isVeryLong(ops: number): boolean {
  return ops > VERY_LONG_OPS;
}

/**
 * Share of the bound within which the assignment behind it is good enough to look for no better one; `undefined` where only
 * what is finished counts.
 *
 * @param ops of the function
 */
export function enoughBehindBound(ops: number): number | undefined {
  return isVeryLong(ops) ? CLOSE : undefined;
}

/**
 * Whether a lower bound says that searching on is in vain: no plan of the same kind takes less time, or, of a long
 * function, so little less that looking for it is not worth the while.
 *
 * @param ops of the function
 */
export function endsSearch(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return microseconds <= lowerBoundUs * (1 + (ops > THOROUGH_OPS ? CLOSE : ON_BOUND));
}

/**
 * Share of the bound within which a long function's plan gets no other rival than the exact assignment that fits L1 by sums
 * of bytes: on every input of the corpus that came so close that assignment was the only thing that still took less
 * (derived:close-enough).
 */
const NEAR = 2e-3;

/**
 * Whether a long function's plan is so near its lower bound that, of what is left to try, only the exact assignment that
 * fits L1 by sums of bytes is worth the while.
 *
 * @param ops of the function
 */
export function isNearBound(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return ops > THOROUGH_OPS && microseconds <= lowerBoundUs * (1 + NEAR);
}

/**
 * Share of its time that pass 2 may save an assignment, so that one of a long function may be given up for a plan that is
 * known. What leaves L1 hardly ever makes an op quicker, least of all where layouts were chosen by time: of 139 assignments by
 * beams that something had to leave L1 in it saved none anything, of 15 by cheaper policies three, one 5.8 %
 * (derived:close-enough).
 */
export const SAVED_BY_SPILLS = { ofBeams: 1e-3, ofCheaperPolicies: 8e-2 } as const;

/**
 * Share of its time by which anything that beams find after the widest one by time may undercut that one in a long function,
 * before pass 2. In 19 runs the best of the others, refined and fed back ones among them, was 0.14 % below it at the most,
 * and above it in 16 (derived:close-enough).
 */
export const SAVED_BY_OTHER_BEAMS = 2e-3;

/**
 * Share of the bound within which neither policies of chains nor, in functions that are searched thoroughly, beams are worth
 * trying: on every input of the corpus whose plan came so close and was not proven best, their plans were dearer, those of
 * chains by half a percent at the least and by a fifth in long functions, those of beams by 0.4 % (derived:close-enough).
 */
const CLOSE_TO_ALL = { thorough: 1e-2, long: 3e-2 } as const;

/** Functions up to this size get their plans by chains and beams in any case: they take some hundredths of a second. */
export const SHORT_OPS = 100;

/**
 * Whether a plan by exact assignments is so near its lower bound that heuristics are not worth trying: policies of chains,
 * and beams.
 *
 * @param ops of the function
 */
export function isTooGoodForHeuristics(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  const close = ops > THOROUGH_OPS ? CLOSE_TO_ALL.long : CLOSE_TO_ALL.thorough;
  return ops > SHORT_OPS && microseconds <= lowerBoundUs * (1 + close);
}
