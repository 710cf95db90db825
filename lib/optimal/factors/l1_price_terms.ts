// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../../graph/graph.ts";
import type { Impl, ImplTable } from "../exploration/impl_table.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import type { L1Prices } from "../l1/l1_prices.ts";
import type { ProblemTerms } from "./problem_terms.ts";
import { countReaders, equalShares, type Sharing } from "./sharing.ts";
import type { WaitPrices } from "./priced_waits.ts";

/**
 * The layout problem at prices λ_o of L1 while op o runs, in µs per byte per core. Op o pays λ_o for each byte of its
 * implementation; a value that is live during o in every order pays λ_o for each of its bytes, divided equally among the
 * readers that run after o. `leastAtPrices` subtracts Σ λ_o · capacity from the solution to get a bound.
 *
 * @param sharings how readers share the copies of values; replaced for values that pay
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

/**
 * The table of an op that pays for its L1: the cheapest implementation per combination of reads and output, slower ones
 * that need less of it included.
 *
 * @param price µs per byte per core
 */
function withL1Price(table: ImplTable, price: number): ImplTable {
  const cheapest = new Map<string, Impl>();
  for (const row of [...table.rows, ...table.smaller]) {
    const key = `${row.reads.join()}>${row.output}`;
    const microseconds = row.microseconds + price * row.l1Bytes;
    if (microseconds < (cheapest.get(key)?.microseconds ?? Infinity)) {
      cheapest.set(key, { ...row, microseconds });
    }
  }
  const rows = [...cheapest.values()];
  return { ...table, rows, least: rows.reduce((us, row) => Math.min(us, row.microseconds), Infinity) };
}
