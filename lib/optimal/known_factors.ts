// SPDX-License-Identifier: Apache-2.0
import { EqualTables } from "./equal_tables.ts";
import type { OpFactor } from "./op_factor.ts";
import type { SharedValue } from "./shared_value.ts";

/**
 * Factors and prices of a layout problem by what they depend on, so that equal ones are made once and are one object. A
 * problem that differs from an earlier one in few prices takes the rest over from it.
 */
export class KnownFactors {
  readonly #feeds: Map<string, Float64Array> = new Map();
  readonly #factors: Map<string, OpFactor> = new Map();
  readonly #values: Map<string, SharedValue> = new Map();
  readonly #tables: EqualTables;
  readonly #ids: { readonly of: WeakMap<object, number>; next: number };
  #earlier: KnownFactors | undefined;

  /** @param earlier those of a problem over the same tables */
  constructor(earlier?: KnownFactors) {
    this.#earlier = earlier;
    this.#ids = earlier === undefined ? { of: new WeakMap(), next: 0 } : earlier.#ids;
    this.#tables = new EqualTables(earlier === undefined ? undefined : earlier.#tables);
  }

  /** A number that stands for an object in keys, the same for the same object. */
  idOf(object: object): number {
    let id = this.#ids.of.get(object);
    if (id === undefined) this.#ids.of.set(object, id = this.#ids.next++);
    return id;
  }

  /** What a value costs that several readers may convert. */
  value(key: string, make: () => SharedValue): SharedValue {
    let value = this.#values.get(key);
    if (value === undefined) {
      const earlier = this.#earlier;
      value = (earlier === undefined ? undefined : earlier.#values.get(key)) ?? make();
      this.#values.set(key, value);
    }
    return value;
  }

  /** What it costs to bring a value into the layouts that an op may read it in. */
  feed(key: string, make: () => Float64Array): Float64Array {
    let feed = this.#feeds.get(key);
    if (feed === undefined) {
      const earlier = this.#earlier;
      feed = this.#tables.one((earlier === undefined ? undefined : earlier.#feeds.get(key)) ?? make());
      this.#feeds.set(key, feed);
    }
    return feed;
  }

  /** The factor of an op, its table in the order of the sorted scope. */
  factor(key: string, make: () => OpFactor): OpFactor {
    let factor = this.#factors.get(key);
    if (factor === undefined) {
      const earlier = this.#earlier;
      const { axes, table } = (earlier === undefined ? undefined : earlier.#factors.get(key)) ?? make();
      factor = { axes, table: this.#tables.one(table) };
      this.#factors.set(key, factor);
    }
    return factor;
  }

  /** The table that stands for all equal ones. */
  one(table: Float64Array): Float64Array {
    return this.#tables.one(table);
  }

  /** Lets go of the earlier problem's, once everything of this one is made. */
  forgetEarlier(): void {
    this.#earlier = undefined;
    this.#tables.forgetEarlier();
  }
}
