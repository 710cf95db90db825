// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../ops/op_book.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { readBool } from "../dialect/attribute_values.ts";
import { pageCopy } from "./page_copy.ts";
import {
  type CircularBuffer,
  inOrder,
  NO_PROGRAMS,
  type OpLaunch,
  type OpPrograms,
  unknownPrograms,
} from "./program.ts";
import { bytesPerTile, isPresent, type ProgramTensor, tileColumns, tileRows } from "./program_tensor.ts";
import { tileBuffer } from "./stream.ts";

/** Ops that split fused queries, keys and values into heads or join heads again: tiles find a new place. */
export function headsPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const outputs = op.outputs.filter(isPresent);
  const [output] = outputs;
  if (output === undefined) return NO_PROGRAMS;
  if (input === undefined) return unknownPrograms(op.name, "needs an input");
  const { family } = definitionOf(op.name);
  // One user per core: tiles go straight to their shard, without circular buffers.
  if (family === "concat_heads_decode" || family === "create_heads_decode") {
    const cores = output.shardCores > 0 ? { maxCores: output.shardCores } : {};
    return inOrder(pageCopy(op.inputs.filter(isPresent), outputs, cores, chip));
  }
  const joins = family === "concat_heads";
  const circularBuffers = joins ? joiningBuffers(input) : splittingBuffers(op, input);
  // A unit of work is a row of tiles with all its heads (published: 3200 rows of elements run on 100 of 110 cores).
  const units = tileRows((joins ? output : input).shape);
  return inOrder(pageCopy(op.inputs.filter(isPresent), outputs, { units, circularBuffers }, chip));
}

/** A row of tiles of all heads, twice (derived:circular-buffers, fit 6/6). */
function joiningBuffers(input: ProgramTensor): readonly CircularBuffer[] {
  const tiles = 2 * (input.shape.at(-3) ?? 1) * tileColumns(input.shape);
  return [{ name: "in0", bytes: tiles * bytesPerTile(input) }];
}

/** Two tiles for each of two readers, and eight for keys that are transposed (derived:circular-buffers, fit 5/5). */
function splittingBuffers(op: OpLaunch, { dataType }: ProgramTensor): readonly CircularBuffer[] {
  const buffers = [tileBuffer("in0", 2, dataType), tileBuffer("in1", 2, dataType)];
  return readBool(op.attributes, "transpose_key") === true
    ? [...buffers, tileBuffer("transposed_keys", 8, dataType)]
    : buffers;
}
