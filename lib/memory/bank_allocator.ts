// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../layout/make_layout.ts";

/** Free addresses from `start` to before `end`. */
interface FreeBlock {
  readonly start: number;
  readonly end: number;
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
  /** In ascending order; neighbours are merged. */
  #free: readonly FreeBlock[];
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
    const [first] = this.#free;
    return first?.start === this.#base ? first.end : this.#base;
  }

  /** Places a buffer; `undefined`, without any change, if no block fits. */
  allocate(bytes: number): number | undefined {
    const size = Math.max(1, Math.ceil(bytes / this.#alignment)) * this.#alignment;
    const fits = ({ start, end }: FreeBlock): boolean => end - start >= size;
    const isTopDown = this.#direction === "top_down";
    const block = isTopDown ? this.#free.findLast(fits) : this.#free.find(fits);
    if (block === undefined) return undefined;
    const address = isTopDown ? block.end - size : block.start;
    this.#take(address, address + size);
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
    if (to > from) this.#take(from, to);
  }

  #take(from: number, to: number): void {
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
    const freed = { start: address, end: address + size };
    const below = this.#free.filter(({ end }) => end <= freed.start);
    const above = this.#free.filter(({ start }) => start >= freed.end);
    const previous = below.at(-1)?.end === freed.start ? below.pop() : undefined;
    const next = above[0]?.start === freed.end ? above.shift() : undefined;
    this.#free = [...below, { start: (previous ?? freed).start, end: (next ?? freed).end }, ...above];
  }

  /** Bytes of the largest free block; 0 if everything is taken. */
  get largestFreeBytes(): number {
    return Math.max(0, ...this.#free.map(({ start, end }) => end - start));
  }
}
