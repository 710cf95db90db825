// SPDX-License-Identifier: Apache-2.0
import type { OpConstraints } from "./op_model.ts";

/**
 * Hash table from short runs of integers to verdicts: open addressing over typed arrays, so that a hit allocates
 * nothing. Failures are kept like successes.
 */
export class QueryCache {
  #slots: Int32Array = new Int32Array(1 << 10);
  #keys: Int32Array = new Int32Array(1 << 13);
  #starts: Int32Array = new Int32Array(1 << 9);
  #hashes: Int32Array = new Int32Array(1 << 9);
  #keysUsed = 0;
  readonly #values: OpConstraints[] = [];
  #key: Int32Array = new Int32Array(16);
  #length = 0;

  /** Starts a new key. */
  begin(): void {
    this.#length = 0;
  }

  /** Appends an integer to the key. */
  push(part: number): void {
    if (this.#length === this.#key.length) this.#key = grown(this.#key);
    this.#key[this.#length++] = part;
  }

  /** Looks up the key that was pushed since {@linkcode QueryCache.begin}. */
  find(): OpConstraints | undefined {
    const hash = this.#hash();
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] ?? 0) - 1;
      if (entry < 0) return undefined;
      if (this.#hashes[entry] === hash && this.#matches(entry)) return this.#values[entry];
    }
  }

  /** Stores a verdict under the current key, which must not be in the table. */
  add(value: OpConstraints): void {
    const entry = this.#values.length;
    if ((entry + 1) * 2 > this.#slots.length) this.#rehash();
    if (entry + 1 >= this.#starts.length) {
      this.#starts = grown(this.#starts);
      this.#hashes = grown(this.#hashes);
    }
    while (this.#keysUsed + this.#length > this.#keys.length) this.#keys = grown(this.#keys);
    const hash = this.#hash();
    this.#keys.set(this.#key.subarray(0, this.#length), this.#keysUsed);
    this.#starts[entry] = this.#keysUsed;
    this.#keysUsed += this.#length;
    this.#starts[entry + 1] = this.#keysUsed;
    this.#hashes[entry] = hash;
    this.#values.push(value);
    this.#insert(entry, hash);
  }

  /** Number of verdicts kept. */
  get size(): number {
    return this.#values.length;
  }

  #hash(): number {
    let hash = this.#length;
    for (let index = 0; index < this.#length; index++) {
      hash = Math.imul(hash ^ (this.#key[index] ?? 0), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash | 0;
  }

  #matches(entry: number): boolean {
    const start = this.#starts[entry] ?? 0;
    if ((this.#starts[entry + 1] ?? 0) - start !== this.#length) return false;
    for (let index = 0; index < this.#length; index++) {
      if (this.#keys[start + index] !== this.#key[index]) return false;
    }
    return true;
  }

  #insert(entry: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while ((this.#slots[slot] ?? 0) !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = entry + 1;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let entry = 0; entry < this.#values.length; entry++) {
      this.#insert(entry, this.#hashes[entry] ?? 0);
    }
  }
}

function grown(array: Int32Array): Int32Array {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
