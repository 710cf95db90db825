// SPDX-License-Identifier: Apache-2.0

import { mulberry } from "../../lib/precision/mulberry.ts";

/** Random numbers that depend on a word and nothing else: the same questions on every machine. */
export class Random {
  /** A number in [0, 1). */
  readonly next: () => number;

  constructor(seed: string) {
    // FNV-1a, so that similar words start far apart.
    let hash = 0x811c9dc5;
    for (const char of seed) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
    this.next = mulberry(hash);
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of a list. @throws {RangeError} if the list is empty */
  pick<T>(list: readonly T[]): T {
    const index = this.below(list.length);
    for (const [at, entry] of list.entries()) if (at === index) return entry;
    throw new RangeError("Cannot pick from an empty list");
  }
}
