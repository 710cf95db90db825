// SPDX-License-Identifier: Apache-2.0

/** Keeps one table for all equal ones, so that results can be cached by table identity. */
export class EqualTables {
  readonly #byHash: Map<number, Float64Array[]> = new Map();
  #earlier: EqualTables | undefined;

  /** @param earlier whose tables are used here too if they are equal, until {@linkcode forgetEarlier} */
  constructor(earlier?: EqualTables) {
    this.#earlier = earlier;
  }

  /** The representative of all equal tables: an earlier one, or this one. */
  one(table: Float64Array): Float64Array {
    const hash = hashOf(table);
    const own = this.#find(hash, table);
    if (own !== undefined) return own;
    const earlier = this.#earlier;
    const chosen = (earlier === undefined ? undefined : earlier.#find(hash, table)) ?? table;
    this.#byHash.set(hash, [...this.#byHash.get(hash) ?? [], chosen]);
    return chosen;
  }

  #find(hash: number, table: Float64Array): Float64Array | undefined {
    return this.#byHash.get(hash)?.find((other) => isEqual(other, table));
  }

  /** Drops the earlier tables that were not used here. */
  forgetEarlier(): void {
    this.#earlier = undefined;
  }
}

/** Entries of a table that are hashed: tables of one length hardly ever agree in that many and differ in others. */
const HASHED_ENTRIES = 64;

/** FNV-1a over the words of some entries of a table, evenly spaced (Fowler, Noll, Vo). */
function hashOf(table: Float64Array): number {
  let hash = 0x811c9dc5 ^ table.length;
  const words = new Uint32Array(table.buffer, table.byteOffset, 2 * table.length);
  const step = 2 * Math.ceil(table.length / HASHED_ENTRIES);
  for (let word = 0; word < words.length; word += step) {
    hash = Math.imul(hash ^ (words[word] ?? 0), 0x01000193);
    hash = Math.imul(hash ^ (words[word + 1] ?? 0), 0x01000193);
  }
  return hash;
}

function isEqual(a: Float64Array, b: Float64Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let entry = 0; entry < a.length; entry++) if (a[entry] !== b[entry]) return false;
  return true;
}
