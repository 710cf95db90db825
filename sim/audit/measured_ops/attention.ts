// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../../lib/layout/data_type.ts";
import { attributesOf, DRAM, DRAM_ROWS, type PlacedTensor } from "../op_question.ts";
import { attentionConfig, type Chunks } from "../questions/attention.ts";
import type { OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import { dataTypeIn, dataTypeOf, gridIn, numberIn, placeIn, shapesIn, textIn } from "./texts.ts";

/** The number in the first group of a pattern, which names the word beside it, as in `16 q heads`. */
function numberBeside(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Batch, heads and extents of an attention, by any of the names that rows use. */
interface AttentionHeads {
  readonly batch: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly width: number;
  readonly valueWidth: number;
}

function headsOf(params: Params, text: string): AttentionHeads | undefined {
  const heads = numberIn(params, "num_heads", "q_heads") ?? numberBeside(text, /(\d+) q\b/);
  const keyHeads = numberIn(params, "num_kv_heads", "kv_heads") ?? numberBeside(text, /(\d+) kv\b/);
  const width = numberIn(params, "head_dim", "d", "d_qk") ?? numberBeside(text, /(?:head_dim |x)(\d+)/);
  if (heads === undefined || keyHeads === undefined || width === undefined) return undefined;
  const batch = numberIn(params, "batch", "users", "batch_per_chip") ?? numberBeside(text, /batch (\d+)/) ??
    1;
  return { batch, heads, keyHeads, width, valueWidth: numberIn(params, "v_head_dim", "d_v") ?? width };
}

/** Chunks that a row states together, as in `64/64` or `q128 k256`. */
function chunksOf(params: Params): Chunks | undefined {
  const [, queries, keys] = /(\d+)\D+(\d+)/.exec(textIn(params, "chunks"))?.map(Number) ?? [];
  return queries === undefined || keys === undefined ? undefined : { queries, keys };
}

/** Attention over a whole sequence. */
export const prefillAttention: OpReader = ({ params, what }, chip) => {
  if (params.ring !== undefined) return "ring attention between chips is not an op of the dialect";
  if (params.sparse === true) return "sparse attention is not an op of the dialect";
  if (params.joint === true) return "joint attention is not an op of the dialect";
  const chunks = chunksOf(params);
  // Profiles of models without a config say their cores.
  if (chunks === undefined && numberIn(params, "q_chunk", "k_chunk", "cores") === undefined) {
    return "the chunks of the program config are not in the row";
  }
  if (/chains/.test(textIn(params, "kernel"))) {
    return "causal attention that passes keys along chains of cores is not in the dialect";
  }
  const text = textIn(params, "shape", "desc");
  const [query, key] = shapesIn(text.startsWith("q[") ? text : undefined);
  const heads = query === undefined || key === undefined ? headsOf(params, text) : {
    batch: query[0] ?? 1,
    heads: query[1] ?? 1,
    keyHeads: key[1] ?? 1,
    width: query[3] ?? 1,
    valueWidth: key[3] ?? 1,
  };
  const rows = numberIn(params, "S") ?? query?.[2] ?? numberBeside(text, /S=(\d+)/);
  if (heads === undefined || rows === undefined) return "heads or lengths are not in the row";
  const keys = numberIn(params, "kv_seq") ?? rows;
  const dataType = dataTypeOf(params);
  const keyType = dataTypeIn(textIn(params, "kv_dtype")) ?? dataType;
  const tensor = (count: number, length: number, width: number, type: DataType): PlacedTensor => ({
    shape: [heads.batch, count, length, width],
    dataType: type,
    place: DRAM,
  });
  const paged = params.paged === true;
  const mask: PlacedTensor = { shape: [heads.batch, 1, rows, keys], dataType: "bf16", place: DRAM };
  const causal = typeof params.causal === "boolean"
    ? params.causal
    : /(?<!non-)causal/.test(`${text} ${what}`);
  const window = numberIn(params, "sliding_window");
  return [{
    name: paged ? "ttnn.chunked_scaled_dot_product_attention" : "ttnn.scaled_dot_product_attention",
    attributes: attributesOf({
      is_causal: causal,
      sliding_window_size: window,
      chunk_start_idx: numberIn(params, "chunk_start_idx"),
    }),
    inputs: [
      tensor(heads.heads, rows, heads.width, dataType),
      tensor(heads.keyHeads, keys, heads.width, keyType),
      tensor(heads.keyHeads, keys, heads.valueWidth, keyType),
      ...(params.attn_mask === true ? [mask] : []),
    ],
    outputs: [tensor(heads.heads, rows, heads.valueWidth, dataType)],
    config: attentionConfig({ params, attributes: "" }, gridIn(params, chip), chip, chunks),
    // Sources time the attention, not the program that scales its mask.
    only: "attention",
  }];
};

/** Tokens in the cache that the newest one attends to, itself among them: `position 127` and `about 128` are both 128. */
function attendedTokens(params: Params, text: string): number | undefined {
  const position = numberIn(params, "position");
  if (position !== undefined) return position + 1;
  return numberBeside(textIn(params, "position"), /(\d+)/) ?? numberBeside(text, /position about (\d+)/) ??
    numberIn(params, "cache", "cache_len", "depth");
}

/** Attention of one new token per user with a cache. */
export const decodeAttention: OpReader = ({ params }, chip) => {
  const text = textIn(params, "shape", "desc");
  const heads = headsOf(params, text);
  const keys = attendedTokens(params, text);
  if (heads === undefined) return "heads are not in the row";
  if (keys === undefined) return "the position is not in the row";
  if (/assumed/.test(textIn(params, "kv_dtype"))) return "the format of the cache is not in the row";
  const mla = /mla/i.test(textIn(params, "op"));
  const block = numberIn(params, "block_size", "block");
  const keyType = dataTypeIn(textIn(params, "kv_dtype", "cache", "dtype")) ?? "bf16";
  const blocks = block === undefined ? 0 : Math.ceil(keys / block);
  const cache = (width: number): PlacedTensor => ({
    shape: block === undefined
      ? [heads.batch, heads.keyHeads, keys, width]
      : [heads.batch * blocks, heads.keyHeads, block, width],
    dataType: keyType,
    place: DRAM,
  });
  const query = (width: number): PlacedTensor => ({
    shape: [1, heads.batch, heads.heads, width],
    dataType: "bf16",
    place: placeIn(textIn(params, "q", "memory").split(",")[0] ?? "", DRAM, undefined, chip),
  });
  const table: PlacedTensor = { shape: [heads.batch, blocks], dataType: "si32", place: DRAM_ROWS };
  const paged = block !== undefined;
  return [{
    name: mla
      ? "ttnn.paged_flash_multi_latent_attention_decode"
      : `ttnn.${paged ? "paged_" : ""}scaled_dot_product_attention_decode`,
    inputs: [
      query(heads.width),
      cache(heads.width),
      ...(mla && params.v_tensor !== true ? [] : [cache(heads.valueWidth)]),
      ...(paged && !mla ? [table] : []),
    ],
    outputs: [query(heads.valueWidth)],
    config: attentionConfig({ params, attributes: "" }, gridIn(params, chip), chip),
  }];
};
