// SPDX-License-Identifier: Apache-2.0
import { dispatchedAfter, startAfter, type TimedProgram } from "../../lib/cost/dispatcher.ts";
import type { Device } from "../devices/device.ts";

/** Times of one step on the device's clock, in µs. */
export interface ClockedStep {
  /** Start of the kernel. */
  readonly startUs: number;
  /** Kernel time, without launch. */
  readonly deviceUs: number;
  /** From the end of the step before to the start of this one. */
  readonly gapUs: number;
}

/**
 * The clocks of device, dispatcher and host.
 *
 * - Kernel: start = max(end of the previous kernel + launch, dispatch of this one).
 * - Dispatcher: sending takes `dispatch.programSend` per program (tt-metal:pgm-dispatch), and the queue holds
 *   `dispatch.launchSlots` programs. It fills during long kernels, so short kernels wait only after so many
 *   in a row that the queue is empty (published:ops-2, dispatch by cores). The queue is full when a function
 *   begins, because the dispatcher runs ahead of the end of the previous call.
 * - Host, without a trace: issuing an op takes `dispatch.untracedHost`, as far ahead of the device as
 *   possible; ops that end on the host make it wait for them.
 */
export function createClock(
  traced: boolean,
  { dispatch }: Device,
): (step: TimedProgram) => ClockedStep {
  let deviceFree = 0;
  let hostFree = 0;
  /** When the dispatcher has sent the next program; a full queue of programs is ready from the start. */
  let sent = 0;
  /** Start times of the sent programs. */
  const starts: number[] = [];
  const dispatcher = {
    dispatchMicroseconds: dispatch.programSend,
    readyPrograms: dispatch.launchSlots,
    gapMicroseconds: dispatch.tracedGap,
  };
  return (step) => {
    const { microseconds, bound, terms: { launch } } = step;
    const deviceUs = Math.max(0, microseconds - launch);
    if (microseconds === 0) return { startUs: deviceFree, deviceUs: 0, gapUs: 0 };
    let startUs = startAfter(dispatcher, step, deviceFree, sent);
    if (!traced) {
      hostFree += dispatch.untracedHost;
      startUs = Math.max(startUs, hostFree);
    }
    const gapUs = startUs - deviceFree;
    deviceFree = startUs + deviceUs;
    if (bound === "HOST") {
      hostFree = deviceFree;
    } else {
      starts.push(startUs);
      sent = dispatchedAfter(dispatcher, sent, starts, starts.length);
    }
    return { startUs, deviceUs, gapUs };
  };
}
