// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { BankAllocator, type BankSnapshot, type FragmentationFigures } from "./bank_allocator.ts";

/** A program whose circular buffers would overwrite a live tensor. */
export interface CircularBufferClash {
  /** First byte after the circular buffers. */
  readonly circularBufferEnd: number;
  /** Lowest address of a live L1 tensor. */
  readonly lowestTensorAddress: number;
  /** Bytes by which they overlap. */
  readonly overlapBytes: number;
}

/**
 * L1 of every core of a chip at once: tensors lie top-down below L1_SMALL, in lockstep over all cores; circular
 * buffers grow bottom-up from the base for the time of one program (tt-metal:allocator). Addresses are absolute bytes.
 */
export class L1Allocator {
  readonly #bank: BankAllocator;

  /**
   * @param reservedBytes bytes per core directly below L1_SMALL that are taken for the life of the program (const-eval
   *   results in L1)
   * @throws {RangeError} when nothing is left between base and reserved bytes
   */
  constructor(
    chip: Pick<
      ChipDescription,
      "l1Size" | "l1UnreservedBase" | "l1SmallSize" | "l1Alignment" | "dramAlignment"
    >,
    reservedBytes: number = 0,
  ) {
    const base = Math.ceil(chip.l1UnreservedBase / chip.dramAlignment) * chip.dramAlignment;
    const end = chip.l1Size - chip.l1SmallSize - reservedBytes;
    this.#bank = new BankAllocator(base, end, Math.max(chip.l1Alignment, chip.dramAlignment), "top_down");
  }

  /** First byte of circular buffers. */
  get base(): number {
    return this.#bank.base;
  }

  /** First byte after the tensor region. */
  get end(): number {
    return this.#bank.end;
  }

  /** Lowest address of a live tensor; {@linkcode L1Allocator.end} when there is none. */
  get lowestAddress(): number {
    return this.#bank.lowestAddress;
  }

  /** Bytes per core that live tensors hold. */
  get allocatedBytes(): number {
    return this.#bank.allocatedBytes;
  }

  /** Places a tensor of so many bytes per core; `undefined` when it does not fit. */
  allocate(bytes: number): number | undefined {
    return this.#bank.allocate(bytes);
  }

  /** Address that a tensor would get; nothing changes. */
  wouldAllocate(bytes: number): number | undefined {
    return this.#bank.wouldAllocate(bytes);
  }

  /** Whether a tensor of so many bytes per core would fit. */
  wouldFit(bytes: number): boolean {
    return this.#bank.wouldFit(bytes);
  }

  /**
   * Frees the tensor at an address.
   *
   * @throws {RangeError} when there is none
   */
  free(address: number): void {
    this.#bank.free(address);
  }

  /** Whether circular buffers of so many bytes reach into a live tensor; `undefined` when they do not. */
  clash(circularBufferBytes: number): CircularBufferClash | undefined {
    return circularBufferClash(this.#bank.base + circularBufferBytes, this.#bank.lowestAddress);
  }

  /** Live tensors as `[address, bytes]`, lowest address first. */
  buffers(): readonly (readonly [address: number, bytes: number])[] {
    return this.#bank.buffers();
  }

  /** How full and how broken up the tensor region is. */
  fragmentation(): FragmentationFigures {
    return this.#bank.fragmentation();
  }

  /** Remembers the state. */
  snapshot(): BankSnapshot {
    return this.#bank.snapshot();
  }

  /** Goes back to a remembered state. */
  restore(snapshot: BankSnapshot): void {
    this.#bank.restore(snapshot);
  }
}

/**
 * The backend's clash check: circular buffers end at `circularBufferEnd`, the lowest live L1 tensor starts at
 * `lowestTensorAddress` (tt-metal "circular buffers … clash with L1 buffers").
 */
export function circularBufferClash(
  circularBufferEnd: number,
  lowestTensorAddress: number,
): CircularBufferClash | undefined {
  if (circularBufferEnd <= lowestTensorAddress) return undefined;
  return { circularBufferEnd, lowestTensorAddress, overlapBytes: circularBufferEnd - lowestTensorAddress };
}
