// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { eliminationOrder } from "./elimination_order.ts";
import { costOf, type Factor, type FactorProblem } from "./factor.ts";
import { sumAndMinimize } from "./sum_and_minimize.ts";
import { eliminateVariables } from "./variable_elimination.ts";

const UNLIMITED = { work: Infinity };

/** Random problems of at most 7 variables with at most 4 values, tables arbitrary, some entries impossible. */
const problems: fc.Arbitrary<FactorProblem> = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 7 })
  .chain((domains) => {
    const scope = fc.uniqueArray(fc.nat(domains.length - 1), { minLength: 1, maxLength: 3 })
      .map((variables) => variables.sort((a, b) => a - b));
    const factor = scope.chain((variables): fc.Arbitrary<Factor> => {
      const size = variables.reduce((product, variable) => product * (domains[variable] ?? 1), 1);
      const cost = fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 0, max: 40 }) },
        { weight: 1, arbitrary: fc.constant(Infinity) },
      );
      return fc.array(cost, { minLength: size, maxLength: size })
        .map((table) => ({ scope: variables, table: Float64Array.from(table) }));
    });
    return fc.array(factor, { maxLength: 10 }).map((factors) => ({ domains, factors }));
  });

function bruteForce(problem: FactorProblem): number {
  const { domains } = problem;
  const choice = domains.map(() => 0);
  let least = Infinity;
  const visit = (variable: number): void => {
    if (variable === domains.length) {
      least = Math.min(least, costOf(problem, choice));
      return;
    }
    for (let value = 0; value < (domains[variable] ?? 1); value++) {
      choice[variable] = value;
      visit(variable + 1);
    }
  };
  visit(0);
  return least;
}

Deno.test("eliminateVariables() equals brute force, with a choice of that cost", () => {
  fc.assert(
    fc.property(problems, (problem) => {
      const optimum = bruteForce(problem);
      const { bound, choice, cost, splitVariables } = eliminateVariables(problem, UNLIMITED);
      assertEquals(splitVariables, []);
      assertEquals(bound, optimum);
      assertEquals(cost, optimum);
      assertEquals(costOf(problem, choice), cost);
    }),
    { numRuns: 500 },
  );
});

Deno.test("sumAndMinimize() of two factors equals the minimum over all joint choices, of equal ones the lowest value", () => {
  const scopes = fc.shuffledSubarray([0, 1, 3, 4], { minLength: 1, maxLength: 3 });
  const costs = fc.constantFrom(0, 1, 2, 3, 0.1, 0.2, 0.3, Infinity);
  fc.assert(
    fc.property(scopes, scopes, fc.array(costs, { minLength: 97, maxLength: 97 }), (a, b, pool) => {
      const domains = [3, 5, 24, 7, 4];
      const factorOf = (others: readonly number[], skew: number): Factor => {
        const scope = [...others, 2].sort((one, other) => one - other);
        const entries = scope.reduce((product, variable) => product * (domains[variable] ?? 1), 1);
        const entry = (at: number) => pool[(at * skew) % pool.length] ?? 0;
        return { scope, table: Float64Array.from({ length: entries }, (_, at) => entry(at)) };
      };
      const pair = [factorOf(a, 31), factorOf(b, 57)];
      const { factors: [factor, ...others], best } = sumAndMinimize(pair, 2, domains);
      assert(factor !== undefined && others.length === 0);
      factor.table.forEach((cost, entry) => {
        const choice = new Array<number>(domains.length).fill(0);
        let rest = entry;
        for (const variable of factor.scope.toReversed()) {
          const extent = domains[variable] ?? 1;
          choice[variable] = rest % extent;
          rest = Math.floor(rest / extent);
        }
        const sums = Array.from(
          { length: 24 },
          (_, value) => costOf({ domains, factors: pair }, choice.with(2, value)),
        );
        const least = Math.min(...sums);
        assertEquals(cost, least);
        assertEquals(best[entry], least === Infinity ? 0 : sums.indexOf(least));
      });
    }),
    { numRuns: 100 },
  );
});

Deno.test("eliminateVariables() never goes above the optimum when variables are split", () => {
  let split = 0;
  fc.assert(
    fc.property(problems, fc.integer({ min: 1, max: 60 }), (problem, work) => {
      const result = eliminateVariables(problem, { work });
      const optimum = bruteForce(problem);
      assert(result.bound <= optimum, `bound ${result.bound} above the optimum ${optimum}`);
      assert(result.cost >= optimum, "a choice cannot be better than the optimum");
      if (result.splitVariables.length > 0) split++;
    }),
    { numRuns: 500 },
  );
  assert(split > 50, `only ${split} runs split a variable`);
});

Deno.test("eliminateVariables() agrees with dynamic programming on a long chain", () => {
  const length = 2000;
  const states = 6;
  const price = (edge: number, a: number, b: number): number => (edge * 7919 + a * 104729 + b * 1299709) % 97;
  const factors = Array.from({ length: length - 1 }, (_, edge): Factor => {
    const table = Float64Array.from(
      { length: states * states },
      (_, at) => price(edge, Math.floor(at / states), at % states),
    );
    return { scope: [edge, edge + 1], table };
  });
  let costs = new Float64Array(states);
  for (let edge = 0; edge < length - 1; edge++) {
    const next = new Float64Array(states).fill(Infinity);
    for (let a = 0; a < states; a++) {
      for (let b = 0; b < states; b++) {
        next[b] = Math.min(next[b] ?? 0, (costs[a] ?? 0) + price(edge, a, b));
      }
    }
    costs = next;
  }
  const problem = { domains: new Array<number>(length).fill(states), factors };
  const { bound, cost, width } = eliminateVariables(problem, { work: 1e6 });
  assertAlmostEquals(bound, Math.min(...costs));
  assertAlmostEquals(cost, bound);
  assertEquals(width, 1);
});

Deno.test("eliminationOrder() finds the width of a residual block and predicts its work", () => {
  // 0 feeds 1 and 3, 1 feeds 2, 2 feeds 3: a cycle of four, width 2.
  const { width, dearest, order } = eliminationOrder([5, 5, 5, 5], [[0, 1], [1, 2], [2, 3], [0, 3]]);
  assertEquals(width, 2);
  assertEquals(dearest, 125);
  assertEquals([...order].sort(), [0, 1, 2, 3]);
});

Deno.test("eliminateVariables() gives a split variable the best value for the other choices", () => {
  const problem: FactorProblem = {
    domains: [2, 2],
    factors: [{ scope: [0, 1], table: Float64Array.from([5, 5, 5, 0]) }],
  };
  const { splitVariables, choice, cost } = eliminateVariables(problem, { work: 0 });
  assert(splitVariables.length > 0);
  assertEquals([[...choice], cost], [[1, 1], 0]);
});

Deno.test("eliminationOrder() counts the edges that an elimination adds", () => {
  // A ring of four: the first leaves its neighbours joined, 8 + 8 + 4 + 2 entries.
  const ring = [[0, 1], [1, 2], [2, 3], [3, 0]];
  assertEquals(eliminationOrder([2, 2, 2, 2], ring).work, 22);
});
