// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { repeatedRuns } from "./repeated_runs.ts";

Deno.test("repeatedRuns() finds turns, of equals the shorter and the earlier, and what stands around them", () => {
  assertEquals(repeatedRuns([..."abcd"]), []);
  assertEquals(repeatedRuns([..."ababababab"]), [{ start: 0, period: 4, count: 2 }]);
  assertEquals(repeatedRuns([..."abcdabcdabcdabcd"]), [{ start: 0, period: 4, count: 4 }]);
  assertEquals(repeatedRuns([..."--abcde+abcde+/pqrspqrspqrspqrs"]), [
    { start: 2, period: 6, count: 2 },
    { start: 15, period: 4, count: 4 },
  ]);
});

Deno.test("repeatedRuns() only tells of what is there, in order, and folds as much as the best single run", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 40 });
  fc.assert(fc.property(letters, (keys) => {
    const runs = repeatedRuns(keys);
    let end = 0;
    for (const { start, period, count } of runs) {
      assert(start >= end && count >= 2);
      end = start + period * count;
      assert(end <= keys.length);
      for (let at = start; at + period < end; at++) assertEquals(keys[at], keys[at + period]);
    }
    const folded = Math.max(0, ...runs.map(({ period, count }) => period * (count - 1)));
    assertEquals(folded, bestFold(keys));
  }));
});

/** Tries every possible run one by one. */
function bestFold(keys: readonly string[]): number {
  let best = 0;
  for (let period = 4; period * 2 <= keys.length; period++) {
    for (let start = 0; start + period * 2 <= keys.length; start++) {
      let count = 1;
      const repetition = (index: number) =>
        keys.slice(start + index * period, start + (index + 1) * period).join();
      while (repetition(count) === repetition(0)) count++;
      best = Math.max(best, (count - 1) * period);
    }
  }
  return best;
}
