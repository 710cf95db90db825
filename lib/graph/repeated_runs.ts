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

/** Shorter repetitions are not layers, just the same op several times. */
const SHORTEST_PERIOD = 4;

/** Longer repetitions are not searched for, so that long lists stay cheap. */
const LONGEST_PERIOD = 600;

/**
 * Finds non-overlapping runs of repetitions in a list, in order: first the run that saves most items when it is
 * folded to one repetition, then likewise in the parts before and after it. Among equals, the one with the
 * shorter period wins, then the earlier one.
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
  const numbers = keys.map((key) => {
    const cached = names.get(key) ?? names.size;
    names.set(key, cached);
    return cached;
  });
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
