// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readBool } from "../dialect/attribute_values.ts";
import { fidelityOf } from "./matmul.ts";
import {
  type AttentionProgram,
  inOrder,
  type OpLaunch,
  type OpPrograms,
  unknownPrograms,
} from "./program.ts";
import { isPresent, type ProgramTensor } from "./program_tensor.ts";
import { wholeTensor } from "./stream.ts";

/** Tiles of keys that one step of the running softmax takes (`k_chunk_size` 128, tt-metal's default). */
const DEFAULT_KEY_CHUNK = 4;

/**
 * `scaled_dot_product_attention` over a whole sequence: per block of queries two matmuls per chunk of keys and a running
 * softmax of the scores, keys and values streamed again for every block of queries (derived:cost-model).
 */
export function attentionPrefillPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [query, key] = op.inputs;
  if (query === undefined || key === undefined) return unknownPrograms(op.name, "needs queries and keys");
  const config = op.config?.kind === "sdpa" ? op.config.programConfig : undefined;
  const heads = leading(query);
  const queryTiles = tilesOf(query, -2);
  const keyTiles = tilesOf(key, -2);
  const headTiles = tilesOf(query, -1);
  const chunk = Math.max(1, Math.ceil((config?.qChunkSize ?? 32 * DEFAULT_KEY_CHUNK) / 32));
  const blocks = heads * Math.ceil(queryTiles / chunk);
  const cores = Math.max(1, Math.min(workerCores(chip), blocks));
  const causal = readBool(op.attributes, "is_causal") === true ? 0.5 : 1;
  return inOrder(attentionProgram(op, key, {
    cores,
    scores: Math.ceil(blocks / cores) * chunk * keyTiles * causal,
    headTiles,
    flops: 2 * heads * queryTiles * keyTiles * headTiles * causal * 2 * 32 ** 3,
  }));
}

/** `scaled_dot_product_attention_decode`: one row of queries per user, keys and values read once from the cache. */
export function attentionDecodePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [query, key] = op.inputs;
  if (query === undefined || key === undefined) return unknownPrograms(op.name, "needs queries and keys");
  const scores = leading(key) * tilesOf(key, -2);
  const headTiles = tilesOf(query, -1);
  const cores = Math.max(1, Math.min(workerCores(chip), scores));
  return inOrder(attentionProgram(op, key, {
    cores,
    scores: Math.ceil(scores / cores),
    headTiles,
    flops: 2 * scores * headTiles * 2 * 32 ** 3,
  }));
}

function attentionProgram(
  op: OpLaunch,
  key: ProgramTensor,
  work: Pick<AttentionProgram, "cores" | "scores" | "headTiles" | "flops">,
): AttentionProgram {
  return {
    kind: "attention",
    circularBuffers: [],
    reads: op.inputs.slice(0, 3).filter(isPresent).map(wholeTensor),
    writes: op.outputs.slice(0, 1).filter(isPresent).map(wholeTensor),
    launches: 1,
    keyType: key.dataType,
    fidelity: fidelityOf(op.config),
    ...work,
  };
}

function leading({ shape }: ProgramTensor): number {
  return shape.slice(0, -2).reduce((volume, extent) => volume * extent, 1);
}

function tilesOf({ shape }: ProgramTensor, axis: -1 | -2): number {
  return Math.ceil((shape.at(axis) ?? 1) / 32);
}
