// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { eltwiseProgram, shardProgram, tileWork } from "./eltwise_program.ts";
import { type ChainStep, chainStep } from "../launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS, type OpPrograms } from "../program.ts";
import { bytesPerTile, isInShards, memoryOf, type ProgramTensor, withFormat } from "../program_tensor.ts";
import { pageBuffer } from "../stream.ts";

/** `typecast`; no program on the host. */
export function typecastPrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  return memoryOf(output) === "host" ? NO_PROGRAMS : inOrder(typecastProgram(input, output, chip));
}

/**
 * Whether each core casts its own shard into the result's without moving data: formats with equal tile bytes,
 * shards of whole tiles of elements (`ttnn:backend-0-81-1`).
 */
export function castsInShards(input: ProgramTensor, output: ProgramTensor): boolean {
  const unit = input.tiled ? 1 : 1024;
  return isInShards(input) && isInShards(output) && bytesPerTile(input) === bytesPerTile(output) &&
    volume(input.shardShape) % unit === 0;
}

/** Casts the elements of a tensor, within its memory or to another of the same kind. */
export function typecastProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  const { vectorFunction = "none" } = definitionOf("ttnn.typecast");
  const perTile = tileWork(vectorFunction, [input, output]);
  if (castsInShards(input, output) && output.placement === "l1_sharded") return shardProgram(output, perTile);
  const buffers = input.tiled
    ? [pageBuffer("in0", 2, input), pageBuffer("out", 2, output)]
    : [rowBuffer("in0", input), rowBuffer("out", output)];
  return eltwiseProgram([input], output, perTile, buffers, chip);
}

/** Elements of a row-major row per compute step. */
const ROW_PIECE = 1024;

function rowBuffer(name: string, tensor: ProgramTensor): CircularBuffer {
  const elements = isInShards(tensor) ? roundUp(tensor.shardShape.at(-1) ?? 1, ROW_PIECE) : ROW_PIECE;
  return { name, bytes: 2 * elements * elementBytes(tensor.dataType) };
}

/** The tensor in another format, in the same memory. */
export function castStep(
  input: ProgramTensor,
  dataType: ProgramTensor["dataType"],
  chip: ChipDescription,
): ChainStep {
  const output = withFormat(input, dataType);
  return chainStep(output, typecastProgram(input, output, chip));
}
