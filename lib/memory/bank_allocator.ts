// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../layout/make_layout.ts";

/** Free addresses from `start` to before `end`. */
interface FreeBlock {
  start: number;
  end: number;
}

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
  /** In ascending order; neighbours are merged. Changed in place: searches replay L1 thousands of times. */
  #free: FreeBlock[];
  readonly #allocated: Map<number, number> = new Map();

  /**
   * @param base first byte of the region, rounded up to the alignment
   * @param end first byte after the region, rounded down to the alignment; if nothing is in between, no buffer fits
   * @param alignment bytes
   */
  constructor(base: number, end: number, alignment: number, direction: AllocationDirection) {
    this.#base = roundUp(base, alignment);
    this.#end = Math.max(this.#base, Math.floor(end / alignment) * alignment);
    this.#alignment = alignment;
    this.#direction = direction;
    this.#free = this.#end > this.#base ? [{ start: this.#base, end: this.#end }] : [];
  }

  /** Lowest address of a live buffer; the end of the region if there is none. */
  get lowestAddress(): number {
    const first = this.#free[0];
    return first?.start === this.#base ? first.end : this.#base;
  }

  /** Places a buffer; `undefined`, without any change, if no block fits. */
  allocate(bytes: number): number | undefined {
    const size = Math.max(1, Math.ceil(bytes / this.#alignment)) * this.#alignment;
    const fits = ({ start, end }: FreeBlock): boolean => end - start >= size;
    const isTopDown = this.#direction === "top_down";
    const index = isTopDown ? this.#free.findLastIndex(fits) : this.#free.findIndex(fits);
    const block = this.#free[index];
    if (block === undefined) return undefined;
    const address = isTopDown ? block.end -= size : block.start;
    if (!isTopDown) block.start += size;
    if (block.start === block.end) this.#free.splice(index, 1);
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
    this.#free = this.#free.flatMap(({ start, end }) =>
      [{ start, end: Math.min(end, from) }, { start: Math.max(start, to), end }]
        .filter((block) => block.start < block.end)
    );
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
    const block = { start: address, end: address + size };
    const above = this.#free.findIndex(({ start }) => start >= block.end);
    const index = above < 0 ? this.#free.length : above;
    const [previous, next] = [this.#free[index - 1], this.#free[index]];
    if (next?.start === block.end) {
      block.end = next.end;
      this.#free.splice(index, 1);
    }
    if (previous?.end === block.start) previous.end = block.end;
    else this.#free.splice(index, 0, block);
  }

  /** Bytes of the largest free block; 0 if everything is taken. */
  get largestFreeBytes(): number {
    return Math.max(0, ...this.#free.map(({ start, end }) => end - start));
  }
}
