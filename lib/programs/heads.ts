// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { SPLIT_HEADS } from "../ops/attributes/attention.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { tileColumns, tileRows } from "../layout/tile_shape.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { LaunchSequence } from "./launch_sequence.ts";
import { keepsPlace } from "./memory_move.ts";
import type { LaunchContext, OpLaunch } from "./op_launch.ts";
import {
  type DeviceProgram,
  inOrder,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpPrograms,
  unknownPrograms,
} from "./program.ts";
import {
  bytesPerTile,
  deviceMemory,
  inDram,
  interleavedCopy,
  isInShards,
  isPresent,
  type ProgramTensor,
} from "./program_tensor.ts";
import { relayout } from "./relayout.ts";
import { pageBuffer, pageCopy, streamProgram, wherePlaced } from "./stream.ts";

/** Half rows of a tile: a row of a face, 16 elements. */
const HALF_ROWS = 64;

/** Ops that split fused queries, keys and values into heads or join heads again: tiles are moved. */
export function headsPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [input] = op.inputs;
  const outputs = op.outputs.filter(isPresent);
  const [output] = outputs;
  if (output === undefined) return NO_PROGRAMS;
  if (input === undefined) return unknownPrograms(op.name, "needs an input");
  const { family } = definitionOf(op.name);
  // One user per core: tiles go straight to their shard.
  if (family === "concat_heads_decode" || family === "create_heads_decode") {
    return inOrder(gatherRows(input, outputs, family === "create_heads_decode", chip));
  }
  if (family === "concat_heads") return joinHeads(input, output, chip);
  return inOrder(
    moveHeads(op.inputs.filter(isPresent), outputs, input, splittingBuffers(op.attributes, outputs), chip),
  );
}

/** Heads are joined where they lie in shards or pages; shards that become pages are spread first (`ttnn:backend-0-81-1`). */
function joinHeads(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): KnownPrograms {
  if (!isInShards(input)) return inOrder(moveHeads([input], [output], output, joiningBuffers(input), chip));
  if (isInShards(output)) return inOrder(moveHeads([input], [output], output, [], chip));
  const spread = interleavedCopy(input, deviceMemory(output));
  const sequence = new LaunchSequence(chip);
  sequence.allocate(spread);
  sequence.run(...relayout(input, spread, chip).programs);
  sequence.allocateResult(0, output);
  sequence.run(moveHeads([spread], [output], output, joiningBuffers(input), chip));
  return sequence.launched();
}

/**
 * A split of a block-sharded product: every core splits its own block, and shards that were asked for are made behind it.
 *
 * @param own shards in which the heads come out
 */
export function splitHeadsOfShards(
  attributes: AttributeMap,
  input: ProgramTensor,
  own: readonly ProgramTensor[],
  outputs: readonly ProgramTensor[],
  chip: ChipDescription,
): KnownPrograms {
  const keys = own[1];
  const buffers = readAttributes({ attributes }, SPLIT_HEADS).transpose_key && keys !== undefined
    ? [{ name: "transposed_keys", bytes: keys.shardBytes, kind: "circular" as const }]
    : [];
  const sequence = new LaunchSequence(chip);
  const isOwn = outputs.map((output, index) => own[index] !== undefined && keepsPlace(own[index], output));
  for (const [index, tensor] of own.entries()) {
    if (isOwn[index] === true) sequence.allocateResult(index, tensor);
    else sequence.allocate(tensor);
  }
  sequence.run(moveHeads([input], own, input, buffers, chip));
  for (const [index, output] of outputs.entries()) {
    const from = own[index];
    if (from === undefined || isOwn[index] === true) continue;
    sequence.allocateResult(index, output);
    sequence.run(...relayout(from, output, chip).programs);
  }
  return sequence.launched();
}

/**
 * The program that moves heads tile by tile. A unit of work is a row of tiles with all its heads (published: 3200 rows of
 * elements run on 100 of 110 cores); the kernel waits for each tile separately.
 *
 * @param whole the tensor in which all heads lie side by side
 */
function moveHeads(
  inputs: readonly ProgramTensor[],
  outputs: readonly ProgramTensor[],
  whole: ProgramTensor,
  circularBuffers: readonly CircularBuffer[],
  chip: ChipDescription,
): DeviceProgram {
  const units = tileRows(whole.shape);
  const perUnit = whole.tiles / units;
  return pageCopy(
    inputs,
    outputs,
    { units, parts: perUnit, reader: { barriers: perUnit }, writer: { barriers: perUnit }, circularBuffers },
    chip,
  );
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
    circularBuffers: creates && inDram(input) ? stagedRows(input, output, chip) : [],
    reads: [{
      tensor: input,
      bytes: cores * pieces * halfRow / (creates && inShards ? 2 : 1),
      transactionBytes: halfRow,
      scattered: !creates || inDram(input),
    }],
    writes: outputs.map(wherePlaced),
    reader: { findsShards: inShards, barriers: creates && !inShards ? created : 1 },
  }, chip);
}

/**
 * Where DRAM's smallest transaction is longer than the half row of a tile, a row of a head is staged by each of both
 * threads, with a transaction to spare (`ttnn:backend-0-81-1`: on Blackhole only).
 */
function stagedRows(
  { dataType }: ProgramTensor,
  head: ProgramTensor | undefined,
  { dramAlignment }: ChipDescription,
): readonly CircularBuffer[] {
  const halfRow = bytesPerTile({ dataType }) / HALF_ROWS;
  if (dramAlignment <= halfRow) return [];
  const row = (head?.shape.at(-1) ?? 1) * 2;
  return ["row0", "row1"].map((name) => ({ name, bytes: row + dramAlignment }));
}

/** A row of tiles of all heads, twice. */
function joiningBuffers(input: ProgramTensor): readonly CircularBuffer[] {
  const tiles = 2 * (input.shape.at(-3) ?? 1) * tileColumns(input.shape);
  return [{ name: "in0", bytes: tiles * bytesPerTile(input) }];
}

/** Tiles of a head that are moved at once, if they divide it; else two. */
const TILES_AT_ONCE = [8, 4];

/** Tiles that are moved at once, twice; four thrice where the keys are transposed. */
function splittingBuffers(
  attributes: AttributeMap,
  outputs: readonly ProgramTensor[],
): readonly CircularBuffer[] {
  const [queries] = outputs;
  if (queries === undefined) return [];
  if (readAttributes({ attributes }, SPLIT_HEADS).transpose_key) {
    return ["in0", "keys", "transposed_keys"].map((name) => pageBuffer(name, 4, queries));
  }
  const tiles = TILES_AT_ONCE.find((count) => tileColumns(queries.shape) % count === 0) ?? 2;
  return [pageBuffer("in0", 2 * tiles, queries)];
}
