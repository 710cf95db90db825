// SPDX-License-Identifier: Apache-2.0

/** A circular buffer of a device program. */
export interface CircularBuffer {
  /** What flows through it, for example `in0`, `weights`, `partials`. */
  readonly name: string;
  /** Bytes per core, of all groups of cores together where they differ: what the graph trace reports. */
  readonly bytes: number;
  /** Most bytes on one core, where groups of cores have buffers of their own; `bytes` where it is not given. */
  readonly bytesOnCore?: number;
}
