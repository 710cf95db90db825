// SPDX-License-Identifier: Apache-2.0

/** Configs per op that the solver can distinguish (tt-mlir `ShardSolver::kNumBitsetBits`). */
export const CONFIG_BITS = 512;

const WORDS = CONFIG_BITS / 32;

/** The configs of one op that are still possible: bit `i` stands for config `i`. */
export class ConfigBitset {
  readonly #words: Uint32Array = new Uint32Array(WORDS);

  /** A bitset with every bit set, including those beyond the number of configs. */
  static all(): ConfigBitset {
    const bits = new ConfigBitset();
    bits.#words.fill(0xffffffff);
    return bits;
  }

  /** A bitset with the given bits set. */
  static of(...indices: readonly number[]): ConfigBitset {
    const bits = new ConfigBitset();
    for (const index of indices) bits.set(index);
    return bits;
  }

  /** Whether the bit is set; `false` beyond the last bit. */
  has(index: number): boolean {
    return ((this.#words[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
  }

  /** @throws {RangeError} if there is no such bit */
  set(index: number): void {
    if (!Number.isInteger(index) || index < 0 || index >= CONFIG_BITS) {
      throw new RangeError(`Cannot set config bit ${index}: there are ${CONFIG_BITS}`);
    }
    this.#words[index >>> 5] = (this.#words[index >>> 5] ?? 0) | (1 << (index & 31));
  }

  /** Clears every bit. */
  clear(): void {
    this.#words.fill(0);
  }

  /** Keeps the bits that are set in both. */
  and(other: ConfigBitset): void {
    for (let word = 0; word < WORDS; word++) {
      this.#words[word] = (this.#words[word] ?? 0) & (other.#words[word] ?? 0);
    }
  }

  /** Whether every bit set here is also set in `other`. */
  isSubsetOf(other: ConfigBitset): boolean {
    for (let word = 0; word < WORDS; word++) {
      if (((this.#words[word] ?? 0) & ~(other.#words[word] ?? 0)) !== 0) return false;
    }
    return true;
  }

  /** Whether both have a bit in common. */
  intersects(other: ConfigBitset): boolean {
    for (let word = 0; word < WORDS; word++) {
      if (((this.#words[word] ?? 0) & (other.#words[word] ?? 0)) !== 0) return true;
    }
    return false;
  }

  /** Set bits below `limit`, ascending. */
  indices(limit: number): number[] {
    const found: number[] = [];
    for (let index = 0; index < Math.min(limit, CONFIG_BITS); index++) {
      if (this.has(index)) found.push(index);
    }
    return found;
  }

  /** The lowest `width` bits as a binary literal, config 0 rightmost: `0b0000100100` for configs 2 and 5 of ten. */
  toBinary(width: number): string {
    let digits = "";
    for (let index = Math.min(width, CONFIG_BITS) - 1; index >= 0; index--) {
      digits += this.has(index) ? "1" : "0";
    }
    return `0b${digits}`;
  }
}
