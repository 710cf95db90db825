// SPDX-License-Identifier: Apache-2.0
import { type KernelCost, microsecondsOf } from "../kernels/kernel.ts";
import type { MeasuredDevice } from "./measured_device.ts";

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
