// SPDX-License-Identifier: Apache-2.0

/** Binary heap: {@linkcode pop} returns the entry that comes before all others. */
export class Heap<Entry> {
  readonly #entries: Entry[] = [];
  readonly #before: (a: Entry, b: Entry) => boolean;

  /** @param before a strict total order; entries that are equal in it come in any order */
  constructor(before: (a: Entry, b: Entry) => boolean) {
    this.#before = before;
  }

  push(entry: Entry): void {
    const entries = this.#entries;
    let child = entries.push(entry) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = entries[parent];
      if (above === undefined || !this.#before(entry, above)) break;
      entries[child] = above;
      child = parent;
    }
    entries[child] = entry;
  }

  /** Removes and returns the first entry; `undefined` if there is none. */
  pop(): Entry | undefined {
    const entries = this.#entries;
    const top = entries[0];
    const last = entries.pop();
    if (top === undefined || last === undefined || entries.length === 0) return top;
    let parent = 0;
    while (true) {
      let child = 2 * parent + 1;
      const left = entries[child];
      if (left === undefined) break;
      const right = entries[child + 1];
      if (right !== undefined && this.#before(right, left)) child++;
      const smaller = entries[child];
      if (smaller === undefined || !this.#before(smaller, last)) break;
      entries[parent] = smaller;
      parent = child;
    }
    entries[parent] = last;
    return top;
  }
}
