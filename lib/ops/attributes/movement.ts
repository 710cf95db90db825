// SPDX-License-Identifier: Apache-2.0

// Attributes of ops that move elements (tt-mlir:op-attributes).

export const RESHAPE = { shape: { type: "[i32]?", order: ["extent"] } } as const;

/** Dimension `i` of the result is dimension `permutation[i]` of the operand. */
export const PERMUTE = {
  permutation: { type: "array<i64>", order: ["dimension"] },
  pad_value: { type: "f32", default: 0 },
} as const;

export const TRANSPOSE = { dim0: "si32", dim1: "si32" } as const;

export const CONCAT = { dim: "si32" } as const;

export const SLICE = {
  begins: { type: "[i32]", order: ["begin of the dimension"] },
  ends: { type: "[i32]", order: ["end of the dimension"] },
  step: { type: "[i32]", order: ["step of the dimension"] },
} as const;

/** Begins and ends are operands. */
export const SLICE_DYNAMIC = { step: { type: "[i32]?", order: ["step of the dimension"] } } as const;

/** `padding` has two entries per dimension, in elements: before, after. */
export const PAD = {
  padding: { type: "array<i32>", order: ["before, after"] },
  use_multicore: { type: "bool", default: true },
  value: "f32?",
} as const;

export const REPEAT = {
  repeat_dims: { type: "shape", order: ["factor of the dimension"], spelled: ["repeat_dims", "shape"] },
} as const;

export const REPEAT_INTERLEAVE = { repeats: "ui32", dim: "si32" } as const;

export const GATHER = { dim: "si32" } as const;

export const SCATTER = { dim: "si32", scatter_reduce_type: "#ttcore.reduce_type?" } as const;
