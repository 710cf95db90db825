// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { CutNetwork } from "./minimum_cut.ts";

interface Cost {
  readonly from: number;
  readonly to: number;
  readonly cost: number;
}

const NODES = 6;

/** What a choice of the source's side costs. */
function costOf(costs: readonly Cost[], isOnSourceSide: (node: number) => boolean): number {
  return costs.reduce(
    (sum, { from, to, cost }) => sum + (isOnSourceSide(from) && !isOnSourceSide(to) ? cost : 0),
    0,
  );
}

Deno.test("a cut costs as little as the best of all choices, and is one that costs that", () => {
  // Node 0 is the source, 1 the sink.
  const cost = fc.record({
    from: fc.nat(NODES - 1),
    to: fc.nat(NODES - 1),
    cost: fc.integer({ min: 0, max: 20 }),
  });
  fc.assert(
    fc.property(fc.array(cost, { maxLength: 20 }), (costs) => {
      const network = new CutNetwork();
      while (network.addNode() < NODES - 1);
      for (const { from, to, cost } of costs) network.addCost(from, to, cost);
      const { sourceSide, cost: found } = network.cut();
      const choices = Array.from({ length: 2 ** (NODES - 2) }, (_, bits) => bits);
      const best = Math.min(
        ...choices.map((bits) =>
          costOf(costs, (node) => node === 0 || node > 1 && (bits >> (node - 2) & 1) === 1)
        ),
      );
      assertEquals(found, best);
      assertEquals(costOf(costs, (node) => sourceSide.has(node)), best);
      assertEquals([sourceSide.has(0), sourceSide.has(1)], [true, false]);
    }),
    { numRuns: 500, seed: 20261122 },
  );
});
