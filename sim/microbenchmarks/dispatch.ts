// SPDX-License-Identifier: Apache-2.0
import type { MeasuredDevice } from "./measured_device.ts";

/** Data that the dispatcher sends for one program. */
export interface DispatchedProgram {
  /** RISC-V processors per core that run a kernel, 1 to 5. */
  readonly processors: number;
  readonly kernelBytes: number;
  /** Whether circular buffers, semaphores or common arguments have to be configured. */
  readonly configures: boolean;
  /** Words of arguments that differ per core, for each processor; 0 when there are none. */
  readonly uniqueArguments: number;
  /** Whether all cores get such arguments (one core costs no more than configuring). */
  readonly allCores: boolean;
  /** Groups of cores with launch messages of their own. */
  readonly launchGroups: number;
  /** Groups of cores with kernels of their own. */
  readonly kernelGroups: number;
  /** Cycles that the kernel runs. */
  readonly kernelCycles: number;
  readonly ethernet: boolean;
}

/**
 * Time in µs from one program's start to the next one's under trace, when equal programs follow each other: what the
 * dispatcher sends, or the kernel itself when it is longer (tt-metal:pgm-dispatch).
 */
export function dispatchMicroseconds(program: DispatchedProgram, device: MeasuredDevice): number {
  const { dispatcher } = device;
  const copies = program.kernelGroups > 1 ? program.kernelGroups : 1;
  const kernels = program.kernelBytes * program.processors * copies / (dispatcher.kernelBandwidth * 1000);
  const unique = program.uniqueArguments > 0 && program.allCores
    ? dispatcher.uniqueArguments + program.uniqueArguments * program.processors * dispatcher.perArgument
    : 0;
  const send = dispatcher.base + (program.processors - 1) * dispatcher.perProcessor + kernels + unique +
    (program.configures || (program.uniqueArguments > 0 && !program.allCores) ? dispatcher.configure : 0) +
    (program.launchGroups > 1 ? program.launchGroups * dispatcher.launchGroup : 0) +
    (program.kernelGroups > 1 ? dispatcher.kernelGroups : 0) +
    (program.ethernet ? dispatcher.ethernetCores : 0);
  return Math.max(send, program.kernelCycles / device.clock.aiclk + dispatcher.kernelDone);
}

/** A program of a trace whose arguments differ per core. */
export interface TracedProgram {
  /** Worker cores that it runs on. */
  readonly cores: number;
  /** Time that its kernel takes, in µs. */
  readonly kernelUs: number;
}

/**
 * Starts in µs of the programs of a trace. The dispatcher sends one program after the other, each in a fixed time and a
 * time per core. It runs ahead of the kernels by as many programs as the launch buffer of the cores holds: programs that
 * were sent while a long kernel ran start right after one another, and short programs behind them at the dispatcher's
 * pace (published:ops-2, slices on 4 and 88 cores between matmuls).
 */
export function startTimes(programs: readonly TracedProgram[], device: MeasuredDevice): readonly number[] {
  const { launchBuffer, launchedGap, sendFixed, sendCore } = device.dispatcher;
  const starts: number[] = [];
  const ends: number[] = [];
  let sent = 0;
  for (const [index, { cores, kernelUs }] of programs.entries()) {
    sent = Math.max(sent, ends[index - launchBuffer] ?? 0) + sendFixed + cores * sendCore;
    const start = Math.max(sent, (ends.at(-1) ?? -launchedGap) + launchedGap);
    starts.push(start);
    ends.push(start + kernelUs);
  }
  return starts;
}

/** Time in µs between the starts of equal programs, when many of them follow each other. */
export function periodMicroseconds(program: TracedProgram, device: MeasuredDevice): number {
  const count = 4 * device.dispatcher.launchBuffer;
  const starts = startTimes(Array.from({ length: count }, () => program), device);
  return (starts.at(-1) ?? 0) - (starts.at(-2) ?? 0);
}
