// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import type { AttributeMap } from "../../ir/attribute.ts";
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import { SPLIT_HEADS } from "../../ops/attributes/attention.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { keepsPlace } from "../data_movement/memory_move.ts";
import { HALF_ROWS } from "../data_movement/permute.ts";
import { relayout } from "../data_movement/relayout.ts";
import { chainStep, jointSteps, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import {
  type DeviceProgram,
  inOrder,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpPrograms,
  unknownPrograms,
} from "../program.ts";
import {
  bytesPerTile,
  deviceMemory,
  inDram,
  interleavedCopy,
  isInShards,
  isPresent,
  type ProgramTensor,
} from "../program_tensor.ts";
import { pageBuffer, pageCopy, streamProgram, wherePlaced } from "../stream.ts";

/** Ops that split fused QKV into heads or join heads; they move tiles, those of decoding half rows. */
export function headsPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [input] = op.inputs;
  const outputs = op.outputs.filter(isPresent);
  const [output] = outputs;
  if (output === undefined) return NO_PROGRAMS;
  if (input === undefined) return unknownPrograms(op.name, "needs an input");
  const { family } = definitionOf(op.name);
  if (family === "concat_heads_decode" || family === "create_heads_decode") {
    return inOrder(gatherRows(input, outputs, family === "create_heads_decode", chip));
  }
  if (family === "concat_heads") return joinHeads(input, output, chip);
  return inOrder(
    moveHeads(op.inputs.filter(isPresent), outputs, input, splittingBuffers(op.attributes, outputs), chip),
  );
}

/**
 * Heads are joined within shards or pages; shards with an interleaved result are moved to pages first
 * (`ttnn:backend-0-81-1`).
 */
function joinHeads(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): KnownPrograms {
  const isSpread = isInShards(input) && !isInShards(output);
  const spread = isSpread ? interleavedCopy(input, deviceMemory(output)) : input;
  const buffers = isInShards(spread) ? [] : joiningBuffers(input);
  const moved = isSpread ? [{ tensor: spread, programs: relayout(input, spread, chip).programs }] : [];
  const joined = moveHeads([spread], [output], output, buffers, chip);
  return launchChain([...moved, chainStep(output, joined)], chip);
}

/**
 * Split of a block-sharded QKV tensor: every core splits its own block; requested shards are made by a copy
 * afterwards.
 *
 * @param own shards of the heads after the split
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
  const isOwn = own.map((tensor, index) =>
    outputs[index] !== undefined && keepsPlace(tensor, outputs[index])
  );
  const split = moveHeads([input], own, input, buffers, chip);
  return launchChain([
    ...jointSteps(own, split, (index) => isOwn[index] === true),
    ...outputs.flatMap((tensor, result) => {
      const from = own[result];
      if (from === undefined || isOwn[result] === true) return [];
      return [{ tensor, result, programs: relayout(from, tensor, chip).programs }];
    }),
  ], chip);
}

/**
 * The program that moves heads tile by tile. Unit of work: a tile row with all its heads (published: 3200
 * rows run on 100 of 110 cores); the kernel waits for each tile separately.
 *
 * @param whole the tensor with all heads side by side
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
 * Heads of one token per user: a core takes its user's row from every tile of the fused operand, or every
 * user's row from the tiles of its head, in two half rows (one per face). Sharded operand: both data movement
 * threads divide the half rows; interleaved: one thread, with a barrier per head (published:ops-2, 20 to 80
 * heads of 64 to 512 elements).
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
 * If the DRAM alignment exceeds the half row of a tile, each of both threads stages a row of a head, plus one
 * transaction (`ttnn:backend-0-81-1`: on Blackhole only).
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

/** A tile row of all heads, twice. */
function joiningBuffers(input: ProgramTensor): readonly CircularBuffer[] {
  const tiles = 2 * (input.shape.at(-3) ?? 1) * tileColumns(input.shape);
  return [{ name: "in0", bytes: tiles * bytesPerTile(input) }];
}

/** Tiles of a head moved at once, if they divide it; otherwise two. */
const TILES_AT_ONCE = [8, 4];

/** The tiles moved at once, twice; four, three times, if the keys are transposed. */
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
