// SPDX-License-Identifier: Apache-2.0
import { CLOSE, ON_BOUND, SMALL_OPS, VERY_LONG_OPS } from "./search_limits.ts";

/** Whether one round over all ops takes so long that only a few rounds pay off. */
export function isVeryLong(ops: number): boolean {
  return ops > VERY_LONG_OPS;
}

/**
 * Gap at which improving the assignment behind the bound stops; `undefined` if only finished programs end it.
 *
 * @param ops of the function
 */
export function enoughBehindBound(ops: number): number | undefined {
  return isVeryLong(ops) ? CLOSE : undefined;
}

/**
 * Whether a lower bound ends the search: time ≤ bound · (1 + ε), with ε = {@linkcode ON_BOUND}, or {@linkcode
 * CLOSE} above {@linkcode SMALL_OPS} ops.
 *
 * @param ops of the function
 */
export function endsSearch(ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return microseconds <= lowerBoundUs * (1 + (ops > SMALL_OPS ? CLOSE : ON_BOUND));
}

/** Whether time ≤ bound · (1 + {@linkcode CLOSE}): steps that take long are not worth their work. */
export function isClose(_ops: number, microseconds: number, lowerBoundUs: number): boolean {
  return microseconds <= lowerBoundUs * (1 + CLOSE);
}
