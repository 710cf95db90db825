// SPDX-License-Identifier: Apache-2.0

/** Items that repeat `count` times in a row: `keys[start + i] = keys[start + i + period]`. */
export interface RepeatedRun {
  /** Index of its first item. */
  readonly start: number;
  /** Items per repetition. */
  readonly period: number;
  /** Repetitions, at least two. */
  readonly count: number;
}

/** Least period, in items. A shorter period is a repeated op, not a layer. */
const SHORTEST_PERIOD = 4;

/** Largest period, in items; it bounds the time of the search. */
const LONGEST_PERIOD = 600;

/**
 * Finds runs that do not overlap, with periods of 4 to 600 items, in the order of the list. It takes the run with the
 * most items beyond the first repetition, then searches the parts before and after it. Among equal runs it takes the
 * shorter period, then the earlier start.
 *
 * @example
 * ```ts
 * import { repeatedRuns } from "./repeated_runs.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(repeatedRuns([..."xabcdabcdabcdy"]), [{ start: 1, period: 4, count: 3 }]);
 * ```
 */
export function repeatedRuns(keys: readonly string[]): readonly RepeatedRun[] {
  const names = new Map<string, number>();
  const numbers = keys.map((key) => names.getOrInsert(key, names.size));
  return runsBetween(numbers, 0, numbers.length);
}

function runsBetween(items: readonly number[], from: number, to: number): readonly RepeatedRun[] {
  const best = longestRun(items, from, to);
  if (best === undefined) return [];
  const end = best.start + best.period * best.count;
  return [...runsBetween(items, from, best.start), best, ...runsBetween(items, end, to)];
}

function longestRun(items: readonly number[], from: number, to: number): RepeatedRun | undefined {
  let best: RepeatedRun | undefined;
  let folded = 0;
  for (let period = SHORTEST_PERIOD; period <= Math.min(LONGEST_PERIOD, (to - from) / 2); period++) {
    let equal = 0;
    // Going downwards, `equal` counts the items from here on that recur one period later.
    for (let start = to - period - 1; start >= from; start--) {
      equal = items[start] === items[start + period] ? equal + 1 : 0;
      const count = Math.floor(equal / period) + 1;
      const saved = (count - 1) * period;
      const isBetter = saved > folded || (saved === folded && best?.period === period);
      if (saved > 0 && isBetter) {
        best = { start, period, count };
        folded = saved;
      }
    }
  }
  return best;
}
