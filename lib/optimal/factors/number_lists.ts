// SPDX-License-Identifier: Apache-2.0

/** Numbers lists of integers: equal lists get equal numbers, from 0 on. */
export class NumberLists {
  readonly #lists: Int32Array[] = [];
  /** Numbers of lists by the hash of their contents. */
  readonly #byHash: Map<number, number[]> = new Map();

  /**
   * The number of a list.
   *
   * @param from where it begins in `numbers`
   * @param to one past its last index
   */
  idOf(numbers: Int32Array, from: number = 0, to: number = numbers.length): number {
    let hash = to - from;
    // Without an iterator, because tables have tens of thousands of rows.
    for (let at = from; at < to; at++) {
      hash = Math.imul(hash ^ (numbers[at] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    }
    const equivalent = this.#byHash.get(hash);
    const cached = equivalent?.find((id) => isEqual(this.at(id), numbers, from, to));
    if (cached !== undefined) return cached;
    const id = this.#lists.push(numbers.slice(from, to)) - 1;
    if (equivalent === undefined) this.#byHash.set(hash, [id]);
    else equivalent.push(id);
    return id;
  }

  /** The list with a number. */
  at(id: number): Int32Array {
    const list = this.#lists[id];
    if (list === undefined) {
      throw new RangeError(`Cannot look up list ${id}: there are ${this.#lists.length}`);
    }
    return list;
  }

  /** All lists, by number. */
  get all(): readonly Int32Array[] {
    return this.#lists;
  }
}

function isEqual(list: Int32Array, numbers: Int32Array, from: number, to: number): boolean {
  if (list.length !== to - from) return false;
  for (let at = 0; at < list.length; at++) if (list[at] !== numbers[from + at]) return false;
  return true;
}
