// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { undominated, withValues } from "./dominance.ts";
import type { Factor } from "./factor.ts";
import { sumAndMinimize } from "./sum_and_minimize.ts";

/** Values per variable; the middle one is looked at. */
const DOMAINS = [3, 6, 2];
const VARIABLE = 1;

function factorOver(scope: readonly number[]): fc.Arbitrary<Factor> {
  const entries = scope.reduce((size, variable) => size * (DOMAINS[variable] ?? 1), 1);
  const cost = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.constant(Infinity));
  return fc.array(cost, { minLength: entries, maxLength: entries })
    .map((costs) => ({ scope, table: Float64Array.from(costs) }));
}

const factors = fc.tuple(factorOver([0, 1]), factorOver([1, 2]), factorOver([1]), factorOver([0, 1, 2]))
  .chain((all) => fc.subarray([...all], { minLength: 1 }));

Deno.test("undominated() leaves out no value that is the first best one of any joint choice", () => {
  let left = 0;
  fc.assert(
    fc.property(factors, (some) => {
      const { kept, work } = undominated(some, VARIABLE, DOMAINS);
      assert(kept.length > 0 && work > 0);
      left += 6 - kept.length;
      const all = sumAndMinimize(some, VARIABLE, DOMAINS);
      const fewer = sumAndMinimize(
        some.map((factor) => withValues(factor, VARIABLE, DOMAINS, kept)),
        VARIABLE,
        DOMAINS.with(VARIABLE, kept.length),
      );
      assertEquals(fewer.factor, all.factor);
      all.best.forEach((value, entry) => {
        if (all.factor.table[entry] !== Infinity) assertEquals(kept[fewer.best[entry] ?? -1], value);
      });
    }),
    { numRuns: 300, seed: 41 },
  );
  assert(left > 300, `only ${left} values of 1,800 are dominated`);
});

Deno.test("undominated() keeps the lowest of equal values, and one where none is possible", () => {
  const only = (...costs: number[]) =>
    undominated([{ scope: [0], table: Float64Array.from(costs) }], 0, [3]).kept;
  assertEquals(only(1, 1, 1), [0]);
  assertEquals(only(2, 1, 1), [1]);
  assertEquals(only(Infinity, Infinity, Infinity).length, 1);
});

Deno.test("sumAndMinimize() of many joint choices looks at few where values are dominated", () => {
  const values = 60;
  const domains = [40, values, 40];
  const from = (scope: readonly number[], cost: (a: number, b: number) => number): Factor => {
    const [rows = 1, columns = 1] = scope.map((variable) => domains[variable] ?? 1);
    const table = new Float64Array(rows * columns);
    table.forEach((_, at) => table[at] = cost(Math.floor(at / columns), at % columns));
    return { scope, table };
  };
  // The third value and every tenth compete, all others cost more by both.
  const own = (value: number): number => value % 10 === 3 ? 0 : 50;
  const pair = [
    from([0, 1], (row, value) => own(value) + (row * value) % 7),
    from([1, 2], (value, column) => own(value) + (column + value) % 5),
  ];
  const { factor, best, work } = sumAndMinimize(pair, 1, domains);
  assert(work < 40 * 40 * values / 2, `${work} joint choices`);
  const [first, second] = pair;
  best.forEach((value, entry) => {
    const [row, column] = [Math.floor(entry / 40), entry % 40];
    const sums = Array.from(
      { length: values },
      (_, at) => (first?.table[row * values + at] ?? 0) + (second?.table[at * 40 + column] ?? 0),
    );
    assertEquals(factor.table[entry], Math.min(...sums));
    assertEquals(value, sums.indexOf(Math.min(...sums)));
  });
});
