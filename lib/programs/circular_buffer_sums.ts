// SPDX-License-Identifier: Apache-2.0
import type { BufferKind } from "./circular_buffer.ts";
import type { KnownPrograms } from "./program.ts";
import type { ProgramBase } from "./program_work.ts";

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
