// SPDX-License-Identifier: Apache-2.0

// Attributes of attention, its heads and its caches (tt-mlir:op-attributes).

/** Without a scale it is one over the root of a head's width; without a window all keys are seen. */
export const ATTENTION_FORM = {
  is_causal: { type: "bool", default: true },
  scale: "f32?",
  sliding_window_size: "ui32?",
  program_config: "any?",
} as const;

export const CHUNKED_ATTENTION = { scale: "f32?" } as const;

/** The values are the first elements of the keys. */
export const LATENT_ATTENTION = {
  head_dim_v: "ui32?",
  is_causal: { type: "bool", default: true },
  scale: "f32?",
  sliding_window_size: "ui32?",
  program_config: "any?",
} as const;

export const TRAINING_ATTENTION = {
  dropout_probability: { type: "f32", default: 0 },
  mask_type: "#ttcore.attention_mask_type?",
  return_intermediates: { type: "bool", default: false },
  scale: "f32?",
} as const;

/** With a token every row takes the angles of that one. */
export const ROTARY = { token_index: "ui32?" } as const;

export const ROTARY_LLAMA = { is_decode_mode: { type: "bool", default: false }, trans_mat: "any?" } as const;

export const MERGE_HEADS_DECODE = { num_heads: "ui32" } as const;

/** Two ops spell the same otherwise; without a number of them there are as many keys as queries. */
export const SPLIT_HEADS = {
  num_heads: { type: "ui32", spelled: ["num_heads", "num_q_heads"] },
  num_kv_heads: "ui32?",
  transpose_key: { type: "bool", default: false, spelled: ["transpose_key", "transpose_k_heads"] },
} as const;

export const SPLIT_HEADS_DECODE = {
  num_heads: "ui32",
  num_kv_heads: "ui32?",
  overlap_qk_coregrid: { type: "bool", default: true },
  slice_size: "ui32?",
} as const;

export const FILL_CACHE = { batch_offset: { type: "i32", default: 0 } } as const;

export const PAGED_UPDATE_CACHE = { share_cache: { type: "bool", default: false } } as const;
