// SPDX-License-Identifier: Apache-2.0

// Attributes of ops of training (tt-mlir:training-ops).

/** Numbers of a step; in autumn 2026 three of them became operands. */
export const ADAMW = {
  lr: "f32?",
  beta1: "f32?",
  beta2: "f32?",
  beta1_pow: "f32?",
  beta2_pow: "f32?",
  epsilon: "f32?",
  weight_decay: "f32?",
  stochastic_rounding: "bool?",
  amsgrad: "bool?",
} as const;

export const RMS_NORM_FORWARD = {
  epsilon: "f32?",
  return_intermediates: "bool?",
  return_rms: "bool?",
} as const;

export const LAYER_NORM_FORWARD = { epsilon: "f32?", return_mean_rstd: "bool?" } as const;

export const CROSS_ENTROPY_GRADIENT = { scaler: "f32?" } as const;

export const SOFTMAX_GRADIENT = { dimension: "si32?" } as const;
