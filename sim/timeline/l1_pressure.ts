// SPDX-License-Identifier: Apache-2.0
import type { BufferPlacement } from "../../lib/memory/bank_memory.ts";
import type { L1Timeline } from "../../lib/memory/l1_timeline.ts";
import type { L1Region } from "../../lib/memory/l1_schedule.ts";

/**
 * Fullness of L1 and fragmentation of its free space; names and meanings of ttnn-visualizer's
 * `l1Pressure`.
 */
export interface L1Pressure {
  /** Used share of the usable region, in per cent. */
  readonly fullnessPercent: number;
  /** Number of holes. */
  readonly freeSegments: number;
  /** Bytes of the largest hole. */
  readonly largestFreeBytes: number;
  /** The same as a share of the usable region, in per cent. */
  readonly largestFreePercent: number;
}

/** L1 of one core at the tightest moment of a step, with the results of the step. Bytes per core. */
export interface StepL1 extends L1Pressure {
  /** Tensors of earlier steps and inputs, without padding to the alignment. */
  readonly beforeBytes: number;
  /** Largest sum of aligned buffers and circular buffers over the moments of the step. */
  readonly peakBytes: number;
  /** Tensors and intermediates, without padding to the alignment and without circular buffers. */
  readonly tensorBytes: number;
  /** Circular buffers and scratchpads of the program at that moment. */
  readonly circularBufferBytes: number;
  /** Address of every buffer; `tensor` is an instance of the planned execution, `-1` an intermediate of the step. */
  readonly placements: readonly BufferPlacement[];
}

/**
 * L1 use per step, from a replay by address.
 *
 * @returns one entry per simulated step
 */
export function l1OfSteps(timeline: L1Timeline, region: L1Region): readonly StepL1[] {
  const { definedAt } = timeline.liveness;
  return timeline.usage.map((usage, position): StepL1 => {
    const circularBufferBytes = usage.staticEnd - region.base;
    let tensorBytes = 0;
    let beforeBytes = 0;
    for (const { tensor, bytes } of usage.placements) {
      tensorBytes += bytes;
      if (tensor >= 0 && definedAt[tensor] !== position) beforeBytes += bytes;
    }
    return {
      beforeBytes,
      peakBytes: usage.peakBytes,
      tensorBytes,
      circularBufferBytes,
      ...l1Pressure(
        [
          ...usage.placements.map(({ address, bytes }) => ({ start: address, end: address + bytes })),
          { start: region.base, end: usage.staticEnd },
        ],
        region,
      ),
      placements: usage.placements,
    };
  });
}

/**
 * Lazy {@linkcode l1OfSteps} by position: callers that only need a plan's time never compute it.
 *
 * @param replay computes {@linkcode l1OfSteps}
 */
export function l1OfStepsLater(replay: () => readonly StepL1[]): (position: number) => StepL1 {
  let replayed: readonly StepL1[] | undefined;
  return (position) => {
    const l1 = (replayed ??= replay())[position];
    if (l1 === undefined) throw new RangeError(`Cannot look up L1 of step ${position}: it is not simulated`);
    return l1;
  };
}

/**
 * Pressure of a set of used address ranges, which may overlap and touch.
 *
 * @param used half-open ranges; parts outside of the region do not count
 */
export function l1Pressure(
  used: readonly { readonly start: number; readonly end: number }[],
  region: Pick<L1Region, "base" | "top">,
): L1Pressure {
  const size = region.top - region.base;
  if (size <= 0) return { fullnessPercent: 0, freeSegments: 0, largestFreeBytes: 0, largestFreePercent: 0 };
  const sorted = used.map(({ start, end }) => ({
    start: Math.max(start, region.base),
    end: Math.min(end, region.top),
  })).filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  let at = region.base;
  let free = 0;
  let freeSegments = 0;
  let largestFreeBytes = 0;
  for (const { start, end } of [...sorted, { start: region.top, end: region.top }]) {
    if (start > at) {
      free += start - at;
      freeSegments++;
      largestFreeBytes = Math.max(largestFreeBytes, start - at);
    }
    at = Math.max(at, end);
  }
  return {
    fullnessPercent: (size - free) / size * 100,
    freeSegments,
    largestFreeBytes,
    largestFreePercent: largestFreeBytes / size * 100,
  };
}
