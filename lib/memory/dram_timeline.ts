// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { buffersByEnd, type Liveness } from "../graph/liveness.ts";
import { BankAllocator } from "./bank_allocator.ts";

/** Addresses of a DRAM bank available to tensors, in bytes. */
export interface DramRegion {
  /** First address. */
  readonly base: number;
  /** One past the last address. */
  readonly top: number;
  /** Alignment of addresses in bytes. */
  readonly alignment: number;
}

/** The DRAM region of every bank of a chip. */
export function dramRegion(chip: ChipDescription): DramRegion {
  return { base: chip.dramUnreservedBase, top: chip.dramUnreservedEnd, alignment: chip.dramAlignment };
}

/** The DRAM buffers of a schedule, in bytes per bank. Tensor ids are those of the liveness. */
export interface DramSchedule {
  /** Buffers that exist before the first step and are never freed: arguments, results of const-eval functions. */
  readonly residents: readonly { readonly tensor: number; readonly bytes: number }[];
  /** New buffers of each step, without tensors that share the buffer of another one. */
  readonly steps: readonly (readonly { readonly tensor: number; readonly bytes: number }[])[];
}

/** A step whose results do not fit into DRAM. */
export interface DramFailure {
  /** Index of the step; failures before the first step are reported for the first one. */
  readonly position: number;
  /** Bytes per bank that are missing. */
  readonly shortBytes: number;
}

/** The use of a DRAM bank over a schedule. */
export interface DramTimeline {
  /** Most bytes per bank that buffers hold at any step. */
  readonly peakBytes: number;
  /** In step order. */
  readonly failures: readonly DramFailure[];
}

/**
 * Allocates and frees a schedule's buffers in one bank of DRAM, by address, bottom-up and first fit (tt-metal
 * allocates DRAM bottom-up); all banks are alike. Excluded: intermediates inside ops, buffers of captured
 * traces.
 *
 * @param liveness of the same steps, as computed by the L1 simulation
 */
export function simulateDramSchedule(
  { residents, steps }: DramSchedule,
  liveness: Liveness,
  { base, top, alignment }: DramRegion,
): DramTimeline {
  const dying = buffersByEnd(liveness, steps.length);
  const memory = new DramBank(base, top, alignment, liveness.owner.length);
  const isPinned = new Uint8Array(liveness.owner.length);
  const failures: DramFailure[] = [];
  const unplaced: number[] = [];
  const place = ({ tensor, bytes }: DramSchedule["residents"][number]): void => {
    if (!memory.place(tensor, bytes)) unplaced.push(bytes);
  };
  for (const resident of residents) {
    isPinned[resident.tensor] = 1;
    place(resident);
  }
  let peakBytes = memory.bytes;
  for (let position = 0; position < steps.length; position++) {
    for (const made of steps[position] ?? []) place(made);
    peakBytes = Math.max(peakBytes, memory.bytes);
    if (unplaced.length > 0) failures.push({ position, shortBytes: memory.shortBytes(unplaced) });
    unplaced.length = 0;
    for (let tensor = dying.first[position] ?? -1; tensor >= 0; tensor = dying.next[tensor] ?? -1) {
      if (isPinned[tensor] === 0) memory.free(tensor);
    }
  }
  return { peakBytes, failures };
}

/** One DRAM bank: address and bytes of each placed buffer, by tensor id. */
class DramBank {
  readonly #allocator: BankAllocator | undefined;
  /** Per tensor; -1 if it is not placed. */
  readonly #addressOf: Float64Array;
  readonly #bytesOf: Float64Array;
  readonly #capacity: number;
  /** Bytes of all buffers. */
  bytes = 0;

  constructor(base: number, top: number, alignment: number, tensors: number) {
    // If the region is empty, no buffer fits.
    this.#allocator = top - base >= alignment
      ? new BankAllocator(base, top, alignment, "bottom_up")
      : undefined;
    this.#capacity = Math.max(0, top - base);
    this.#addressOf = new Float64Array(tensors).fill(-1);
    this.#bytesOf = new Float64Array(tensors);
  }

  /** Places a buffer; returns whether there was room. */
  place(tensor: number, bytes: number): boolean {
    if (bytes === 0) return true;
    const address = this.#allocator?.allocate(bytes);
    if (address === undefined) return false;
    this.#addressOf[tensor] = address;
    this.#bytesOf[tensor] = bytes;
    this.bytes += bytes;
    return true;
  }

  /**
   * Bytes that are missing for buffers that were not placed: what all of them together have beyond the free space, or,
   * where that is in pieces, what the largest of them has beyond the largest piece.
   */
  shortBytes(unplaced: readonly number[]): number {
    const free = this.#allocator?.largestFreeBytes ?? 0;
    const together = unplaced.reduce((sum, bytes) => sum + bytes, 0);
    return Math.max(1, together - (this.#capacity - this.bytes), Math.max(...unplaced) - free);
  }

  /** Frees a buffer if it was placed. */
  free(tensor: number): void {
    const address = this.#addressOf[tensor] ?? -1;
    if (address < 0) return;
    this.#allocator?.free(address);
    this.#addressOf[tensor] = -1;
    this.bytes -= this.#bytesOf[tensor] ?? 0;
  }
}
