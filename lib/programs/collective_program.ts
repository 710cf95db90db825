// SPDX-License-Identifier: Apache-2.0
import type { MeshAxis } from "../device/mesh.ts";
import { type Exchange, exchange, packetBytes, packetPages } from "./exchange.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import type { CollectiveProgram } from "./program.ts";
import type { PageStream } from "./program_work.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { wholeTensor } from "./stream.ts";

/**
 * Circular buffers of a worker, triple-buffered (tt-metal:all-gather, tt-metal:reduce-scatter): gathering, up
 * to four pages of a packet; reducing, eight pages (four if a page fills a packet) each of its own part, the
 * arriving part and their sum, twice. A point-to-point receiver unpacks packets, with three times their pages
 * (tt-metal:point-to-point). Other collectives: unknown.
 */
function buffersOf(kind: Exchange, pageBytes: number): readonly CircularBuffer[] {
  const pages = packetPages(kind, pageBytes);
  const buffer = (name: string, count: number) => ({ name, bytes: 3 * count * pageBytes });
  switch (kind) {
    case "all_gather":
      return [buffer("in0", pages)];
    case "reduce_scatter":
      return ["in0", "intermediate", "reader_out", "out"].map((name) => buffer(name, 4 * pages));
    case "permute":
      return [{ name: "packet", bytes: packetBytes(kind, pageBytes) }, buffer("receiver", pages)];
    case "all_to_all":
      return [];
  }
}

/** Parameters of a collective's data movement. */
interface CollectivePath {
  readonly axis: MeshAxis;
  /** Hops between the two chips of a `permute`; 1 when absent. */
  readonly distance?: number | undefined;
}

/** Data exchanged between the chips of an axis: `input`'s pages, or partial sums of them. */
export function collectiveProgram(
  kind: Exchange,
  bytes: number,
  { axis, distance }: CollectivePath,
  input: ProgramTensor,
  streams: { readonly reads: readonly PageStream[]; readonly writes: readonly PageStream[] },
): CollectiveProgram {
  return {
    kind: "collective",
    // There is one worker per link and direction.
    cores: 2 * axis.links,
    circularBuffers: buffersOf(kind, input.pageBytes),
    flops: 0,
    launches: 1,
    ...streams,
    ...axis,
    exchange: kind,
    bytes,
    legs: [],
    packetBytes: packetBytes(kind, input.pageBytes),
    dimZero: false,
    product: undefined,
    ...exchange(kind, bytes, axis, distance),
  };
}

/** All-gather: every chip sends its part to all others. */
export function gatherProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  axis: MeshAxis,
): CollectiveProgram {
  return collectiveProgram("all_gather", output.bytes, { axis }, input, {
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
  });
}

/**
 * Reduce-scatter: on each chip partial sums pass through a buffer: written, and read again with the chip's
 * own part.
 */
export function scatterProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  axis: MeshAxis,
  dim: number | undefined,
): CollectiveProgram {
  const passing = input.bytes * (axis.chips - 1) / axis.chips;
  const program = collectiveProgram("reduce_scatter", input.bytes, { axis }, input, {
    reads: [{ ...wholeTensor(input), bytes: input.bytes + passing }],
    writes: [wholeTensor(output), { ...wholeTensor(input), bytes: passing }],
  });
  return { ...program, dimZero: (dim === 0 || dim === -input.shape.length) && input.shape.length > 2 };
}
