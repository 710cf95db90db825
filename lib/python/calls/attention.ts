// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { call, type CallWriter, type CallWriters } from "../writers.ts";

/** The keywords that all kinds of attention share. */
const SHARED = "=is_causal:bool?True =scale:float? memory program compute";
const WINDOW = "=sliding_window_size:int?";

/** Values are a part of the keys, or an operand of their own. */
const latentPrefill = call(`ttnn.transformer.flash_mla_prefill @0 @1 values attn_mask=@3 ${SHARED}`, {
  values: (site) => {
    const width = site.integer("head_dim_v");
    return site.groups()[2] ?? width;
  },
});

const splitHeads = (callee: string, transposes: string): CallWriter =>
  call(`${callee} operands =num_heads:int =num_kv_heads:int? ${transposes}=transpose_key:bool?False memory`);

/** Cores that are no rectangle from the first core on are named, as tt-mlir's runtime does (tt-mlir:runtime-calls). */
const concatHeadsDecode = call(
  "ttnn.experimental.nlp_concat_heads_decode 0 =num_heads:int memory sub_core_grids=cores",
  {
    cores: (site) => {
      const { layout } = site.typed(0).type;
      const [first, ...others] = isSharded(layout) ? layout.coreRanges : [];
      const isPlain = first === undefined ||
        (others.length === 0 && first.start.x === 0 && first.start.y === 0);
      return isPlain ? undefined : site.constants.cores(layout.coreRanges);
    },
  },
);

/** `index`: the position that a tensor of one element holds: the runtime reads it, and ttnn takes a number. */
const updateCache = call("ttnn.update_cache 0 1 index =batch_offset:int?0", {
  index: (site) => {
    const index = site.optional(2);
    return index === undefined ? "0" : `scalar(${index})`;
  },
});

const pagedFillCache: CallWriter = (site) =>
  call(
    `ttnn.experimental.paged_fill_cache 0 1 2 ${
      site.optional(3) === undefined ? "batch_idx=zero" : "batch_idx_tensor=3"
    }`,
    { zero: () => 0 },
  )(site);

/** Attention, its heads, rotations and caches. */
export const ATTENTION_CALLS: CallWriters = {
  scaled_dot_product_attention: call(
    `ttnn.transformer.scaled_dot_product_attention @0 @1 @2 attn_mask=@3 ${SHARED} ${WINDOW} attention_sink=@4`,
  ),
  flash_mla_prefill: latentPrefill,
  scaled_dot_product_attention_decode: call(
    "ttnn.transformer.scaled_dot_product_attention_decode @0 @1 @2 attn_mask=@3 cur_pos_tensor=@4 " +
      `${SHARED} attention_sink=@5`,
  ),
  paged_scaled_dot_product_attention_decode: call(
    "ttnn.transformer.paged_scaled_dot_product_attention_decode @0 @1 @2 @3 attn_mask=@4 cur_pos_tensor=@5 " +
      `${SHARED} ${WINDOW} attention_sink=@6`,
  ),
  split_query_key_value_and_split_heads: splitHeads(
    "ttnn.transformer.split_query_key_value_and_split_heads",
    "transpose_key",
  ),
  nlp_create_qkv_heads: splitHeads("ttnn.experimental.nlp_create_qkv_heads", "transpose_k_heads"),
  nlp_create_qkv_heads_decode: call(
    "ttnn.experimental.nlp_create_qkv_heads_decode 0 =num_heads:int =num_kv_heads:int? =overlap_qk_coregrid:bool? memory",
  ),
  nlp_concat_heads_decode: concatHeadsDecode,
  concatenate_heads: call("ttnn.transformer.concatenate_heads 0 memory"),
  nlp_concat_heads: call("ttnn.experimental.nlp_concat_heads 0 memory"),
  rotary_embedding: call("ttnn.experimental.rotary_embedding 0 1 2 token_index:int? memory compute"),
  rotary_embedding_llama: call(
    "ttnn.experimental.rotary_embedding_llama 0 1 2 3 =is_decode_mode:bool?False memory compute",
  ),
  update_cache: updateCache,
  fill_cache: call("ttnn.fill_cache 0 1 batch_offset:int?0"),
  paged_update_cache: call(
    "ttnn.experimental.paged_update_cache 0 1 update_idxs_tensor=2? =share_cache:bool?False page_table=3?",
  ),
  paged_fill_cache: pagedFillCache,
};
