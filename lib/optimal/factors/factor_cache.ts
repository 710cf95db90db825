// SPDX-License-Identifier: Apache-2.0
import { EqualTables } from "../elimination/equal_tables.ts";
import type { OpFactor } from "./op_factor.ts";
import { type RowMerges, rowMerges } from "./row_merges.ts";
import type { SharedValue } from "./shared_value.ts";
import type { Impl, ImplTable } from "../exploration/impl_table.ts";

/** The cached objects of one problem, by their inputs. */
interface CachedObjects {
  readonly capped: Map<string, ImplTable>;
  readonly values: Map<string, SharedValue>;
  readonly copyTrees: Map<string, Float64Array>;
  readonly operandCosts: Map<string, Float64Array>;
  readonly merges: Map<string, RowMerges>;
  readonly factors: Map<string, OpFactor>;
  readonly rows: Map<string, Impl | undefined>;
}

/**
 * Cache of the factors and prices of a layout problem, keyed by their inputs; equal ones are one object. A
 * problem that differs from an earlier one in few prices reuses everything else.
 */
export class FactorCache {
  readonly #own: CachedObjects = {
    capped: new Map(),
    values: new Map(),
    copyTrees: new Map(),
    operandCosts: new Map(),
    merges: new Map(),
    factors: new Map(),
    rows: new Map(),
  };
  #earlier: CachedObjects | undefined;
  readonly #tables: EqualTables;
  readonly #ids: { readonly of: WeakMap<object, number>; next: number };

  /** @param earlier cache of an earlier problem; taken over until {@linkcode forgetEarlier} */
  constructor(earlier?: FactorCache) {
    this.#earlier = earlier === undefined ? undefined : earlier.#own;
    this.#ids = earlier === undefined ? { of: new WeakMap(), next: 0 } : earlier.#ids;
    this.#tables = new EqualTables(earlier === undefined ? undefined : earlier.#tables);
  }

  /** A number that identifies an object in keys. */
  idOf(object: object): number {
    let id = this.#ids.of.get(object);
    if (id === undefined) this.#ids.of.set(object, id = this.#ids.next++);
    return id;
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
    return this.#own.capped.getOrInsertComputed(
      key,
      () => this.#earlier?.capped.get(key) ?? cappedTable(table, fits),
    );
  }

  /** The costs of a value that several readers may convert. */
  value(key: string, make: () => SharedValue): SharedValue {
    return this.#own.values.getOrInsertComputed(key, () => this.#earlier?.values.get(key) ?? make());
  }

  /** The costs of the copy trees of a value that several readers may convert. */
  copyTree(key: string, make: () => Float64Array): Float64Array {
    return this.#own.copyTrees.getOrInsertComputed(
      key,
      () => this.#tables.one(this.#earlier?.copyTrees.get(key) ?? make()),
    );
  }

  /** The costs of converting a value to the layouts in which an op may read it. */
  operandCost(key: string, make: () => Float64Array): Float64Array {
    return this.#own.operandCosts.getOrInsertComputed(
      key,
      () => this.#tables.one(this.#earlier?.operandCosts.get(key) ?? make()),
    );
  }

  /** Cached {@linkcode rowMerges}. */
  merges(table: ImplTable, order: readonly number[]): RowMerges {
    const key = `${this.idOf(table)}:${order.join()}`;
    return this.#own.merges.getOrInsertComputed(
      key,
      () => this.#earlier?.merges.get(key) ?? rowMerges(table, order),
    );
  }

  /** The cheapest row of an op for the choices of its producers and its own; `undefined` if there is none. */
  bestRow(key: string, make: () => Impl | undefined): Impl | undefined {
    const { rows } = this.#own;
    const best = rows.get(key);
    if (best !== undefined || rows.has(key)) return best;
    const made = make();
    rows.set(key, made);
    return made;
  }

  /** The factor of an op, with its table in the order of the sorted scope. */
  factor(key: string, make: () => OpFactor): OpFactor {
    return this.#own.factors.getOrInsertComputed(key, () => {
      const { axes, table } = this.#earlier?.factors.get(key) ?? make();
      return { axes, table: this.#tables.one(table) };
    });
  }

  /** The representative of all equal tables. */
  one(table: Float64Array): Float64Array {
    return this.#tables.one(table);
  }

  /** Drops the earlier problem's cache, once everything of this one is made. */
  forgetEarlier(): void {
    this.#earlier = undefined;
    this.#tables.forgetEarlier();
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
