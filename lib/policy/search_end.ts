// SPDX-License-Identifier: Apache-2.0
import { CLOSE, CLOSE_TO_ALL, ON_BOUND, SHORT_OPS, SMALL_OPS, VERY_LONG_OPS } from "./search_limits.ts";

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
  return microseconds <= lowerBoundUs * (1 + (ops > SMALL_OPS ? CLOSE : ON_BOUND));
}

/** Whether a plan is so close to its lower bound that steps which take long are not worth trying. */
export function isClose(_ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return microseconds <= lowerBoundUs * (1 + CLOSE);
}

/**
 * Whether a plan by exact assignments is so close to its lower bound that policies of chains are not worth trying.
 *
 * @param ops of the function
 */
export function isTooGoodForHeuristics(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return ops > SHORT_OPS && microseconds <= lowerBoundUs * (1 + CLOSE_TO_ALL);
}
