// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, type KernelArchitecture, kernelsOf } from "../../device/chip_description.ts";
import type { MeshAxis } from "../../device/mesh.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { type Exchange, exchange, PACKET_BYTES, packetBytes, packetPages } from "./exchange.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import type { CollectiveProgram } from "../program.ts";
import { alignmentOf, interleavedTensor, type ProgramTensor } from "../program_tensor.ts";
import { wholeTensor, wholeTensors } from "../stream.ts";

/** Packets of rows that wait in a worker which gathers. */
const ROW_PACKETS = 3;

/** The same of tiles. */
const TILE_PACKETS: Readonly<Record<KernelArchitecture, number>> = { wormhole_b0: 9, blackhole: 12 };

/**
 * Circular buffer of a worker that gathers: packets of as many whole pages as fit, at least one, with pages as
 * they lie in memory, whatever links and topology are (`ttnn:backend-0-81-1`).
 */
function gatherBuffer(input: ProgramTensor, chip: ChipDescription): CircularBuffer {
  const page = roundUp(input.pageBytes, alignmentOf(input, chip));
  const packet = Math.max(1, Math.floor(PACKET_BYTES / page)) * page;
  const packets = input.tiled ? TILE_PACKETS[kernelsOf(chip.architecture)] : ROW_PACKETS;
  return { name: "in0", bytes: packets * packet };
}

/** Largest packet header of the fabric in bytes; a sender keeps two (tt-metal:all-to-all-dispatch). */
export const PACKET_HEADER_BYTES = 96;

/**
 * Circular buffers of a worker that does not gather, each for three times the pages that it works on at once. A
 * reduce-scatter works on four packets' pages (eight, or four if a page fills a packet) and has four such buffers: its
 * own part, the arriving part, their sum, and the sum to be sent (tt-metal:reduce-scatter). A point-to-point receiver
 * works on one packet's pages, which it unpacks from a buffer of one packet (tt-metal:point-to-point). Those of an
 * all-to-all are not known: none; an all-gather's are {@linkcode gatherBuffer}.
 */
function buffersOf(kind: Exchange, pageBytes: number): readonly CircularBuffer[] {
  const pages = packetPages(kind, pageBytes);
  const buffer = (name: string, count: number) => ({ name, bytes: 3 * count * pageBytes });
  switch (kind) {
    case "reduce_scatter":
      return ["in0", "intermediate", "reader_out", "out"].map((name) => buffer(name, 4 * pages));
    case "permute":
      return [
        { name: "packet", bytes: packetBytes(kind, pageBytes) },
        buffer("receiver", pages),
        { name: "headers", bytes: 2 * PACKET_HEADER_BYTES },
      ];
    case "all_gather":
    case "all_to_all":
      return [];
  }
}

/**
 * Data exchanged between the chips of an axis: `input`'s pages, or partial sums of them.
 *
 * @param distance hops between the two chips of a `permute`
 */
export function collectiveProgram(
  kind: Exchange,
  bytes: number,
  axis: MeshAxis,
  input: ProgramTensor,
  output: ProgramTensor,
  distance?: number,
): CollectiveProgram {
  return {
    kind: "collective",
    // There is one worker per link and direction.
    cores: 2 * axis.links,
    circularBuffers: buffersOf(kind, input.pageBytes),
    flops: 0,
    ...wholeTensors(input, output),
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

/** An axis of chips that hold parts of a whole, with one link, for meshes that leave it open. */
export function axisOfParts(whole: number, part: number): MeshAxis {
  return { chips: Math.max(2, Math.round(whole / Math.max(1, part))), links: 1, topology: "linear" };
}

/** A semaphore on every core. */
export const SEMAPHORE: ProgramTensor = interleavedTensor([1, 1], "u32", "l1", undefined);

/** All-gather: every chip sends its part to all others. */
export function gatherProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  axis: MeshAxis,
  chip: ChipDescription,
): CollectiveProgram {
  const program = collectiveProgram("all_gather", output.bytes, axis, input, output);
  return { ...program, circularBuffers: [gatherBuffer(input, chip)] };
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
  return {
    ...collectiveProgram("reduce_scatter", input.bytes, axis, input, output),
    reads: [{ ...wholeTensor(input), bytes: input.bytes + passing }],
    writes: [wholeTensor(output), { ...wholeTensor(input), bytes: passing }],
    dimZero: (dim === 0 || dim === -input.shape.length) && input.shape.length > 2,
  };
}
