// SPDX-License-Identifier: Apache-2.0

/** Attributes that several or all ops may have beside their own. */
export const COMMON = {
  operandSegmentSizes: { type: "array<i32>?", order: ["operands of the group"] },
  resultSegmentSizes: { type: "array<i32>?", order: ["results of the group"] },
  /** These repeat the type of the result in older generations (tt-mlir:ir-generations). */
  dtype: "#ttcore.supportedDataTypes?",
  output_dtype: "#ttcore.supportedDataTypes?",
  layout: "#ttnn.layout?",
  memory_config: "any?",
  compute_config: "any?",
} as const;

/** Ops without attributes of their own. */
export const NO_ATTRIBUTES = {} as const;
