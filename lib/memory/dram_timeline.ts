// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { buffersByEnd, type Liveness } from "../graph/liveness.ts";
import { BankMemory, freeAll } from "./bank_memory.ts";

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
  const memory = new BankMemory(base, top, alignment, "bottom_up");
  const placeAll = (buffers: DramSchedule["residents"]): readonly number[] =>
    buffers.filter(({ tensor, bytes }) => memory.place(tensor, bytes) > 0).map(({ bytes }) => bytes);
  const pinned = new Set(residents.map(({ tensor }) => tensor));
  const failures: DramFailure[] = [];
  let unplaced = placeAll(residents);
  let peakBytes = memory.bytes;
  for (const [position, made] of steps.entries()) {
    unplaced = [...unplaced, ...placeAll(made)];
    peakBytes = Math.max(peakBytes, memory.bytes);
    if (unplaced.length > 0) failures.push({ position, shortBytes: shortBytes(memory, unplaced) });
    unplaced = [];
    freeAll(memory, dying, position, pinned);
  }
  return { peakBytes, failures };
}

/**
 * Bytes that are missing for buffers that were not placed: what all of them together have beyond the free space, or,
 * where that is in pieces, what the largest of them has beyond the largest piece.
 */
function shortBytes({ freeBytes, largestFreeBytes }: BankMemory, unplaced: readonly number[]): number {
  const together = unplaced.reduce((sum, bytes) => sum + bytes, 0);
  return Math.max(1, together - freeBytes, Math.max(...unplaced) - largestFreeBytes);
}
