// SPDX-License-Identifier: Apache-2.0
import { tileColumns, tileRows } from "../layout/tile_shape.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { transposesKeys } from "../ops/heads.ts";
import { pageCopy } from "./page_copy.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS, type OpPrograms, unknownPrograms } from "./program.ts";
import { bytesPerTile, inDram, isPresent, type ProgramTensor } from "./program_tensor.ts";
import { streamProgram, tileBuffer, wherePlaced } from "./stream.ts";

/** Half rows of a tile: a row of a face, 16 elements. */
const HALF_ROWS = 64;

/** Ops that split fused queries, keys and values into heads or join heads again: tiles are moved. */
export function headsPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const outputs = op.outputs.filter(isPresent);
  const [output] = outputs;
  if (output === undefined) return NO_PROGRAMS;
  if (input === undefined) return unknownPrograms(op.name, "needs an input");
  const { family } = definitionOf(op.name);
  // One user per core: tiles go straight to their shard, without circular buffers.
  if (family === "concat_heads_decode" || family === "create_heads_decode") {
    return inOrder(gatherRows(input, outputs, family === "create_heads_decode", chip));
  }
  const joins = family === "concat_heads";
  const circularBuffers = joins ? joiningBuffers(input) : splittingBuffers(op, input);
  // A unit of work is a row of tiles with all its heads (published: 3200 rows of elements run on 100 of 110 cores).
  const units = tileRows((joins ? output : input).shape);
  // The kernel waits for each tile separately.
  const perUnit = (joins ? output : input).tiles / units;
  return inOrder(pageCopy(op.inputs.filter(isPresent), outputs, {
    units,
    parts: perUnit,
    readBarriers: perUnit,
    writeBarriers: perUnit,
    circularBuffers,
  }, chip));
}

/**
 * Heads of one token per user: a core takes the row of its user out of every tile of the fused operand, or the row of
 * every user out of the tiles of its head, in the two halves that the faces give. Both data movement threads share the
 * halves where the operand lies in shards; interleaved pages are fetched by one, which waits after each head
 * (published:ops-2, 20 to 80 heads of 64 to 512 elements).
 */
function gatherRows(
  input: ProgramTensor,
  outputs: readonly ProgramTensor[],
  creates: boolean,
  chip: ChipDescription,
): DeviceProgram {
  const [output] = outputs;
  const [users, heads] = [input.shape.at(creates ? -2 : -3) ?? 1, input.shape.at(-2) ?? 1];
  const cores = output === undefined || output.shardCores === 0 ? creates ? users : heads : output.shardCores;
  const pieces = creates ? 2 * tileColumns(input.shape) : (output?.tiles ?? 1) / cores * users;
  const halfRow = bytesPerTile(input) / HALF_ROWS;
  const inShards = input.placement === "l1_sharded";
  const created = outputs.reduce((sum, { shape }) => sum + (shape.at(-2) ?? 1), 0);
  return streamProgram({
    units: cores,
    reads: [{
      tensor: input,
      bytes: cores * pieces * halfRow / (creates && inShards ? 2 : 1),
      transactionBytes: halfRow,
      scattered: !creates || inDram(input),
    }],
    writes: outputs.map(wherePlaced),
    seeksShards: inShards,
    readBarriers: creates && !inShards ? created : 1,
  }, chip);
}

/** A row of tiles of all heads, twice (derived:circular-buffers, fit 6/6). */
function joiningBuffers(input: ProgramTensor): readonly CircularBuffer[] {
  const tiles = 2 * (input.shape.at(-3) ?? 1) * tileColumns(input.shape);
  return [{ name: "in0", bytes: tiles * bytesPerTile(input) }];
}

/** Two tiles for each of two readers, and eight for keys that are transposed (derived:circular-buffers, fit 5/5). */
function splittingBuffers(op: OpLaunch, { dataType }: ProgramTensor): readonly CircularBuffer[] {
  const buffers = [tileBuffer("in0", 2, dataType), tileBuffer("in1", 2, dataType)];
  return transposesKeys(op.attributes) ? [...buffers, tileBuffer("transposed_keys", 8, dataType)] : buffers;
}
