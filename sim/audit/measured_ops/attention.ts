// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../../lib/layout/data_type.ts";
import { attributesOf, DRAM, DRAM_ROWS, tensorAt } from "../op_question.ts";
import { attentionConfig, type Chunks } from "../questions/attention.ts";
import type { OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import { dataTypeIn, dataTypeOf, gridIn, numberIn, placeIn, shapesIn, textIn } from "./texts.ts";
import { leaveOut, required, requiring } from "../row_model.ts";

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

function headsOf(params: Params, text: string, missing: string): AttentionHeads {
  const need = requiring(missing);
  const heads = need(numberIn(params, "num_heads", "q_heads") ?? numberBeside(text, /(\d+) q\b/));
  const keyHeads = need(numberIn(params, "num_kv_heads", "kv_heads") ?? numberBeside(text, /(\d+) kv\b/));
  const width = need(numberIn(params, "head_dim", "d", "d_qk") ?? numberBeside(text, /(?:head_dim |x)(\d+)/));
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
  if (params.ring !== undefined) leaveOut("ring attention between chips is not an op of the dialect");
  if (params.sparse === true) leaveOut("sparse attention is not an op of the dialect");
  if (params.joint === true) leaveOut("joint attention is not an op of the dialect");
  const chunks = chunksOf(params);
  // Profiles of models without a config say their cores.
  required(
    "the chunks of the program config are not in the row",
    chunks ?? numberIn(params, "q_chunk", "k_chunk", "cores"),
  );
  if (/chains/.test(textIn(params, "kernel"))) {
    leaveOut("causal attention that passes keys along chains of cores is not in the dialect");
  }
  const text = textIn(params, "shape", "desc");
  const [query, key] = shapesIn(text.startsWith("q[") ? text : undefined);
  const missing = "heads or lengths are not in the row";
  const heads = query === undefined || key === undefined ? headsOf(params, text, missing) : {
    batch: query[0] ?? 1,
    heads: query[1] ?? 1,
    keyHeads: key[1] ?? 1,
    width: query[3] ?? 1,
    valueWidth: key[3] ?? 1,
  };
  const rows = required(missing, numberIn(params, "S") ?? query?.[2] ?? numberBeside(text, /S=(\d+)/));
  const keys = numberIn(params, "kv_seq") ?? rows;
  const dataType = dataTypeOf(params);
  const keyType = dataTypeIn(textIn(params, "kv_dtype")) ?? dataType;
  const tensor = (count: number, length: number, width: number, type: DataType) =>
    tensorAt([heads.batch, count, length, width], DRAM, type);
  const paged = params.paged === true;
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
      ...(params.attn_mask === true ? [tensorAt([heads.batch, 1, rows, keys])] : []),
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
  const heads = headsOf(params, text, "heads are not in the row");
  const keys = required("the position is not in the row", attendedTokens(params, text));
  if (/assumed/.test(textIn(params, "kv_dtype"))) leaveOut("the format of the cache is not in the row");
  const mla = /mla/i.test(textIn(params, "op"));
  const block = numberIn(params, "block_size", "block");
  const keyType = dataTypeIn(textIn(params, "kv_dtype", "cache", "dtype")) ?? "bf16";
  const blocks = block === undefined ? 0 : Math.ceil(keys / block);
  const [users, rows] = block === undefined ? [heads.batch, keys] : [heads.batch * blocks, block];
  const cache = (width: number) => tensorAt([users, heads.keyHeads, rows, width], DRAM, keyType);
  const queryPlace = placeIn(textIn(params, "q", "memory").split(",")[0] ?? "", DRAM, undefined, chip);
  const query = (width: number) => tensorAt([1, heads.batch, heads.heads, width], queryPlace);
  const paged = block !== undefined;
  return [{
    name: mla
      ? "ttnn.paged_flash_multi_latent_attention_decode"
      : `ttnn.${paged ? "paged_" : ""}scaled_dot_product_attention_decode`,
    inputs: [
      query(heads.width),
      cache(heads.width),
      ...(mla && params.v_tensor !== true ? [] : [cache(heads.valueWidth)]),
      ...(paged && !mla ? [tensorAt([heads.batch, blocks], DRAM_ROWS, "si32")] : []),
    ],
    outputs: [query(heads.valueWidth)],
    config: attentionConfig({ params, attributes: "" }, gridIn(params, chip), chip),
  }];
};
