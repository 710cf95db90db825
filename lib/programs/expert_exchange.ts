// SPDX-License-Identifier: Apache-2.0
import type { MeshAxis } from "../device/mesh.ts";
import { rowCount } from "../layout/extents.ts";
import { roundUp } from "../layout/make_layout.ts";
import { collectiveProgram } from "./collective_program.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import type { CollectiveProgram } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { wholeTensor } from "./stream.ts";

/** Largest header of the fabric's packets, in bytes; a sender keeps two (tt-metal:all-to-all-dispatch). */
const PACKET_HEADER_BYTES = 96;

/** Bytes of the fabric's client interface; a sender keeps two (tt-metal:all-to-all-combine). */
const CLIENT_INTERFACE_BYTES = 3280;

/**
 * Tokens on their way to the chips of their experts (`all_to_all_dispatch`), or what the experts made of them on the way
 * back (`all_to_all_combine`), a core per link.
 *
 * A token goes to each chip at most once, so to no more chips than it has experts; on the way back every chip receives
 * the experts' results for its own tokens.
 */
export function expertExchange(
  op: OpLaunch,
  input: ProgramTensor,
  output: ProgramTensor,
  axis: MeshAxis,
): CollectiveProgram {
  const dispatches = !op.name.endsWith("combine");
  const experts = (dispatches ? op.inputs[1] : op.inputs[1] ?? output)?.shape.at(-1) ?? axis.chips;
  const bytes = dispatches ? input.bytes * Math.min(axis.chips, experts) : output.bytes;
  const streams = { reads: [wholeTensor(input)], writes: [wholeTensor(output)] };
  return {
    ...collectiveProgram("all_to_all", bytes, { axis }, input, streams),
    cores: axis.links,
    circularBuffers: dispatches ? dispatchBuffers(op, input, axis) : combineBuffers(op, input, axis),
  };
}

/** Bytes of a row of a row-major tensor in memory: whole words of 32 bytes. */
function rowBytes(tensor: ProgramTensor | undefined): number {
  return tensor === undefined ? 0 : roundUp(tensor.pageBytes, 32);
}

/** Two tokens, the experts of all tokens of a core, the whole mapping, and who was sent a token already. */
function dispatchBuffers(op: OpLaunch, input: ProgramTensor, axis: MeshAxis): readonly CircularBuffer[] {
  const indices = op.inputs[1];
  // The scores of the experts stand in front of the mapping where they are sent along.
  const mapping = op.inputs[op.name.endsWith("_metadata") ? 3 : 2];
  const tokens = Math.ceil(rowCount(input.shape) / axis.links);
  return [
    { name: "tokens", bytes: 2 * rowBytes(input) },
    { name: "indices", bytes: tokens * rowBytes(indices) },
    { name: "mapping", bytes: mapping === undefined ? 0 : rowCount(mapping.shape) * rowBytes(mapping) },
    { name: "sent", bytes: axis.chips * tokens },
    // If whole packets are sent, the indices of all tokens are collected before they are written.
    { name: "metadata", bytes: rowCount(input.shape) * axis.chips * rowBytes(indices) },
    { name: "headers", bytes: 2 * PACKET_HEADER_BYTES },
  ];
}

/** A row per expert of the chip, a row of the mapping and of the metadata, and the chip's experts. */
function combineBuffers(op: OpLaunch, input: ProgramTensor, axis: MeshAxis): readonly CircularBuffer[] {
  const [, metadata, mapping] = op.inputs;
  const experts = Math.max(1, Math.ceil((mapping?.shape.at(-2) ?? axis.chips) / axis.chips));
  return [
    { name: "results", bytes: experts * rowBytes(input) },
    { name: "mapping", bytes: rowBytes(mapping) },
    { name: "experts", bytes: Math.ceil(2 * experts / 16) * 16 },
    { name: "metadata", bytes: rowBytes(metadata) },
    { name: "fabric", bytes: 2 * CLIENT_INTERFACE_BYTES },
  ];
}
