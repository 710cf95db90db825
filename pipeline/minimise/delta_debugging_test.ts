// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { minimise } from "./minimise_module.ts";
import fc from "fast-check";

const items = (count: number) => Array.from({ length: count }, (_, index) => index);

Deno.test("minimise() finds exactly the items that a condition needs", () => {
  const needed = fc.uniqueArray(fc.nat({ max: 59 }), { minLength: 1, maxLength: 6 });
  fc.assert(fc.property(needed, (list) => {
    const result = minimise(items(60), (some) => list.every((item) => some.includes(item)), 100_000);
    assertEquals(result.items, list.toSorted((a, b) => a - b));
    assertEquals(result.stoppedEarly, false);
  }));
});

Deno.test("minimise() ends with an irreducible list, for any condition", () => {
  fc.assert(fc.property(fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 12 }), (weights) => {
    const all = items(weights.length);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    // Heavy enough, and not monotone: an odd number of items does not show it unless it is one.
    const holds = (some: readonly number[]) =>
      some.reduce((sum, item) => sum + (weights[item] ?? 0), 0) * 2 >= total &&
      (some.length % 2 === 0 || some.length === 1 || some.length === all.length);
    const { items: found } = minimise(all, holds, 100_000);
    assert(holds(found));
    if (found.length > 1) {
      for (const item of found) assert(!holds(found.filter((other) => other !== item)));
    }
  }));
});

Deno.test("minimise() takes few tries for few items, and stops when they run out", () => {
  const holds = (some: readonly number[]) => some.includes(517);
  const found = minimise(items(1000), holds, 10_000);
  assertEquals(found.items, [517]);
  assert(found.tries <= 20, `${found.tries} tries`);
  const stopped = minimise(items(1000), holds, 5);
  assertEquals([stopped.tries, stopped.stoppedEarly], [5, true]);
  assert(stopped.items.length < 1000 && holds(stopped.items));
});
