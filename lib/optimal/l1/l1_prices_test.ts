// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { type OpId, opId } from "../../graph/graph.ts";
import { type L1Prices, leastAtPrices, mostAbove, type PricedSolution } from "./l1_prices.ts";

const OPS = 5;
const BASE_US = 100;
const CAPACITY = 100;

/** A tensor that may wait in L1 during the ops from `since` to `until`, or elsewhere for `us`. */
interface Tensor {
  readonly bytes: number;
  readonly us: number;
  readonly since: number;
  readonly until: number;
}

const tensor: fc.Arbitrary<Tensor> = fc.record({
  bytes: fc.integer({ min: 5, max: 70 }),
  us: fc.integer({ min: 1, max: 20 }),
  since: fc.nat({ max: OPS - 1 }),
  length: fc.nat({ max: OPS - 1 }),
}).map(({ bytes, us, since, length }) => ({ bytes, us, since, until: Math.min(OPS - 1, since + length) }));

const OP_IDS: readonly OpId[] = (() => {
  const builder = new GraphBuilder();
  const shape = { shape: [32, 32], dataType: "bf16" } as const;
  let value = builder.argument(shape);
  for (let op = 0; op < OPS; op++) value = builder.op("ttnn.toy", [value], shape);
  builder.return(value);
  const fn = builder.build();
  return fn.ops.map((_, op) => opId(fn, op));
})();

function bytesAt(kept: readonly Tensor[], op: OpId): number {
  return kept.reduce((sum, { bytes, since, until }) => sum + (since <= op && op <= until ? bytes : 0), 0);
}

/** What is cheapest at some prices: each tensor waits in L1 if that costs less than waiting elsewhere. */
function solveFor(tensors: readonly Tensor[]): (prices: L1Prices) => PricedSolution {
  return (prices) => {
    let microseconds = BASE_US;
    const kept: Tensor[] = [];
    for (const each of tensors) {
      const pays = prices.entries().reduce((us, [op, price]) => us + price * bytesAt([each], op), 0);
      if (pays < each.us) kept.push(each);
      microseconds += Math.min(pays, each.us);
    }
    const bytesDuring = (op: OpId): number => bytesAt(kept, op);
    return {
      microseconds,
      bytesDuring,
      scarcest: (apart) =>
        mostAbove(
          CAPACITY,
          OP_IDS.filter((op) => !apart.has(op)).map((op) => ({ item: op, bytes: bytesDuring(op) })),
        ),
    };
  };
}

function boundOf(tensors: readonly Tensor[], isSpent?: () => boolean): number {
  const solve = solveFor(tensors);
  return leastAtPrices(solve(new Map()), solve, CAPACITY, isSpent).bound;
}

/** The least µs of all ways to keep some tensors, each of which fits during every op. */
function leastThatFits(tensors: readonly Tensor[]): number {
  let least = Infinity;
  for (let kept = 0; kept < 2 ** tensors.length; kept++) {
    const inL1 = tensors.filter((_, at) => (kept >> at & 1) === 1);
    if (OP_IDS.some((op) => bytesAt(inL1, op) > CAPACITY)) continue;
    least = Math.min(least, tensors.reduce((us, each) => us + (inL1.includes(each) ? 0 : each.us), BASE_US));
  }
  return least;
}

/** The same where parts of tensors may wait in L1 and all of them wait during one op: the densest stay. */
function leastOfParts(tensors: readonly Tensor[]): number {
  let room = CAPACITY;
  return tensors.toSorted((a, b) => b.us / b.bytes - a.us / a.bytes).reduce((sum, { bytes, us }) => {
    const kept = Math.min(bytes, room);
    room -= kept;
    return sum + us * (1 - kept / bytes);
  }, BASE_US);
}

Deno.test("leastAtPrices() never exceeds the least that fits, whatever waits during which ops", () => {
  let raised = 0;
  fc.assert(
    fc.property(fc.array(tensor, { maxLength: 9 }), (tensors) => {
      const bound = boundOf(tensors);
      assert(bound <= leastThatFits(tensors) + 1e-9);
      if (bound > BASE_US) raised++;
    }),
    { numRuns: 300, endOnFailure: true },
  );
  assert(raised > 150, `raised ${raised} of 300 bounds`);
});

Deno.test("leastAtPrices() finds the best price of one op, as if parts of tensors could wait", () => {
  fc.assert(
    fc.property(fc.array(tensor, { maxLength: 30 }), (some) => {
      const tensors = some.map((each) => ({ ...each, since: 2, until: 2 }));
      const bound = boundOf(tensors);
      const least = leastOfParts(tensors);
      assert(bound <= least + 1e-9 && bound >= least * (1 - 2e-3), `${bound} for ${least}`);
    }),
    { numRuns: 300, endOnFailure: true },
  );
});

Deno.test("leastAtPrices() prices every place where L1 is short, and stops when asked to", () => {
  const early = Array.from({ length: 20 }, () => ({ bytes: 10, us: 10, since: 0, until: 0 }));
  const tensors = [...early, ...early.map((each) => ({ ...each, since: 4, until: 4 }))];
  // Ten of twenty fit at either place.
  assertEquals(Math.round(boundOf(tensors)), BASE_US + 200);
  assertEquals(boundOf(tensors, () => true), BASE_US);
});
