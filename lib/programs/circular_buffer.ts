// SPDX-License-Identifier: Apache-2.0

/**
 * The kind of a program's buffer. The graph trace reports the peak of each kind separately, and an op's
 * figure is the sum of the peaks, even if they occur in different programs (`ttnn:backend-0-81-1`).
 */
export type BufferKind = "circular" | "dataflow" | "scratch";

/** A circular buffer of a device program, in the wider sense: dataflow buffers and scratchpads too. */
export interface CircularBuffer {
  /** Name of its contents, for example `in0`, `weights`, `partials`. */
  readonly name: string;
  /** Bytes per core, summed over groups of cores with different buffers, as the graph trace reports. */
  readonly bytes: number;
  /** Most bytes on one core, if groups of cores have buffers of their own; defaults to `bytes`. */
  readonly bytesOnCore?: number;
  /** Defaults to `dataflow`. */
  readonly kind?: BufferKind;
}

/** Most pages of a circular buffer: the hardware counts them in 16 bits (`ttnn:backend-0-81-1`). */
export const MOST_PAGES = 65535;

/** A buffer of the kind `circular`. */
export function circularBuffer(name: string, bytes: number): CircularBuffer {
  return { name, bytes, kind: "circular" };
}
