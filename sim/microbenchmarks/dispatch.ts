// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";

/** What the dispatcher has to send for one program. */
export interface DispatchedProgram {
  /** RISC-V processors per core that run a kernel, 1 to 5. */
  readonly processors: number;
  /** Bytes of each kernel. */
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
export function dispatchMicroseconds(program: DispatchedProgram, device: Device): number {
  const { dispatch } = device;
  const copies = program.kernelGroups > 1 ? program.kernelGroups : 1;
  const kernels = program.kernelBytes * program.processors * copies / (dispatch.kernelBandwidth * 1000);
  const unique = program.uniqueArguments > 0 && program.allCores
    ? dispatch.uniqueArguments + program.uniqueArguments * program.processors * dispatch.perArgument
    : 0;
  const send = dispatch.base + (program.processors - 1) * dispatch.perProcessor + kernels + unique +
    (program.configures || (program.uniqueArguments > 0 && !program.allCores) ? dispatch.configure : 0) +
    (program.launchGroups > 1 ? program.launchGroups * dispatch.launchGroup : 0) +
    (program.kernelGroups > 1 ? dispatch.kernelGroups : 0) + (program.ethernet ? dispatch.ethernetCores : 0);
  return Math.max(send, program.kernelCycles / device.clock.aiclk + dispatch.kernelDone);
}
