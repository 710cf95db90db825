// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../layout/make_layout.ts";

/** The side of a free block from which buffers are allocated. */
export type AllocationDirection = "top_down" | "bottom_up";

/**
 * First-fit allocator of one address region, which represents the same region of every bank: buffers are placed
 * in lockstep, so an address is valid for all banks (tt-metal:allocator). Top-down takes the highest block that
 * fits and allocates from its top, bottom-up the lowest block from its bottom. Sizes are rounded up to the
 * alignment.
 */
export class BankAllocator {
  readonly #base: number;
  readonly #end: number;
  readonly #alignment: number;
  readonly #direction: AllocationDirection;
  /** Free blocks `[start, end)` in ascending order; neighbours are merged. */
  #starts: number[];
  #ends: number[];
  #allocated: Map<number, number> = new Map();

  /**
   * @param base first byte of the region, rounded up to the alignment
   * @param end first byte after the region, rounded down to the alignment
   * @param alignment bytes
   * @throws {RangeError} when the region is empty
   */
  constructor(base: number, end: number, alignment: number, direction: AllocationDirection) {
    this.#base = roundUp(base, alignment);
    this.#end = Math.floor(end / alignment) * alignment;
    if (this.#end <= this.#base) {
      throw new RangeError(`Cannot allocate in [${base}, ${end}): the region is empty`);
    }
    this.#alignment = alignment;
    this.#direction = direction;
    this.#starts = [this.#base];
    this.#ends = [this.#end];
  }

  /** An independent copy. */
  copy(): BankAllocator {
    const copy = new BankAllocator(this.#base, this.#end, this.#alignment, this.#direction);
    copy.#starts = this.#starts.slice();
    copy.#ends = this.#ends.slice();
    copy.#allocated = new Map(this.#allocated);
    return copy;
  }

  /** Lowest address of a live buffer; the end of the region if there is none. */
  get lowestAddress(): number {
    const first = this.#starts[0];
    if (first === undefined || first > this.#base) return this.#base;
    return this.#ends[0] ?? this.#end;
  }

  /** Places a buffer; `undefined`, without any change, if no block fits. */
  allocate(bytes: number): number | undefined {
    const size = this.#rounded(bytes);
    const block = this.#findBlock(size);
    if (block === undefined) return undefined;
    const start = this.#starts[block] ?? 0;
    const end = this.#ends[block] ?? 0;
    const address = this.#direction === "top_down" ? end - size : start;
    if (end - start === size) {
      this.#starts.splice(block, 1);
      this.#ends.splice(block, 1);
    } else if (this.#direction === "top_down") {
      this.#ends[block] = address;
    } else {
      this.#starts[block] = address + size;
    }
    this.#allocated.set(address, size);
    return address;
  }

  /**
   * Marks an address range as taken by a buffer placed elsewhere; parts that are already taken or outside the
   * region are ignored. It cannot be freed.
   */
  reserve(address: number, bytes: number): void {
    const from = Math.floor(address / this.#alignment) * this.#alignment;
    const to = Math.ceil((address + bytes) / this.#alignment) * this.#alignment;
    if (to <= from) return;
    const free = this.#starts.flatMap((start, block): [number, number][] => {
      const end = this.#ends[block] ?? start;
      const below: [number, number] = [start, Math.min(end, from)];
      const above: [number, number] = [Math.max(start, to), end];
      return [below, above].filter(([first, last]) => first < last);
    });
    this.#starts = free.map(([start]) => start);
    this.#ends = free.map(([, end]) => end);
  }

  /**
   * Frees a buffer.
   *
   * @throws {RangeError} if no live buffer starts at the address
   */
  free(address: number): void {
    const size = this.#allocated.get(address);
    if (size === undefined) throw new RangeError(`Cannot free ${address}: no buffer starts there`);
    this.#allocated.delete(address);
    const after = this.#firstBlockAtOrAfter(address);
    const joinsPrevious = after > 0 && this.#ends[after - 1] === address;
    const joinsNext = this.#starts[after] === address + size;
    if (joinsPrevious && joinsNext) {
      this.#ends[after - 1] = this.#ends[after] ?? address + size;
      this.#starts.splice(after, 1);
      this.#ends.splice(after, 1);
    } else if (joinsPrevious) {
      this.#ends[after - 1] = address + size;
    } else if (joinsNext) {
      this.#starts[after] = address;
    } else {
      this.#starts.splice(after, 0, address);
      this.#ends.splice(after, 0, address + size);
    }
  }

  /** Bytes of the largest free block; 0 if everything is taken. */
  get largestFreeBytes(): number {
    let largest = 0;
    for (let block = 0; block < this.#starts.length; block++) {
      largest = Math.max(largest, (this.#ends[block] ?? 0) - (this.#starts[block] ?? 0));
    }
    return largest;
  }

  #rounded(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.#alignment)) * this.#alignment;
  }

  #findBlock(size: number): number | undefined {
    const count = this.#starts.length;
    if (this.#direction === "top_down") {
      for (let block = count - 1; block >= 0; block--) {
        if ((this.#ends[block] ?? 0) - (this.#starts[block] ?? 0) >= size) return block;
      }
    } else {
      for (let block = 0; block < count; block++) {
        if ((this.#ends[block] ?? 0) - (this.#starts[block] ?? 0) >= size) return block;
      }
    }
    return undefined;
  }

  #firstBlockAtOrAfter(address: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
