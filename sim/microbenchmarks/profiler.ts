// SPDX-License-Identifier: Apache-2.0
import { type KernelCost, microsecondsOf } from "../kernels/kernel.ts";
import type { MeasuredDevice } from "./measured_device.ts";

/**
 * µs that a profiler adds to the time of a program that directly follows another one. A core that is done writes its record
 * to DRAM before it begins the next program; cores that were idle begin at the signal. The recorded time runs from the first
 * core's start to the last core's end, so programs on one core do not show the wait
 * (published:ops-2, traced layers: slices end 2.26 µs after the program before on 1, 4 and 32 cores alike, but begin
 * 1.5 µs after it on one core and 0.6 µs on several).
 *
 * @param cores of the program
 * @param gapUs recorded between the end of the program before and the start of this one; `undefined` if unknown
 */
export function recordedWait(device: MeasuredDevice, cores: number, gapUs: number | undefined): number {
  return cores > 1 && gapUs !== undefined ? Math.max(0, device.profiler.recordWritten - gapUs) : 0;
}

/**
 * Wall time in µs of one program among many equal ones under trace: the kernel at the clock that power management
 * leaves, and the gap to the next program. Device kernel durations are counted in cycles of the nominal clock and do
 * not see the clock drop; it shows only where the matrix engine is busy nearly all the time (tt-metal:gemm-flops).
 */
export function wallMicroseconds(cost: KernelCost, device: MeasuredDevice): number {
  const busy = cost.cycles === 0 ? 0 : Math.min(1, cost.compute / cost.cycles);
  const slowdown = 1 + device.wallClock.throttleSlope * Math.max(0, busy - device.wallClock.throttleFrom);
  return microsecondsOf(device, cost.cycles) * slowdown + device.wallClock.gap;
}
