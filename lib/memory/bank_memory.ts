// SPDX-License-Identifier: Apache-2.0
import type { GroupedTensors } from "../graph/liveness.ts";
import { roundUp } from "../layout/make_layout.ts";
import { type AllocationDirection, BankAllocator } from "./bank_allocator.ts";

/** A buffer in a bank. */
export interface BufferPlacement {
  /** Id of the tensor that owns the buffer; `-1` for every intermediate, whatever its negative id. */
  readonly tensor: number;
  /** First byte. */
  readonly address: number;
  /** Bytes that it takes. */
  readonly bytes: number;
}

/** The buffers of one bank (L1 of a core, or a DRAM bank) by tensor id; intermediates have negative ids. */
export class BankMemory {
  readonly #allocator: BankAllocator;
  readonly #base: number;
  readonly #top: number;
  readonly #alignment: number;
  readonly #placed: Map<number, BufferPlacement> = new Map();
  #bytes = 0;
  #placements: readonly BufferPlacement[] | undefined;

  /** @param top one past the last address; if the region is empty, no buffer fits */
  constructor(base: number, top: number, alignment: number, direction: AllocationDirection) {
    this.#base = base;
    this.#top = top;
    this.#alignment = alignment;
    this.#allocator = new BankAllocator(base, top, alignment, direction);
  }

  /** Bytes of all buffers, each with the end that its alignment costs. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of the region that no buffer has. */
  get freeBytes(): number {
    return Math.max(0, this.#top - this.#base) - this.#bytes;
  }

  /** Bytes of the largest hole. */
  get largestFreeBytes(): number {
    return this.#allocator.largestFreeBytes;
  }

  /** Lowest address of a buffer; the region's top if there is none. */
  get lowestAddress(): number {
    return this.#placed.size === 0 ? this.#top : this.#allocator.lowestAddress;
  }

  /** Buffers in the order in which they were placed; the same list while nothing changes. */
  placements(): readonly BufferPlacement[] {
    return this.#placements ??= [...this.#placed.values()];
  }

  /** Places a buffer permanently at a given address, which may be outside the region. */
  reserve(tensor: number, address: number, bytes: number): void {
    if (bytes === 0) return;
    this.#allocator.reserve(address, bytes);
    this.#placed.set(tensor, { tensor, address, bytes });
    this.#bytes += roundUp(bytes, this.#alignment);
    this.#placements = undefined;
  }

  /** Places a buffer. Returns the missing bytes; 0 if it was placed. */
  place(tensor: number, bytes: number): number {
    if (bytes === 0) return 0;
    const address = this.#allocator.allocate(bytes);
    if (address === undefined) return Math.max(1, bytes - this.largestFreeBytes);
    this.#placed.set(tensor, { tensor: Math.max(-1, tensor), address, bytes });
    this.#bytes += roundUp(bytes, this.#alignment);
    this.#placements = undefined;
    return 0;
  }

  /**
   * The lowest address after placing buffers of these sizes, as far as they fit; they are freed again. The bank
   * must hold no intermediates, whose ids the tried buffers take.
   */
  lowestAddressWith(bytes: readonly number[]): number {
    bytes.forEach((size, index) => this.place(-1 - index, size));
    const lowest = this.lowestAddress;
    bytes.forEach((_size, index) => this.free(-1 - index));
    return lowest;
  }

  /** The placement of a buffer; `undefined` if it was not placed. */
  placementOf(tensor: number): BufferPlacement | undefined {
    return this.#placed.get(tensor);
  }

  /**
   * Frees a buffer if it was placed.
   *
   * @throws {RangeError} for a buffer that {@linkcode BankMemory.reserve} placed
   */
  free(tensor: number): void {
    const placement = this.#placed.get(tensor);
    if (placement === undefined) return;
    this.#allocator.free(placement.address);
    this.#placed.delete(tensor);
    this.#bytes -= roundUp(placement.bytes, this.#alignment);
    this.#placements = undefined;
  }
}

/**
 * Frees the buffers whose last use was at a step.
 *
 * @param pinned tensors whose buffers stay
 */
export function freeAll(
  memory: BankMemory,
  { first, next }: GroupedTensors,
  position: number,
  pinned?: ReadonlySet<number>,
): void {
  for (let tensor = first[position] ?? -1; tensor >= 0; tensor = next[tensor] ?? -1) {
    if (pinned?.has(tensor) !== true) memory.free(tensor);
  }
}
