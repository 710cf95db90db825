// SPDX-License-Identifier: Apache-2.0
import type { MeasuredDevice } from "./measured_device.ts";

/**
 * µs that a profiler adds to the time of a program that follows another one at once. Every core writes its record to
 * DRAM when it is done, and only then begins the next program; cores that were idle meanwhile begin at the signal. What
 * is recorded reaches from the first of a program's cores to the last, so that programs on one core do not show it
 * (published:ops-2, traced layers: slices end 2.26 µs after the program before on 1, 4 and 32 cores alike, but begin
 * 1.5 µs after it on one core and 0.6 µs on several).
 *
 * @param cores of the program
 * @param gapUs recorded between the end of the program before and the start of this one; `undefined` where it is not
 *   told
 */
export function recordedWait(device: MeasuredDevice, cores: number, gapUs: number | undefined): number {
  return cores > 1 && gapUs !== undefined ? Math.max(0, device.profiler.recordWritten - gapUs) : 0;
}
