// SPDX-License-Identifier: Apache-2.0
import type { RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { Device } from "../devices/device.ts";

/** Place of one step on the device's clock, in µs. */
export interface ClockedStep {
  /** Start of the kernel. */
  readonly startUs: number;
  /** Kernel time, launch left out. */
  readonly deviceUs: number;
  /** From the end of the step before to the start of this one. */
  readonly gapUs: number;
}

/**
 * The clocks of device, dispatcher and host. A kernel starts one launch after the end of the one before, but not before
 * the dispatcher has sent it: it sends the next program while one runs (`dispatch.programSend`), which kernels of some
 * µs hide and shorter ones do not (tt-metal:pgm-dispatch). Without a trace the host needs `dispatch.untracedHost` to
 * issue each op and runs ahead of the device as far as it can; ops that end on the host make it wait for them.
 */
export function createClock(
  traced: boolean,
  device: Device,
): (estimate: RuntimeEstimate) => ClockedStep {
  let deviceFree = 0;
  let hostFree = 0;
  /** When the dispatcher has sent the next program; the first one is there from the start. */
  let sent = 0;
  return (estimate) => {
    const launch = estimate.terms.launch;
    const deviceUs = Math.max(0, estimate.microseconds - launch);
    if (estimate.microseconds === 0) return { startUs: deviceFree, deviceUs: 0, gapUs: 0 };
    // Of an op of several programs, the dispatcher has to have sent the first.
    const first = Math.min(launch, device.dispatch.tracedGap);
    let startUs = estimate.bound === "HOST"
      ? deviceFree + launch
      : Math.max(deviceFree + first, sent) + launch - first;
    if (!traced) {
      hostFree += device.dispatch.untracedHost;
      startUs = Math.max(startUs, hostFree);
    }
    const gapUs = startUs - deviceFree;
    deviceFree = startUs + deviceUs;
    if (estimate.bound !== "HOST") sent = startUs + device.dispatch.programSend;
    if (estimate.bound === "HOST") hostFree = Math.max(hostFree, deviceFree);
    return { startUs, deviceUs, gapUs };
  };
}
