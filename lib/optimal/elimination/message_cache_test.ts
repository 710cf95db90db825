// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { costOf, type Factor } from "./factor.ts";
import { MessageCache } from "./message_cache.ts";
import { eliminateVariables } from "./variable_elimination.ts";

/** A few tables of 2, 4 and 9 entries, shared by the problems over them. */
const pools = fc.array(fc.nat(20), { minLength: 60, maxLength: 60 }).map((costs) => ({
  unary: Array.from({ length: 4 }, (_, at) => Float64Array.from(costs.slice(3 * at, 3 * at + 3))),
  binary: Array.from({ length: 5 }, (_, at) => Float64Array.from(costs.slice(12 + 9 * at, 21 + 9 * at))),
}));

const SHAPES = fc.array(
  fc.array(fc.record({ a: fc.nat(5), b: fc.nat(5), table: fc.nat(4) }), { minLength: 1, maxLength: 9 }),
  { minLength: 2, maxLength: 5 },
);

Deno.test("problems that share tables and messages have the same solutions as alone", () => {
  fc.assert(
    fc.property(pools, SHAPES, ({ unary, binary }, shapes) => {
      const shared = new MessageCache();
      for (const shape of shapes) {
        const factors = shape.flatMap(({ a, b, table }): Factor[] => {
          const own = a === b ? unary[table % 4] : binary[table];
          return own === undefined ? [] : [{ scope: [...new Set([a, b])].sort(), table: own }];
        });
        const problem = { domains: [3, 3, 3, 3, 3, 3], factors };
        const together = eliminateVariables(problem, { work: 1e9 }, shared);
        const alone = eliminateVariables(problem, { work: 1e9 });
        assertEquals({ ...together, work: alone.work }, alone);
        assert(together.work <= alone.work, "what is known is no work");
        assertEquals(costOf(problem, together.choice), together.bound);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("the messages of a long chain of equal layers converge to one object", () => {
  const cache = new MessageCache();
  const layer = Float64Array.from([4, 9, 2, 1, 7, 3, 8, 5, 6]);
  let message: Factor = { scope: [0], table: Float64Array.from([0, 30, 60]) };
  const seen = new Set<Float64Array>();
  let total = 0;
  for (let at = 0; at < 200; at++) {
    const { factors: [factor], least } = cache.message(
      [message, { scope: [at, at + 1], table: layer }],
      at,
      repeated(at),
    );
    assert(factor !== undefined);
    message = factor;
    total += least;
    seen.add(factor.table);
  }
  assert(seen.size < 10, `${seen.size} messages of 200 equal layers`);
  // The cheapest cycle of the layer is 0 → 2 → 1 → 0 at 2 + 5 + 1.
  assertEquals(Math.round(total / 200 * 3), 8);
});

Deno.test("a message that was evicted after two generations without a request is recomputed, and is equal", () => {
  const cache = new MessageCache(2);
  const factors = [{ scope: [0, 1], table: Float64Array.from([1, 2, 3, 5]) }];
  const ask = () => cache.message(factors, 0, [2, 2]);
  const first = ask();
  const other = () => cache.message([{ scope: [0, 1], table: Float64Array.from([4, 2, 3, 5]) }], 0, [2, 2]);
  cache.begin();
  assert(ask().best === first.best, "so much is kept");
  cache.begin();
  cache.begin();
  assert(ask().best === first.best, "nothing else was asked for since");
  cache.begin();
  other();
  cache.begin();
  const again = ask();
  assert(again.best !== first.best, "as much was asked for since");
  assertEquals(again, first);
});

function repeated(length: number): readonly number[] {
  return new Array<number>(length + 2).fill(3);
}

Deno.test("equal layers are eliminated whole if different layers would exceed the limit", () => {
  const length = 50;
  const chain = (tableOf: (layer: number) => Float64Array) =>
    eliminateVariables({
      domains: new Array<number>(length + 1).fill(3),
      factors: Array.from({ length }, (_, at): Factor => ({ scope: [at, at + 1], table: tableOf(at) })),
    }, { work: 100 });
  const layer = Float64Array.from([4, 9, 2, 1, 7, 3, 8, 5, 6]);
  assertEquals(chain(() => layer).splitVariables, []);
  assert(chain((at) => layer.map((us, entry) => us + (at * entry) % 7)).splitVariables.length > 0);
});

Deno.test("a message that the next elimination reuses joins its generation", () => {
  const cache = new MessageCache(2);
  const ask = (...table: readonly number[]) =>
    cache.message([{ scope: [0, 1], table: Float64Array.from(table) }], 0, [2, 2]);
  const factors = [{ scope: [0, 1], table: Float64Array.from([1, 2, 3, 5]) }];
  const again = () => cache.message(factors, 0, [2, 2]);
  const first = again();
  cache.begin();
  again();
  ask(4, 2, 3, 5);
  cache.begin();
  assert(again().best === first.best);
});

Deno.test("a cached message takes no work", () => {
  const cache = new MessageCache();
  const factors = [{ scope: [0, 1], table: Float64Array.from([1, 2, 3, 5]) }];
  const works = [0, 1, 2].map(() => cache.message(factors, 0, [2, 2]).work);
  assert((works[0] ?? 0) > 0);
  assertEquals(works.slice(1), [0, 0]);
});

Deno.test("equal tables with different indices are different problems", () => {
  const cache = new MessageCache();
  const square = Float64Array.from([0, 5, 1, 9]);
  const least = (
    scope: readonly number[],
    table: Float64Array,
    variable: number,
    domains: readonly number[],
  ) => cache.message([{ scope, table }], variable, domains).factors.map((factor) => [...factor.table]);
  // Rows and columns of one table.
  assertEquals(least([0, 1], square, 0, [2, 2]), [[0, 5]]);
  assertEquals(least([0, 1], square, 1, [2, 2]), [[0, 1]]);
  // The same entries with 2 x 3 and with 3 x 2 choices of the other variables.
  const cube = Float64Array.from([0, 8, 3, 9, 1, 7, 4, 2, 6, 5, 11, 10]);
  assertEquals(least([1, 0, 2], cube, 0, [2, 2, 3]), [[0, 1, 3, 4, 2, 6]]);
  assertEquals(least([1, 0, 2], cube, 0, [2, 3, 2]), [[0, 8, 1, 2, 6, 5]]);
});
