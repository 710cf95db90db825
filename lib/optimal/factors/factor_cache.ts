// SPDX-License-Identifier: Apache-2.0
import { EqualTables } from "../elimination/equal_tables.ts";
import type { OpFactor } from "./op_factor.ts";
import { type RowMerges, rowMerges } from "./row_merges.ts";
import type { SharedValue } from "./shared_value.ts";
import type { Impl, ImplTable } from "../exploration/impl_table.ts";

/**
 * Cache of the factors and prices of layout problems over one space, keyed by their inputs; equal ones are one object.
 * A problem that differs from others in few prices computes only what depends on these.
 */
export class FactorCache {
  readonly #capped: Map<string, ImplTable> = new Map();
  readonly #values: Map<string, SharedValue> = new Map();
  readonly #copyTrees: Map<string, Float64Array> = new Map();
  readonly #operandCosts: Map<string, Float64Array> = new Map();
  readonly #merges: Map<string, RowMerges> = new Map();
  readonly #factors: Map<string, OpFactor> = new Map();
  readonly #rows: Map<string, Impl | undefined> = new Map();
  readonly #tables: EqualTables = new EqualTables();
  readonly #ids: WeakMap<object, number> = new WeakMap();
  #nextId = 0;

  /** A number that identifies an object in keys. */
  idOf(object: object): number {
    return this.#ids.getOrInsertComputed(object, () => this.#nextId++);
  }

  /**
   * The implementations of a table that need at most `mostBytes` of L1 per core; one object per set of remaining
   * implementations.
   */
  capped(table: ImplTable, mostBytes: number): ImplTable {
    const fits = (row: Impl): boolean => row.l1Bytes <= mostBytes;
    const count = table.rows.filter(fits).length;
    if (count === table.rows.length) return table;
    const key = `${this.idOf(table)}:${count}:${table.smaller.filter(fits).length}`;
    return this.#capped.getOrInsertComputed(key, () => cappedTable(table, fits));
  }

  /** The costs of a value that several readers may convert. */
  value(key: string, make: () => SharedValue): SharedValue {
    return this.#values.getOrInsertComputed(key, make);
  }

  /** The costs of the copy trees of a value that several readers may convert. */
  copyTree(key: string, make: () => Float64Array): Float64Array {
    return this.#copyTrees.getOrInsertComputed(key, () => this.#tables.one(make()));
  }

  /** The costs of converting a value to the layouts in which an op may read it. */
  operandCost(key: string, make: () => Float64Array): Float64Array {
    return this.#operandCosts.getOrInsertComputed(key, () => this.#tables.one(make()));
  }

  /** Cached {@linkcode rowMerges}. */
  merges(table: ImplTable, order: readonly number[]): RowMerges {
    return this.#merges.getOrInsertComputed(
      `${this.idOf(table)}:${order.join()}`,
      () => rowMerges(table, order),
    );
  }

  /** The cheapest row of an op for the choices of its producers and its own; `undefined` if there is none. */
  bestRow(key: string, make: () => Impl | undefined): Impl | undefined {
    return this.#rows.getOrInsertComputed(key, make);
  }

  /** The factor of an op, with its table in the order of the sorted scope. */
  factor(key: string, make: () => OpFactor): OpFactor {
    return this.#factors.getOrInsertComputed(key, () => {
      const { axes, table } = make();
      return { axes, table: this.#tables.one(table) };
    });
  }

  /** The representative of all equal tables. */
  one(table: Float64Array): Float64Array {
    return this.#tables.one(table);
  }
}

/** The table restricted to implementations that fit: the cheapest one per combination of reads and output. */
function cappedTable(table: ImplTable, fits: (row: Impl) => boolean): ImplTable {
  const keyOf = ({ reads, output }: Impl): string => `${reads.join()}>${output}`;
  const next = new Map<string, Impl>();
  const smaller = table.smaller.filter(fits);
  for (const row of smaller) {
    const key = keyOf(row);
    // Rows come in ascending order of time.
    if (!next.has(key)) next.set(key, row);
  }
  const rows = table.rows.flatMap((row) => {
    const kept = fits(row) ? row : next.get(keyOf(row));
    return kept === undefined ? [] : [kept];
  });
  return { ...table, rows, smaller };
}
