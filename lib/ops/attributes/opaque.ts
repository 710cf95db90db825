// SPDX-License-Identifier: Apache-2.0

// Attributes of kernels whose programs are not known (tt-mlir:resolve-composites).

export const ROUTER = { k: "i32?", num_experts: "i32?" } as const;

export const TOKEN_REMAP = { reduction_size: "i64?" } as const;

export const INDEXER = { chunk_start_idx: "any?", cluster_axis: "any?" } as const;

export const SPARSE_ATTENTION = { k_chunk_size: "any?", scale: "any?", v_dim: "any?" } as const;

export const LARGE_TOPK = { k: "any?" } as const;

export const DELTA_RULE = {
  chunk_size: "any?",
  output_final_state: "bool?",
  output_head_major: "bool?",
  scale: "f32?",
  use_qk_l2norm: "bool?",
} as const;

export const SELECTIVE_COMBINE = {
  batch_size: "ui32?",
  experts: "ui32?",
  hidden_size: "ui32?",
  select_experts_k: "ui32?",
  seq_size: "ui32?",
} as const;

/** Rows of a table by index vectors over dimensions of `sizes`, in windows of so many (tt-mlir:indexed-rows). */
export const ROWS_GATHER = {
  sizes: "array<i64>",
  windows: "array<i64>",
  column: { type: "bool", default: false },
  fill_out_of_bounds: { type: "bool", default: false },
} as const;

export const ROWS_SCATTER = {
  sizes: "array<i64>",
  windows: "array<i64>",
  column: { type: "bool", default: false },
  reduce: "#ttcore.reduce_type?",
} as const;

/** A scan of any reduction, from either end. */
export const CUMULATIVE_REDUCTION = {
  dim: "i64",
  reduction: "#ttcore.reduce_type",
  reverse: { type: "bool", default: false },
} as const;

export const RANDOM_BITS = { philox: { type: "bool", default: false } } as const;
