// SPDX-License-Identifier: Apache-2.0

/** A circular buffer of a device program. */
export interface CircularBuffer {
  /** Name of its contents, for example `in0`, `weights`, `partials`. */
  readonly name: string;
  /** Bytes per core, summed over groups of cores with different buffers, as the graph trace reports. */
  readonly bytes: number;
  /** Most bytes on one core, if groups of cores have buffers of their own; defaults to `bytes`. */
  readonly bytesOnCore?: number;
}
