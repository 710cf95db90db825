// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readBool } from "../../dialect/attribute_values.ts";
import type { SdpaProgramConfig } from "../../op_config/op_config.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  defineRule,
  type InputFilter,
  type OpRule,
  type RuleContext,
} from "../rule.ts";
import { type Tensor, tileCounts, tileSize } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { isL1Sharded, missingOperand } from "./program.ts";

const SDPA = "tt-metal:sdpa";
const ROTARY = "tt-metal:rotary-embedding";

/** Chunk of queries and keys in prefill when no program config is given, in elements (tt-metal default). */
const DEFAULT_CHUNK = 32;

/** Keys per chunk in decode when the config leaves them open: 32 up to 128 keys, 256 up to 256, then 512 (tt-metal). */
function decodeChunk(keys: number): number {
  return keys <= 128 ? 32 : keys <= 256 ? 256 : 512;
}

/** Rule of prefill attention: operands query, key, value, mask, page table. NULL gives DRAM interleaved. */
export function sdpaRule(): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs: ["any"], exploresReshards: false },
    evaluate: (query, context) => evaluateSdpa(query, context, false),
  });
}

/** Rule of attention in training (`sdpa_fw`, `sdpa_bw`): tiled operands. */
export function trainingSdpaRule(backward: boolean): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs: [backward ? "tile" : "tile_not_sharded"], exploresReshards: false },
    evaluate: (query, context) => evaluateSdpa(query, context, false),
  });
}

/** Rule of decode attention: the query may be sharded, caches must be in DRAM for the search. */
export function sdpaDecodeRule(): OpRule {
  const caches: InputFilter = "dram_interleaved";
  return defineRule({
    strategy: { hints: "null", inputs: ["not_l1_interleaved", caches], exploresReshards: false },
    evaluate: (query, context) => evaluateSdpa(query, context, true),
  });
}

function evaluateSdpa(query: ConstraintQuery, context: RuleContext, decode: boolean): RuleAnswer {
  const [q, k, v] = query.operands;
  if (q === undefined) return missingOperand(query.op, 0);
  if (k === undefined) return missingOperand(query.op, 1);
  const fault = attentionFault(query, q, k, decode);
  if (fault !== undefined) return fault;
  const outputs: (Tensor | undefined)[] = [];
  for (let result = 0; result < query.op.results.length; result++) {
    const output = placeOutput(query, context, {
      result,
      whenNull: DRAM_INTERLEAVED,
      ...(result === 0 ? {} : { hint: null }),
    });
    if (isRefusal(output)) return output;
    outputs.push(output);
  }
  const config = query.config?.kind === "sdpa" ? query.config.programConfig : undefined;
  const valueWidth = v !== undefined && v.layout.tile !== undefined
    ? v.shape.at(-1)
    : outputs[0]?.shape.at(-1);
  return accept({
    outputs,
    cbBytes: attentionBytes(q, k, valueWidth ?? 1, decode, config),
  }, context);
}

function attentionFault(
  query: ConstraintQuery,
  q: Tensor,
  k: Tensor,
  decode: boolean,
): InvalidConstraints | undefined {
  const say = (rule: string, message: string) =>
    refuse("unsupported_layout", `sdpa/${rule}`, `${query.op.name}: ${message}`, SDPA);
  for (const [index, tensor] of [q, k].entries()) {
    if (tensor.layout.tile === undefined) {
      return say("tile", `${describeTensor(index, tensor)} must be tiled`);
    }
    const { dataType } = tensor.layout;
    if (dataType !== "bf16" && dataType !== "f32" && !dataType.startsWith("bfp_")) {
      return say("format", `${describeTensor(index, tensor)} must be bf16 or block float`);
    }
  }
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined || !isSharded(tensor.layout)) continue;
    const queryShards = decode && index === 0 && tensor.layout.memoryLayout === "height_sharded";
    if (!queryShards) return say("sharded", `${describeTensor(index, tensor)} must not be sharded`);
  }
  const heads = q.shape.at(decode ? -2 : -3) ?? 1;
  const keyHeads = k.shape.at(-3) ?? 1;
  if (!decode && keyHeads > 0 && heads % keyHeads !== 0) {
    return say("heads", `${heads} query heads are no multiple of ${keyHeads} key heads`);
  }
  const config = query.config?.kind === "sdpa" ? query.config.programConfig : undefined;
  if (config !== undefined && !decode && (config.qChunkSize % 32 !== 0 || config.kChunkSize % 32 !== 0)) {
    return say("chunk", `chunks of ${config.qChunkSize} and ${config.kChunkSize} are no whole tiles`);
  }
  return undefined;
}

/**
 * Circular buffers of flash attention in tiles: queries, keys, values and mask twice, scores, running output twice,
 * output, scalers and statistics (structure of tt-metal's sdpa program factory; only upper bounds are on record).
 */
function attentionBytes(
  q: Tensor,
  k: Tensor,
  valueWidth: number,
  decode: boolean,
  config: SdpaProgramConfig | undefined,
): number {
  const head = Math.ceil((q.shape.at(-1) ?? 1) / 32);
  const value = Math.ceil(valueWidth / 32);
  const qChunk = decode ? Math.ceil((q.shape.at(-2) ?? 1) / 32) : chunkTiles(config?.qChunkSize);
  const askedKeys = config === undefined || config.kChunkSize === 0 ? undefined : config.kChunkSize;
  const kChunk = chunkTiles(askedKeys ?? (decode ? decodeChunk(k.shape.at(-2) ?? 1) : DEFAULT_CHUNK));
  const copies = decode ? 1 : 2;
  const tileQ = tileSize(q.layout);
  const tileK = tileSize(k.layout);
  return qChunk * head * copies * tileQ + kChunk * (head + value) * 2 * tileK +
    qChunk * kChunk * copies * 2048 +
    qChunk * kChunk * 2048 + 3 * qChunk * value * 2048 + (3 + 5 * qChunk) * 2048;
}

function chunkTiles(elements: number | undefined): number {
  return Math.max(1, Math.ceil((elements === undefined || elements === 0 ? DEFAULT_CHUNK : elements) / 32));
}

/**
 * Rule of `rotary_embedding` and `rotary_embedding_llama`: input, cosines, sines (and a transformation matrix); two
 * rows of tiles in and out, intermediate rows for the llama kernel (derived:circular-buffers, fit 1/1 each).
 */
export function rotaryRule(llama: boolean): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs: ["interleaved_or_height_sharded"], exploresReshards: false },
    evaluate: (query, context) => evaluateRotary(query, context, llama),
  });
}

function evaluateRotary(query: ConstraintQuery, context: RuleContext, llama: boolean): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  for (const [index, operand] of query.operands.entries()) {
    if (operand === undefined) continue;
    if (operand.layout.tile === undefined) {
      return refuse(
        "unsupported_layout",
        "rotary/tile",
        `${query.op.name}: ${describeTensor(index, operand)} must be tiled`,
        ROTARY,
      );
    }
    if (isSharded(operand.layout) && operand.layout.memoryLayout !== "height_sharded") {
      return refuse(
        "unsupported_layout",
        "rotary/sharding",
        `${query.op.name}: ${describeTensor(index, operand)} must be height sharded or interleaved`,
        ROTARY,
      );
    }
  }
  const decode = readBool(query.op.attributes, "is_decode_mode") ?? false;
  if (
    llama && decode && query.operands.some((operand) => operand !== undefined && !isSharded(operand.layout))
  ) {
    return refuse(
      "unsupported_layout",
      "rotary/decode",
      `${query.op.name}: decode mode needs all operands height sharded`,
      ROTARY,
    );
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  if (isSharded(output.layout) && output.layout.memoryLayout !== "height_sharded") {
    return refuse(
      "unsupported_layout",
      "rotary/sharding",
      `${query.op.name}: the result must be height sharded or interleaved`,
      ROTARY,
    );
  }
  const { columns } = tileCounts(input.shape);
  const tile = tileSize(input.layout);
  const native = isL1Sharded(input) && isL1Sharded(output);
  const tiles = llama
    ? (native ? 4 * columns : 11 * columns + 1)
    : native
    ? 2 * columns + 4
    : 10 * columns + 4;
  return accept({
    outputs: [output],
    cbBytes: tiles * tile,
  }, context);
}
