// SPDX-License-Identifier: Apache-2.0
import type { BankMemory } from "./bank_memory.ts";
import type { L1Region, L1Step } from "./l1_schedule.ts";
import type { L1StepUsage } from "./l1_timeline.ts";

/** The usage of L1 at a moment, without circular buffers. */
type MomentUsage = Omit<L1StepUsage, "circularBufferEnd" | "peakBytes">;

/** Follows the buffers and programs of a step and keeps its tightest moment. */
export class Moments {
  readonly #memory: BankMemory;
  readonly #region: L1Region;
  /** Bytes by which unplaced buffers exceed the largest hole. */
  missing = 0;
  /** Bytes of those buffers. */
  homelessBytes = 0;
  /** Most bytes of buffers and circular buffers together. */
  bytes = 0;
  /** Most of (circular buffers + bytes from the lowest tensor to the top); 0 without a tensor in L1. */
  extent = 0;
  /** Most circular-buffer bytes of a program while no tensor is in L1. */
  bareBytes = 0;
  readonly #isPlain: boolean;
  #circularBufferBytes = 0;
  #tightest: MomentUsage | undefined;

  /**
   * @param isPlain whether the step frees nothing, so that its tightest moment is its end; then only the end
   * is recorded
   */
  constructor(memory: BankMemory, region: L1Region, isPlain: boolean) {
    this.#memory = memory;
    this.#region = region;
    this.#isPlain = isPlain;
    this.#watch(0);
  }

  /** L1 at the tightest moment. */
  get usage(): MomentUsage {
    return this.#tightest ?? this.#present();
  }

  /** Places a buffer. */
  place(tensor: number, bytes: number): void {
    const short = this.#memory.place(tensor, bytes);
    this.missing += short;
    if (short > 0) this.homelessBytes += bytes;
    this.#watch(0);
  }

  /** Runs a program with circular buffers. */
  run(circularBufferBytes: number): void {
    this.#watch(circularBufferBytes);
  }

  #watch(circularBufferBytes: number): void {
    const { top } = this.#region;
    const depth = top - this.#memory.lowestAddress;
    const bytes = this.#memory.bytes + circularBufferBytes;
    const extent = depth + circularBufferBytes;
    if (depth === 0) this.bareBytes = Math.max(this.bareBytes, circularBufferBytes);
    const isTightest = extent >= Math.max(this.extent, this.bareBytes);
    if (depth > 0) this.extent = Math.max(this.extent, extent);
    this.bytes = Math.max(this.bytes, bytes);
    if (!isTightest) return;
    this.#circularBufferBytes = circularBufferBytes;
    if (!this.#isPlain) this.#tightest = this.#present();
  }

  #present(): MomentUsage {
    const circularBufferBytes = this.#circularBufferBytes;
    return {
      placements: this.#memory.placements(),
      lowestTensor: this.#memory.lowestAddress,
      staticEnd: this.#region.base + circularBufferBytes,
      bytes: this.#memory.bytes + circularBufferBytes,
    };
  }
}

/** The usage with the results that were placed after its moment. */
export function withResults(usage: MomentUsage, { defines }: L1Step, memory: BankMemory): MomentUsage {
  if (usage.placements === memory.placements()) return usage;
  const later = defines.flatMap(({ tensor }) => {
    const placed = memory.placementOf(tensor);
    return placed === undefined || usage.placements.some((other) => other.tensor === tensor) ? [] : [placed];
  });
  return later.length === 0 ? usage : { ...usage, placements: [...usage.placements, ...later] };
}
