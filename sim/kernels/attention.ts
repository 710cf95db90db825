// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../lib/layout/data_type.ts";
import type { Device } from "../devices/device.ts";
import { dramFloorCycles, dramReadCycles, dramWriteCycles } from "./dram.ts";
import { FREE, type KernelCost, smoothMax, workers } from "./kernel.ts";
import { inDram, type PricedOp, type PricedTensor } from "./priced_op.ts";
import { fidelityOf, matmulTileCycles } from "./matmul.ts";

/** Tiles of keys that one step of the running softmax takes (`k_chunk_size` 128, tt-metal's default). */
const DEFAULT_KEY_CHUNK = 4;

/**
 * `scaled_dot_product_attention` over a whole sequence: per block of queries two matmuls per chunk of keys and a running
 * softmax of the scores, keys and values streamed again for every block of queries (derived:cost-model).
 */
export function attentionPrefill(op: PricedOp, device: Device): KernelCost {
  const [query, key, value] = op.inputs;
  const output = op.outputs[0];
  if (query === undefined || key === undefined || output === undefined) return FREE;
  const program = op.config?.kind === "sdpa" ? op.config.programConfig : undefined;
  const heads = query.shape.slice(0, -2).reduce((volume, extent) => volume * extent, 1);
  const queryTiles = Math.ceil((query.shape.at(-2) ?? 1) / 32);
  const keyTiles = Math.ceil((key.shape.at(-2) ?? 1) / 32);
  const headTiles = Math.ceil((query.shape.at(-1) ?? 1) / 32);
  const chunk = Math.max(1, Math.ceil((program?.qChunkSize ?? 32 * DEFAULT_KEY_CHUNK) / 32));
  const blocks = heads * Math.ceil(queryTiles / chunk);
  const cores = Math.max(1, Math.min(workers(device), blocks));
  const perCore = Math.ceil(blocks / cores);
  const attribute = op.attributes.get("is_causal");
  const causal = attribute?.kind === "bool" && attribute.value ? 0.5 : 1;
  const scores = perCore * chunk * keyTiles * causal;
  return attentionCost(op, { query, key, value, output }, device, {
    cores,
    scores,
    headTiles,
    flops: 2 * heads * queryTiles * keyTiles * headTiles * causal * 2 * 32 ** 3,
  });
}

/** `scaled_dot_product_attention_decode`: one row of queries per user, keys and values read once from the cache. */
export function attentionDecode(op: PricedOp, device: Device): KernelCost {
  const [query, key, value] = op.inputs;
  const output = op.outputs[0];
  if (query === undefined || key === undefined || output === undefined) return FREE;
  const keyTiles = Math.ceil((key.shape.at(-2) ?? 1) / 32);
  const keyHeads = key.shape.slice(0, -2).reduce((volume, extent) => volume * extent, 1);
  const headTiles = Math.ceil((query.shape.at(-1) ?? 1) / 32);
  const cores = Math.max(1, Math.min(workers(device), keyHeads * keyTiles));
  const scores = Math.ceil(keyHeads * keyTiles / cores);
  return attentionCost(op, { query, key, value, output }, device, {
    cores,
    scores,
    headTiles,
    flops: 2 * keyHeads * keyTiles * headTiles * 2 * 32 ** 3,
  });
}

interface AttentionTensors {
  readonly query: PricedTensor;
  readonly key: PricedTensor;
  readonly value: PricedTensor | undefined;
  readonly output: PricedTensor;
}

interface AttentionWork {
  readonly cores: number;
  /** Tiles of scores per core. */
  readonly scores: number;
  readonly headTiles: number;
  readonly flops: number;
}

function attentionCost(
  op: PricedOp,
  tensors: AttentionTensors,
  device: Device,
  work: AttentionWork,
): KernelCost {
  const { key, output } = tensors;
  const bytes = tileBytes(key.dataType);
  const tile = matmulTileCycles(device, fidelityOf(op.config), [bytes, bytes], 2, 4);
  // Scores are exponentiated approximately; maximum, sum and rescaling are one reduction pass each.
  const perScore = 2 * work.headTiles * tile + device.sfpu.lookup + device.tensix.eltwiseTile +
    2 * device.tensix.reduceTile;
  const compute = work.scores * perScore;
  const operands = [tensors.query, key, tensors.value].filter((tensor): tensor is PricedTensor =>
    tensor !== undefined
  );
  const inputBytes = operands.filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0);
  const read = dramReadCycles(device, inputBytes, "interleaved");
  const write = inDram(output) ? dramWriteCycles(device, output.bytes) : 0;
  const busy = smoothMax(compute, read, device.matmul.overlap);
  const memory = [...operands, output].filter(inDram);
  return {
    ...FREE,
    cycles: Math.max(
      device.matmul.startup + device.tensix.reduceRow + busy + write,
      dramFloorCycles(device, memory),
    ),
    read,
    compute,
    write,
    drain: write,
    cores: work.cores,
    dramBytes: memory.reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: operands.reduce((sum, tensor) => sum + tensor.bytes, 0),
    flops: work.flops,
    programs: 1,
  };
}
