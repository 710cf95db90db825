// SPDX-License-Identifier: Apache-2.0

/** Items that follow each other `count` times: `keys[start + i] = keys[start + i + period]`. */
export interface RepeatedRun {
  /** Index of its first item. */
  readonly start: number;
  /** Items of one turn. */
  readonly period: number;
  /** Turns, at least two. */
  readonly count: number;
}

/** Turns that are shorter are no layers but the same op a few times. */
const SHORTEST_PERIOD = 4;

/** Turns that are longer are not looked for, so that long lists stay cheap. */
const LONGEST_PERIOD = 600;

/**
 * Runs of equal turns in a list, in order and apart from each other: first the one that leaves out most items when all
 * its turns but one are folded, then likewise in what stands before and after it. Of equals the one with shorter turns,
 * then the earlier.
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
    const known = names.get(key) ?? names.size;
    names.set(key, known);
    return known;
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
    // Downwards, `equal` counts the items from here on that come again one period later.
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
