// SPDX-License-Identifier: Apache-2.0

// Attributes of elementwise ops (tt-mlir:op-attributes).

/** Functions that an op applies to its operands and to its result: `"relu"`, `unary_with_param`, or a list of either. */
export const APPLIED_FUNCTIONS = {
  input_tensor_a_activations: "any?",
  input_tensor_b_activations: "any?",
  activation: "any?",
  activations: "any?",
  fused_activation: "any?",
} as const;

/** A number in place of the second operand. */
const NUMBER = { scalar: "scalar?" } as const;

export const BINARY: typeof APPLIED_FUNCTIONS & typeof NUMBER = { ...APPLIED_FUNCTIONS, ...NUMBER };

/** The slope of a leaky relu. */
export const WITH_PARAMETER = { parameter: "f32?" } as const;

/** Factors of exponential activations, and the threshold above which a softplus is linear. */
export const ACTIVATION_PARAMETERS = {
  alpha: "f32?",
  beta: "f32?",
  scale: "f32?",
  threshold: "f32?",
} as const;

export const CLAMP = { min: "scalar?", max: "scalar?" } as const;

export const POWER = { rhs: "scalar?" } as const;

export const ROUND = { decimals: "i32?" } as const;

/** Bits that a float is rounded to. */
export const REDUCED_PRECISION = { exponent_bits: "si32", mantissa_bits: "si32" } as const;

export const LOGIT = { eps: "f32?" } as const;

export const GELU_BW = { approximate: "string?" } as const;

export const DROPOUT = {
  prob: "f32?",
  scale: "f32?",
  seed: { type: "ui32", default: 0 },
  use_per_device_seed: { type: "bool", default: true },
} as const;

/** Without an axis one scale is for all. */
export const QUANTIZATION = { axis: "i32?", output_dtype: "#ttcore.supportedDataTypes?" } as const;
