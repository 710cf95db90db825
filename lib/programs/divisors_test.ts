// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { divisorsUpTo } from "./stream.ts";
import fc from "fast-check";

Deno.test("divisors are all that divide, falling, up to the limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 0, max: 6000 }), (value, limit) => {
      const counted = Array.from({ length: value }, (_, index) => value - index)
        .filter((divisor) => value % divisor === 0 && divisor <= limit);
      assertEquals(divisorsUpTo(value, limit), counted);
    }),
  );
});

Deno.test("divisors of huge numbers are found quickly", () => {
  const started = performance.now();
  assertEquals(divisorsUpTo(2 ** 40, 2 ** 40).length, 41);
  assert(performance.now() - started < 5_000);
});
