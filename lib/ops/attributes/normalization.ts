// SPDX-License-Identifier: Apache-2.0

// Attributes of norms (tt-mlir:op-attributes).

export const SOFTMAX = {
  dimension: "si32",
  numericStable: { type: "bool", default: false },
} as const;

export const NORM = { epsilon: "f32?" } as const;

export const BATCH_NORM = { epsilon: "f32?", momentum: "f32?" } as const;

export const GROUP_NORM = { epsilon: "f32?", num_groups: "i64" } as const;

export const GATHERED_NORM = { epsilon: "f32?", use_2d_core_grid: "bool?" } as const;
