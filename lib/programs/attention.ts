// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readBool } from "../dialect/attribute_values.ts";
import type { SdpaProgramConfig } from "../op_config/op_config.ts";
import { fidelityOf } from "./matmul.ts";
import {
  type AttentionProgram,
  type CircularBuffer,
  inOrder,
  type OpLaunch,
  type OpPrograms,
  unknownPrograms,
} from "./program.ts";
import { bytesPerTile, isPresent, type ProgramTensor } from "./program_tensor.ts";
import { tileBuffer, wholeTensor } from "./stream.ts";

/** Chunk of queries and keys in prefill when no program config is given, in elements (tt-metal sdpa_program_factory). */
const DEFAULT_CHUNK = 32;

/** Cores that share the keys of one head of one user at most (tt-metal `max_cores_per_head_batch`). */
const CORES_PER_HEAD = 16;

/** Keys per chunk in decode when the config leaves them open: 32 up to 128 keys, 256 up to 256, then 512 (tt-metal). */
function decodeChunk(keys: number): number {
  return keys <= 128 ? 32 : keys <= 256 ? 256 : 512;
}

/**
 * `scaled_dot_product_attention` over a whole sequence: per block of queries two matmuls per chunk of keys and a running
 * softmax of the scores, keys and values streamed again for every block of queries (derived:cost-model).
 */
export function attentionPrefillPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [query, key] = op.inputs;
  if (query === undefined || key === undefined) return unknownPrograms(op.name, "needs queries and keys");
  const config = configOf(op);
  const heads = leading(query);
  const queryTiles = tilesOf(query, -2);
  const keyTiles = tilesOf(key, -2);
  const headTiles = tilesOf(query, -1);
  const chunk = chunkTiles(config?.qChunkSize);
  const blocks = heads * Math.ceil(queryTiles / chunk);
  const cores = Math.max(1, Math.min(workerCores(chip), blocks));
  const causal = readBool(op.attributes, "is_causal") === true ? 0.5 : 1;
  return inOrder(attentionProgram(op, key, {
    cores,
    scores: Math.ceil(blocks / cores) * chunk * keyTiles * causal,
    headTiles,
    flops: 2 * heads * queryTiles * keyTiles * headTiles * causal * 2 * 32 ** 3,
    circularBuffers: buffersOf(op, query, key, 2, chunk, chunkTiles(config?.kChunkSize)),
  }));
}

/** `scaled_dot_product_attention_decode`: one row of queries per user, keys and values read once from the cache. */
export function attentionDecodePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [query, key] = op.inputs;
  if (query === undefined || key === undefined) return unknownPrograms(op.name, "needs queries and keys");
  const scores = leading(key) * tilesOf(key, -2);
  const headTiles = tilesOf(query, -1);
  const cores = Math.max(1, Math.min(decodeCores(query, key, chip), scores));
  const keys = configOf(op)?.kChunkSize ?? 0;
  return inOrder(attentionProgram(op, key, {
    cores,
    scores: Math.ceil(scores / cores),
    headTiles,
    flops: 2 * scores * headTiles * 2 * 32 ** 3,
    circularBuffers: buffersOf(
      op,
      query,
      key,
      1,
      tilesOf(query, -2),
      chunkTiles(keys === 0 ? decodeChunk(key.shape.at(-2) ?? 1) : keys),
    ),
  }));
}

/** Cores that users and key heads share evenly (tt-metal sdpa_decode_program_factory). */
function decodeCores(query: ProgramTensor, key: ProgramTensor, chip: ChipDescription): number {
  const users = Math.max(1, query.shape.at(-3) ?? 1);
  const heads = Math.max(1, key.shape.at(-3) ?? 1);
  const perUser = Math.floor(Math.min(workerCores(chip), CORES_PER_HEAD * users * heads) / users);
  const perHead = Math.max(1, Math.floor(perUser / heads));
  const headsPerCore = Math.max(1, Math.ceil(heads / Math.max(1, perUser)));
  return Math.min(workerCores(chip), Math.ceil(perHead * heads * users / headsPerCore));
}

function attentionProgram(
  op: OpLaunch,
  key: ProgramTensor,
  work: Pick<AttentionProgram, "cores" | "scores" | "headTiles" | "flops" | "circularBuffers">,
): AttentionProgram {
  return {
    kind: "attention",
    reads: op.inputs.slice(0, 3).filter(isPresent).map(wholeTensor),
    writes: op.outputs.slice(0, 1).filter(isPresent).map(wholeTensor),
    launches: 1,
    keyType: key.dataType,
    fidelity: fidelityOf(op.config),
    ...work,
  };
}

/**
 * Circular buffers of flash attention: queries, keys, values and mask, scores, running output twice, output, scalers
 * and statistics (structure of tt-metal's sdpa program factory; only upper bounds are on record).
 *
 * @param copies of queries and mask: two in prefill
 */
function buffersOf(
  op: OpLaunch,
  query: ProgramTensor,
  key: ProgramTensor,
  copies: number,
  queryChunk: number,
  keyChunk: number,
): readonly CircularBuffer[] {
  const head = tilesOf(query, -1);
  const values = op.inputs[2];
  const source = values !== undefined && values.tiled ? values : op.outputs[0];
  const value = source === undefined ? 1 : tilesOf(source, -1);
  const scores = queryChunk * keyChunk;
  return [
    { name: "q", bytes: queryChunk * head * copies * bytesPerTile(query) },
    { name: "k", bytes: 2 * keyChunk * head * bytesPerTile(key) },
    { name: "v", bytes: 2 * keyChunk * value * bytesPerTile(key) },
    tileBuffer("mask", scores * copies, "bf16"),
    tileBuffer("qk", scores, "bf16"),
    tileBuffer("partial_out", 2 * queryChunk * value, "bf16"),
    tileBuffer("out", queryChunk * value, "bf16"),
    tileBuffer("scalers_and_statistics", 3 + 5 * queryChunk, "bf16"),
  ];
}

function configOf(op: OpLaunch): SdpaProgramConfig | undefined {
  return op.config?.kind === "sdpa" ? op.config.programConfig : undefined;
}

function chunkTiles(elements: number | undefined): number {
  return Math.max(1, Math.ceil((elements === undefined || elements === 0 ? DEFAULT_CHUNK : elements) / 32));
}

function leading({ shape }: ProgramTensor): number {
  return shape.slice(0, -2).reduce((volume, extent) => volume * extent, 1);
}

function tilesOf({ shape }: ProgramTensor, axis: -1 | -2): number {
  return Math.ceil((shape.at(axis) ?? 1) / 32);
}
