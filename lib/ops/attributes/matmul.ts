// SPDX-License-Identifier: Apache-2.0

// Attributes of matrix products (tt-mlir:op-attributes).

export const MATMUL = {
  transpose_a: { type: "bool", default: false },
  transpose_b: { type: "bool", default: false },
  activation: "string?",
  matmul_program_config: "any?",
} as const;

export const SPARSE_MATMUL = {
  is_input_a_sparse: { type: "bool", default: false },
  is_input_b_sparse: { type: "bool", default: true },
  nnz: "i64?",
  program_config: "any?",
} as const;
