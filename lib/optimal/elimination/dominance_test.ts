// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { undominated, withValues } from "./dominance.ts";
import { costOf, type Factor } from "./factor.ts";
import { type Message, sumAndMinimize } from "./sum_and_minimize.ts";

/** Values per variable; the middle variable is tested. */
const DOMAINS: readonly number[] = [3, 6, 2];
const VARIABLE = 1;

/** Every choice of the other variables. */
const CHOICES = [0, 1, 2].flatMap((first) => [[first, 0, 0], [first, 0, 1]]);

function factorOver(scope: readonly number[]): fc.Arbitrary<Factor> {
  const entries = scope.reduce((size, variable) => size * (DOMAINS[variable] ?? 1), 1);
  const cost = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.constant(Infinity));
  return fc.array(cost, { minLength: entries, maxLength: entries })
    .map((costs) => ({ scope, table: Float64Array.from(costs) }));
}

const factors = fc.tuple(factorOver([0, 1]), factorOver([1, 2]), factorOver([1]), factorOver([0, 1, 2]))
  .chain((all) => fc.subarray([...all], { minLength: 1 }));

Deno.test("undominated() keeps every value that is the first optimum of some joint choice", () => {
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
      for (const choice of CHOICES) {
        const least = costOf({ domains: DOMAINS, factors: all.factors }, choice);
        assertEquals(costOf({ domains: DOMAINS, factors: fewer.factors }, choice), least);
        if (least !== Infinity) assertEquals(kept[bestOf(fewer, choice)], bestOf(all, choice));
      }
    }),
    { numRuns: 300, seed: 41 },
  );
  assert(left > 300, `only ${left} values of 1,800 are dominated`);
});

Deno.test("undominated() keeps the lowest of equal values, and one if all are infinite", () => {
  const only = (...costs: number[]) =>
    undominated([{ scope: [0], table: Float64Array.from(costs) }], 0, [3]).kept;
  assertEquals(only(1, 1, 1), [0]);
  assertEquals(only(2, 1, 1), [1]);
  assertEquals(only(Infinity, Infinity, Infinity).length, 1);
});

Deno.test("sumAndMinimize() visits few of many joint choices if values are dominated", () => {
  const values = 60;
  const domains = [40, values, 40];
  const from = (scope: readonly number[], cost: (a: number, b: number) => number): Factor => {
    const [rows = 1, columns = 1] = scope.map((variable) => domains[variable] ?? 1);
    const table = new Float64Array(rows * columns);
    table.forEach((_, at) => table[at] = cost(Math.floor(at / columns), at % columns));
    return { scope, table };
  };
  // The third value and every tenth compete; all others cost more in both factors.
  const own = (value: number): number => value % 10 === 3 ? 0 : 50;
  const pair = [
    from([0, 1], (row, value) => own(value) + (row * value) % 7),
    from([1, 2], (value, column) => own(value) + (column + value) % 5),
  ];
  const { factors: [factor], best, work } = sumAndMinimize(pair, 1, domains);
  assert(work < 40 * 40 * values / 2, `${work} joint choices`);
  const [first, second] = pair;
  best.forEach((value, entry) => {
    const [row, column] = [Math.floor(entry / 40), entry % 40];
    const sums = Array.from(
      { length: values },
      (_, at) => (first?.table[row * values + at] ?? 0) + (second?.table[at * 40 + column] ?? 0),
    );
    assertEquals(factor?.table[entry], Math.min(...sums));
    assertEquals(value, sums.indexOf(Math.min(...sums)));
  });
});

Deno.test("sumAndMinimize() creates no dependence if one value is optimal for all others", () => {
  const values = 30;
  const domains = [50, values, 50];
  const pair = [[0, 1], [1, 2]].map((scope): Factor => {
    const [rows = 1, columns = 1] = scope.map((variable) => domains[variable] ?? 1);
    const table = Float64Array.from({ length: rows * columns }, (_, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      const [value, other] = scope[0] === 1 ? [row, column] : [column, row];
      return (value === 7 ? 0 : 20) + (value + other) % 11;
    });
    return { scope, table };
  });
  const { factors, scope, best, work } = sumAndMinimize(pair, 1, domains);
  assertEquals(factors.map((factor) => factor.scope), [[0], [2]]);
  assertEquals([[...scope], [...best]], [[], [7]]);
  factors.forEach(({ table }) =>
    assertEquals([...table], Array.from({ length: 50 }, (_, at) => (7 + at) % 11))
  );
  assert(work < 50 * 50 * values / 10, `${work} joint choices`);
  const single = sumAndMinimize(
    pair.map((factor) => withValues(factor, 1, domains, [7])),
    1,
    domains.with(1, 1),
  );
  assertEquals(single.factors, factors);
});

/** The best value according to a message, for a choice of the other variables. */
function bestOf({ scope, best }: Message, choice: readonly number[]): number {
  const entry = scope.reduce((at, variable) => at * (DOMAINS[variable] ?? 1) + (choice[variable] ?? 0), 0);
  return best[entry] ?? -1;
}
