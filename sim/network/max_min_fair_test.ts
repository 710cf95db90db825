// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Demands, maxMinFairRates } from "./max_min_fair.ts";

interface Demand {
  readonly resource: number;
  readonly weight: number;
}

function demandsOf(flows: readonly (readonly Demand[])[]): Demands {
  const all = flows.flat();
  const start = [0];
  for (const list of flows) start.push((start.at(-1) ?? 0) + list.length);
  return {
    start: Int32Array.from(start),
    resource: Int32Array.from(all, ({ resource }) => resource),
    weight: Float64Array.from(all, ({ weight }) => weight),
  };
}

Deno.test("maxMinFairRates() shares one resource evenly and gives the remainder to unsaturated flows", () => {
  // Flows 0 and 1 share resource 0 (10); flow 1 also needs resource 1 (2).
  const demands: Demand[][] = [
    [{ resource: 0, weight: 1 }],
    [{ resource: 0, weight: 1 }, { resource: 1, weight: 1 }],
  ];
  const ratesOf = maxMinFairRates(demandsOf(demands), Float64Array.of(10, 2));
  assertEquals([...ratesOf(Int32Array.of(0, 1))], [8, 2]);
  assertEquals([...ratesOf(Int32Array.of(0))], [10, 0]);
  assertEquals([...ratesOf(Int32Array.of(1))], [0, 2]);
});

Deno.test("maxMinFairRates() counts a heavy flow by its weight", () => {
  const demands: Demand[][] = [[{ resource: 0, weight: 3 }], [{ resource: 0, weight: 1 }]];
  assertEquals([...maxMinFairRates(demandsOf(demands), Float64Array.of(8))(Int32Array.of(0, 1))], [2, 2]);
});

Deno.test("maxMinFairRates() fills no resource beyond its capacity and stops every flow at a full one", () => {
  const resources = 5;
  const instance = fc.record({
    capacity: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: resources, maxLength: resources }),
    flows: fc.array(
      fc.uniqueArray(fc.integer({ min: 0, max: resources - 1 }), { minLength: 1, maxLength: resources }),
      { minLength: 1, maxLength: 12 },
    ),
    weights: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 60, maxLength: 60 }),
  });
  fc.assert(fc.property(instance, ({ capacity, flows, weights }) => {
    const demands = flows.map((list, flow) =>
      list.map((resource, index): Demand => ({ resource, weight: weights[flow * 5 + index] ?? 1 }))
    );
    const rates = maxMinFairRates(demandsOf(demands), Float64Array.from(capacity))(
      Int32Array.from(demands.keys()),
    );
    const used = new Float64Array(resources);
    demands.forEach((list, flow) =>
      list.forEach(({ resource, weight }) => {
        used[resource] = (used[resource] ?? 0) + weight * (rates[flow] ?? 0);
      })
    );
    used.forEach((amount, resource) => assert(amount <= (capacity[resource] ?? 0) + 1e-6));
    // The definition of max-min fairness: each flow crosses a full resource on which no flow is faster.
    demands.forEach((list, flow) =>
      assert(list.some(({ resource }) =>
        (used[resource] ?? 0) >= (capacity[resource] ?? 0) - 1e-6 &&
        demands.every((other, index) =>
          !other.some((demand) => demand.resource === resource) ||
          (rates[index] ?? 0) <= (rates[flow] ?? 0) + 1e-6
        )
      ))
    );
  }));
});

Deno.test("maxMinFairRates() does not limit flows without demands", () => {
  const rates = maxMinFairRates(demandsOf([[]]), Float64Array.of(1))(Int32Array.of(0));
  assertAlmostEquals(1 / (rates[0] ?? 0), 0);
});
