// SPDX-License-Identifier: Apache-2.0

// Attributes of ops that reduce, order or choose (tt-mlir:op-attributes).

/** Without dimensions all are reduced. */
export const REDUCE = {
  dim_arg: { type: "[i32]?", order: ["dimension"] },
  keep_dim: "bool?",
} as const;

/** Without a dimension all are multiplied. */
export const PRODUCT = { dim_arg: "si64?", keep_dim: "bool?", all_dimensions: "bool?" } as const;

/** Without a dimension the place in the flattened tensor is found. */
export const ARGMAX = { dim: "si32?", keep_dim: "bool?", use_multicore: "bool?" } as const;

export const CUMULATIVE = { dim: "si32" } as const;

export const SORT = {
  dim: { type: "si8", default: -1 },
  descending: { type: "bool", default: false },
  stable: { type: "bool", default: false },
} as const;

export const TOPK = {
  k: "i32",
  dim: { type: "si32", default: -1 },
  largest: { type: "bool", default: true },
  sorted: { type: "bool", default: true },
} as const;
