// SPDX-License-Identifier: Apache-2.0
import type { OpFactor } from "./op_factor.ts";

/**
 * Factors and prices of a layout problem by what they depend on, so that equal ones are made once. A problem that
 * differs from an earlier one in few prices takes the rest over from it.
 */
export class KnownFactors {
  readonly #feeds: Map<string, Float64Array> = new Map();
  readonly #factors: Map<string, OpFactor> = new Map();
  readonly #ids: { readonly of: WeakMap<object, number>; next: number };
  #earlier: KnownFactors | undefined;

  /** @param earlier those of a problem over the same tables */
  constructor(earlier?: KnownFactors) {
    this.#earlier = earlier;
    this.#ids = earlier === undefined ? { of: new WeakMap(), next: 0 } : earlier.#ids;
  }

  /** A number that stands for a table in keys, the same for the same object. */
  idOf(table: object): number {
    let id = this.#ids.of.get(table);
    if (id === undefined) this.#ids.of.set(table, id = this.#ids.next++);
    return id;
  }

  /** What it costs to bring a value into the layouts that an op may read it in. */
  feed(key: string, make: () => Float64Array): Float64Array {
    const earlier = this.#earlier;
    return getOrAdd(this.#feeds, earlier === undefined ? undefined : earlier.#feeds, key, make);
  }

  /** The factor of an op, its table in the order of the sorted scope. */
  factor(key: string, make: () => OpFactor): OpFactor {
    const earlier = this.#earlier;
    return getOrAdd(this.#factors, earlier === undefined ? undefined : earlier.#factors, key, make);
  }

  /** Lets go of the earlier problem's, once everything of this one is made. */
  forgetEarlier(): void {
    this.#earlier = undefined;
  }
}

function getOrAdd<Value>(
  own: Map<string, Value>,
  earlier: ReadonlyMap<string, Value> | undefined,
  key: string,
  make: () => Value,
): Value {
  let value = own.get(key);
  if (value === undefined) own.set(key, value = earlier?.get(key) ?? make());
  return value;
}
