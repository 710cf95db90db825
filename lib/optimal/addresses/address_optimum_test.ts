// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { idAt, type OpId, type ValueId } from "../../graph/graph.ts";
import { leastByAddress, type PlacedSolution, type Placing, unplaced } from "./address_search.ts";

/**
 * Six values with four possible sizes each, every size with its own price, and steps at which some of them are
 * in L1 together.
 */
const instances = fc.record({
  sizes: fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 4, maxLength: 4 }), {
    minLength: 6,
    maxLength: 6,
  }),
  costs: fc.array(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 4, maxLength: 4 }), {
    minLength: 6,
    maxLength: 6,
  }),
  steps: fc.array(fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 2, maxLength: 4 }), {
    minLength: 3,
    maxLength: 5,
  }),
  capacity: fc.integer({ min: 40, max: 120 }),
});
type Instance = typeof instances extends fc.Arbitrary<infer Value> ? Value : never;

/** Solver that takes the cheapest size of each value that the caps allow. */
function solver({ sizes, costs, steps, capacity }: Instance): (placing: Placing) => PlacedSolution {
  return ({ caps }) => {
    let microseconds = 1000;
    const chosen = sizes.map((own, value) => {
      const most = caps.values.get(idAt<ValueId>(value))?.get(0) ?? Infinity;
      let [bytes, least] = [0, Infinity];
      own.forEach((size, index) => {
        const us = costs[value]?.[index] ?? Infinity;
        if (size <= most && us < least) [bytes, least] = [size, us];
      });
      microseconds += least;
      return bytes;
    });
    const missing = steps.map((values) =>
      values.reduce((all, value) => all + (chosen[value] ?? 0), -capacity)
    );
    const [first] = steps.keys().filter((step) => (missing[step] ?? 0) > 0);
    return {
      microseconds,
      key: chosen.join(),
      conflict: first === undefined ? undefined : {
        op: idAt<OpId>(first),
        shortBytes: missing[first] ?? 0,
        shortages: missing.filter((bytes) => bytes > 0),
        obstacles: () => ({
          items: (steps[first] ?? []).flatMap((value) => {
            const bytes = chosen[value] ?? 0;
            return bytes === 0 ? [] : [[{ kind: "value", value: idAt<ValueId>(value), reader: 0, bytes }]];
          }),
          waits: [],
          detours: [],
        }),
      },
    };
  };
}

/** Least µs of what fits, by trying everything; `Infinity` if nothing does. */
function bruteForce({ sizes, costs, steps, capacity }: Instance): number {
  let least = Infinity;
  for (let code = 0; code < 4 ** sizes.length; code++) {
    const choice = sizes.map((_, value) => Math.floor(code / 4 ** value) % 4);
    const bytes = sizes.map((own, value) => own[choice[value] ?? 0] ?? 0);
    const us = costs.reduce((all, own, value) => all + (own[choice[value] ?? 0] ?? 0), 1000);
    const fits = steps.every((values) =>
      values.reduce((all, value) => all + (bytes[value] ?? 0), 0) <= capacity
    );
    if (fits) least = Math.min(least, us);
  }
  return least;
}

/** Initial restrictions for a function of so many ops: with many ops, few solutions are examined. */
function inputOf(ops: number): Placing {
  return unplaced(Array.from({ length: ops }, (_, op) => idAt<OpId>(op)));
}

function leastOf(found: Iterable<PlacedSolution | undefined>): readonly number[] {
  return [...found].flatMap((solution) => solution === undefined ? [] : [solution.microseconds]);
}

Deno.test("leastByAddress() finds the optimum in nine of ten problems, and none below it", () => {
  const count = { binds: 0, best: 0 };
  fc.assert(
    fc.property(instances, (instance) => {
      const solve = solver(instance);
      const input = inputOf(5);
      if (solve(input).conflict === undefined) return;
      const least = bruteForce(instance);
      const found = leastOf(leastByAddress(input, solve));
      const best = found.at(-1) ?? Infinity;
      assert(best >= least, `${best} µs undercut the best, ${least}`);
      assert(found.every((us, index) => us < (found[index - 1] ?? Infinity)), "cheaper and cheaper");
      if (least === Infinity) return;
      count.binds++;
      if (best === least) count.best++;
    }),
    { numRuns: 300, seed: 17 },
  );
  assert(count.binds > 60, `L1 binds in ${count.binds} instances only`);
  assert(count.best > 0.9 * count.binds, `the best is found in ${count.best} of ${count.binds}`);
});
