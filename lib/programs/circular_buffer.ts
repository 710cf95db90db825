// SPDX-License-Identifier: Apache-2.0
import type { KnownPrograms } from "./program.ts";
import type { ProgramBase } from "./program_work.ts";

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

/**
 * Bytes of a program's buffers of all kinds, as the graph trace sums them: over all groups of cores, although no core
 * holds those of two groups.
 */
export function circularBufferBytes({ circularBuffers }: Pick<ProgramBase, "circularBuffers">): number {
  return circularBuffers.reduce((sum, { bytes }) => sum + bytes, 0);
}

const BUFFER_KINDS: readonly BufferKind[] = ["circular", "dataflow", "scratch"];

/**
 * Peak of the buffers over an op's programs in bytes, as the graph trace reports it: the sum of the peaks of circular
 * buffers, dataflow buffers and scratchpads, each over the programs, so that it may exceed every single program.
 * A buffer without a kind is a dataflow buffer.
 */
export function circularBufferPeak({ programs }: Pick<KnownPrograms, "programs">): number {
  return BUFFER_KINDS.reduce(
    (sum, kind) =>
      sum +
      programs.reduce((most, { circularBuffers }) => Math.max(most, bytesOfKind(circularBuffers, kind)), 0),
    0,
  );
}

function bytesOfKind(buffers: ProgramBase["circularBuffers"], kind: BufferKind): number {
  return buffers.reduce((sum, buffer) => (buffer.kind ?? "dataflow") === kind ? sum + buffer.bytes : sum, 0);
}

/** Bytes of a program's buffers of all kinds on its fullest core. */
export function circularBufferBytesOnCore({ circularBuffers }: Pick<ProgramBase, "circularBuffers">): number {
  return circularBuffers.reduce((sum, { bytes, bytesOnCore = bytes }) => sum + bytesOnCore, 0);
}

/**
 * Circular and dataflow buffers of an op's largest program on its fullest core, in bytes, without scratchpads: what
 * the allocator places below all tensors.
 */
export function largestCircularBuffers({ programs }: Pick<KnownPrograms, "programs">): number {
  return programs.reduce((most, { circularBuffers }) => {
    const placed = circularBuffers.filter(({ kind }) => kind !== "scratch");
    return Math.max(most, circularBufferBytesOnCore({ circularBuffers: placed }));
  }, 0);
}

/** Bytes of the buffers of all kinds of an op's largest program on its fullest core. */
export function circularBufferPeakOnCore({ programs }: Pick<KnownPrograms, "programs">): number {
  return programs.reduce((most, program) => Math.max(most, circularBufferBytesOnCore(program)), 0);
}
