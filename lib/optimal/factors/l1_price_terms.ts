// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../../graph/graph.ts";
import { withL1Price } from "../exploration/impl_table.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import type { L1Prices } from "../l1/l1_prices.ts";
import type { ProblemTerms } from "./problem_terms.ts";
import { countReaders, equalShares, type Sharing } from "./sharing.ts";
import type { WaitPrices } from "./priced_waits.ts";

/**
 * The layout problem at some prices of L1: an op with a price pays for its own bytes, and each value that is live meanwhile
 * in every order for its own, in equal parts for all readers that it must wait for.
 *
 * @param sharings of the copies of values that pay nothing
 */
export function l1PriceTerms(
  space: LayoutSpace,
  sharings: ReadonlyMap<ValueId, Sharing>,
  l1Prices: L1Prices,
): ProblemTerms {
  const { evaluator } = space;
  const waitPrices = new Map<ValueId, WaitPrices>();
  const shared = new Map(sharings);
  for (const [op, price] of l1Prices) {
    for (const { value, after, before } of space.liveDuring(op)) {
      const readers = countReaders(evaluator, value);
      const earlier = waitPrices.get(value);
      waitPrices.set(value, {
        perByte: Array.from(
          { length: readers },
          (_, reader) =>
            (earlier?.perByte[reader] ?? 0) + (after.includes(reader) ? price / after.length : 0),
        ),
        before: earlier === undefined ? before : before.intersection(earlier.before),
      });
      shared.set(value, equalShares(readers));
    }
  }
  const tables = new Map(l1Prices.entries().map(([op, price]) => [op, withL1Price(space.table(op), price)]));
  return {
    sharings: shared,
    waitPrices,
    prices: { table: (op, table) => tables.get(op) ?? table, conversions: (_, table) => table },
  };
}
