// SPDX-License-Identifier: Apache-2.0
import { defineOps, type OpDefinition } from "./definition.ts";
import { likeOperand } from "./shape_inference.ts";

/** Families of kernels for diffusion transformers. */
export type DitFamily = "gated_product" | "dit_rms_norm";

/**
 * Fused kernels for blocks of diffusion transformers (tt-mlir:dit-ops). No times are published for them, so they have a
 * cost class of their own.
 */
export const DIT: readonly OpDefinition<DitFamily>[] = [
  // residual + gate × (activation × weight + bias).
  ...defineOps("dit_matmul_addcmul_fused", "gated_product", "dit", {
    operands: ["activation", "weight", "activation", "activation", "bias?"],
    inferShape: likeOperand(2),
    config: { kind: "matmul", program: undefined, searched: false },
    deviceOperation: "MinimalMatmulDeviceOperation",
  }),
  // An activation of the norm of input and residual; operand groups are input, weight, bias, residual.
  ...defineOps("dit_rms_norm_unary_fused", "dit_rms_norm", "dit", {
    operands: ["activation", "weight?", "bias?", "activation?"],
    inferShape: likeOperand(0),
    formatOf: 0,
    config: { kind: "norm", program: undefined, searched: false },
    deviceOperation: "LayerNormDeviceOperation",
  }),
];
