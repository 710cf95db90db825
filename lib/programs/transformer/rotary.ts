// SPDX-License-Identifier: Apache-2.0
import { workerCores } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import { ROTARY } from "../../ops/attributes/attention.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { type CircularBuffer, circularBuffer } from "../circular_buffer.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import { inOrder, type OpPrograms } from "../program.ts";
import { bytesPerTile, isPresent, type ProgramTensor } from "../program_tensor.ts";
import { streamProgram, wherePlaced } from "../stream.ts";

/**
 * Read barriers per tile: for its rotated half, sine, the tile itself, cosine (tt-metal:rotary-embedding).
 */
const WAITS_PER_TILE = 4;

/**
 * Read barriers per tile if the angles of one token were read before: for its rotated half and for itself.
 */
const WAITS_OF_TOKEN = 2;

/**
 * Compute passes per tile: two multiplies and an add, plus for half of the tiles a negation of the rotated
 * half; Llama's variant rotates by a tile matmul (tt-metal:rotary-embedding).
 */
const [PASSES, SIGN_PASSES] = [3, 0.5];

/**
 * Rotary embedding: per tile a rotation, two multiplies and an add, sequentially. Every tile row reads its
 * operand twice, and cosines and sines anew.
 */
export function rotaryPrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const outputs = op.outputs.filter(isPresent);
  const inputs = op.inputs.filter(isPresent);
  const { input, output } = op;
  const tiles = outputs.reduce((sum, tensor) => sum + tensor.tiles, 0);
  const rows = Math.max(1, Math.ceil(output.extent[0] / 32));
  const onShards = input.placement === "l1_sharded" && output.placement === "l1_sharded";
  const columns = tileColumns(input.shape);
  const llama = definitionOf(op.name).family === "rotary_llama";
  const maxCores = onShards ? output.shardCores : workerCores(chip);
  // For one token, every core extracts the row of angles from its tile before its first row.
  const ofToken = readAttributes(op, ROTARY).token_index !== undefined;
  const taken = ofToken ? 2 / Math.ceil(rows / maxCores) : 0;
  return inOrder(streamProgram({
    units: rows,
    maxCores,
    reads: [input, ...inputs].map((each) => {
      const angles = each === input ? 1 : Math.max(1, tiles / Math.max(1, each.tiles));
      return { ...wherePlaced(each), bytes: each.bytes * angles };
    }),
    writes: outputs.map(wherePlaced),
    compute: {
      work: [
        { operation: "rotate", count: llama ? tiles / rows : 0 },
        { operation: "rotary_pass", count: (llama ? PASSES : PASSES + SIGN_PASSES) * tiles / rows },
        { operation: "untilize_row", count: taken },
        { operation: "untilize", count: taken * columns },
        { operation: "tilize", count: taken * columns },
      ],
    },
    parts: tiles / rows,
    reader: {
      barriers: onShards ? 0 : (ofToken ? WAITS_OF_TOKEN : WAITS_PER_TILE) * tiles / rows,
      setupBarriers: ofToken ? 1 : 0,
    },
    flops: tiles * 1024 * 4,
    circularBuffers: llama ? llamaBuffers(input, onShards) : buffersOf(input, output, inputs[1], ofToken),
  }, chip));
}

/**
 * Buffers: two tile rows of every streamed tensor and a tile per intermediate; none for shards. Heads of one
 * tile are rotated by a matrix, wider ones by reading the operand in swapped halves. Angles of one token are
 * untilized and tilized again (`ttnn:backend-0-81-1`).
 */
function buffersOf(
  input: ProgramTensor,
  output: ProgramTensor,
  angles: ProgramTensor | undefined,
  ofToken: boolean,
): readonly CircularBuffer[] {
  const columns = tileColumns(input.shape);
  const tile = bytesPerTile(input);
  const angleTile = bytesPerTile(angles ?? input);
  const bf16 = tileBytes("bf16");
  const moving = (name: string, tensor: ProgramTensor) =>
    tensor.placement === "l1_sharded" ? [] : [circularBuffer(name, 2 * columns * tile)];
  const pair = (bytes: number, before = "", behind = "") =>
    ["cos", "sin"].map((name) => circularBuffer(`${before}${name}${behind}`, bytes));
  return [
    ...moving("in0", input),
    ...columns === 1
      ? [circularBuffer("trans_mat", bf16)]
      : [circularBuffer("rotated_in0", 2 * columns * tile), circularBuffer("scalar", bf16)],
    ...pair((ofToken ? 1 : 2) * columns * angleTile),
    circularBuffer("rotated", tile),
    ...pair(angleTile, "", "_product"),
    ...moving("out", output),
    ...ofToken
      ? [...pair(columns * Math.max(angleTile, bf16), "untilized_"), ...pair(columns * bf16, "row_")]
      : [],
  ];
}

/**
 * Buffers: two tile rows of every streamed tensor, a row per intermediate, the matrix; none for shards
 * (`ttnn:backend-0-81-1`).
 */
function llamaBuffers(input: ProgramTensor, onShards: boolean): readonly CircularBuffer[] {
  const row = tileColumns(input.shape) * bytesPerTile(input);
  const intermediates = ["rotated", "cos_product", "sin_product"].map((name) => ({ name, bytes: row }));
  if (onShards) return intermediates;
  return [
    ...["in0", "cos", "sin", "out"].map((name) => ({ name, bytes: 2 * row })),
    ...intermediates,
    { name: "trans_mat", bytes: bytesPerTile(input) },
    { name: "staging", bytes: row, kind: "scratch" },
  ];
}
