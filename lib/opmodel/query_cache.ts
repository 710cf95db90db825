// SPDX-License-Identifier: Apache-2.0
/** Integers of a record before its key: hash, index of the verdict, length of the key. */
const HEADER = 3;

/**
 * Hash table from short integer sequences to verdicts: open addressing over typed arrays, one contiguous
 * record per entry. A hit allocates nothing and touches few cache lines. Failures are stored like successes.
 */
export class QueryCache<Verdict> {
  /** Start of a record plus one; 0 is an empty slot. */
  #slots: Int32Array = new Int32Array(1 << 10);
  #records: Int32Array = new Int32Array(1 << 13);
  #recordsUsed = 0;
  readonly #values: Verdict[] = [];
  /** Epoch of each verdict's last query ({@linkcode QueryCache.countAnew}). */
  readonly #askedIn: number[] = [];
  #epoch = 0;
  /** Index of the verdict that {@linkcode QueryCache.find} returned or {@linkcode QueryCache.add} stored. */
  #last = 0;
  #key: Int32Array = new Int32Array(16);
  #length = 0;
  #hash = 0;

  /** Starts a new key. */
  begin(): void {
    this.#length = 0;
    this.#hash = 0x811c9dc5 | 0;
  }

  /** Appends an integer to the key. */
  push(part: number): void {
    if (this.#length === this.#key.length) this.#key = grown(this.#key);
    this.#key[this.#length++] = part;
    const mixed = Math.imul(this.#hash ^ part, 0x9e3779b1);
    this.#hash = mixed ^ (mixed >>> 15);
  }

  /** The verdict under the key that was pushed since {@linkcode QueryCache.begin}; `undefined` if there is none. */
  find(): Verdict | undefined {
    const hash = this.#hash;
    const slots = this.#slots;
    const records = this.#records;
    const mask = slots.length - 1;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const start = (slots[slot] ?? 0) - 1;
      if (start < 0) return undefined;
      if (records[start] === hash && this.#matches(start)) {
        this.#last = records[start + 1] ?? 0;
        return this.#values[this.#last];
      }
    }
  }

  /** Stores a verdict under the current key, which must not be in the table. */
  add(value: Verdict): void {
    if ((this.#values.length + 1) * 2 > this.#slots.length) this.#rehash();
    const start = this.#recordsUsed;
    const end = start + HEADER + this.#length;
    while (end > this.#records.length) this.#records = grown(this.#records);
    this.#records[start] = this.#hash;
    this.#records[start + 1] = this.#values.length;
    this.#records[start + 2] = this.#length;
    this.#records.set(this.#key.subarray(0, this.#length), start + HEADER);
    this.#recordsUsed = end;
    this.#last = this.#values.push(value) - 1;
    this.#insert(start, this.#hash);
  }

  /** Starts a new epoch: every key counts as not queried, although it stays in the table. */
  countAnew(): void {
    this.#epoch++;
  }

  /**
   * Counts a query of the verdict that was found or stored last.
   *
   * @returns whether it is the first one in this epoch
   */
  countQuery(): boolean {
    const isFirst = this.#askedIn[this.#last] !== this.#epoch;
    this.#askedIn[this.#last] = this.#epoch;
    return isFirst;
  }

  #matches(start: number): boolean {
    const length = this.#length;
    const records = this.#records;
    const key = this.#key;
    if (records[start + 2] !== length) return false;
    for (let index = 0; index < length; index++) {
      if (records[start + HEADER + index] !== key[index]) return false;
    }
    return true;
  }

  #insert(start: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = start + 1;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    let start = 0;
    while (start < this.#recordsUsed) {
      this.#insert(start, this.#records[start] ?? 0);
      start += HEADER + (this.#records[start + 2] ?? 0);
    }
  }
}

function grown(array: Int32Array): Int32Array {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
