// SPDX-License-Identifier: Apache-2.0

// Attributes of ops that move a window over an image (tt-mlir:op-attributes).

/** Attributes of all convolutions about their operands. */
export const CONVOLUTION = {
  batch_size: { type: "i32", least: 0 },
  in_channels: { type: "i32", least: 0 },
  out_channels: { type: "i32", least: 0 },
  groups: { type: "i32", least: 1, default: 1 },
} as const;

const PLANE = {
  input_height: { type: "i32", least: 0 },
  input_width: { type: "i32", least: 0 },
  kernel_size: { type: "array<i32>", least: 1, order: ["height", "width"] },
  stride: { type: "array<i32>", least: 1, order: ["height", "width"] },
  /** Four values list the sides by dimension (tt-mlir:window-padding); two are vertical and horizontal, both sides alike. */
  padding: { type: "array<i32>", default: [0, 0], order: ["top", "bottom", "left", "right"] },
  dilation: { type: "array<i32>", least: 1, default: [1, 1], order: ["height", "width"] },
  conv2d_config: "any?",
  conv2d_slice_config: "any?",
} as const;

export const CONV2D: typeof CONVOLUTION & typeof PLANE = { ...CONVOLUTION, ...PLANE };

const GROWN = {
  output_padding: { type: "array<i32>", default: [0, 0], order: ["height", "width"] },
} as const;

export const CONV_TRANSPOSE2D: typeof CONV2D & typeof GROWN = { ...CONV2D, ...GROWN };

/** A line: one number for each, and padding in front of it and behind it. */
const LINE = {
  input_length: { type: "i32", least: 0 },
  kernel_size: { type: "i32", least: 1 },
  stride: { type: "i32", least: 1 },
  padding: { type: "array<i32>", default: [0, 0], order: ["before", "after"] },
  dilation: { type: "i32", least: 1, default: 1 },
  conv2d_config: "any?",
} as const;

export const CONV1D: typeof CONVOLUTION & typeof LINE = { ...CONVOLUTION, ...LINE };

const VOLUME = {
  input_depth: { type: "i32?", least: 0 },
  input_height: { type: "i32?", least: 0 },
  input_width: { type: "i32?", least: 0 },
  kernel_size: { type: "array<i32>", least: 1, order: ["depth", "height", "width"] },
  stride: { type: "array<i32>", least: 1, default: [1, 1, 1], order: ["depth", "height", "width"] },
  padding: { type: "array<i32>", default: [0, 0, 0], order: ["depth", "height", "width"] },
  padding_mode: { type: "string", default: "zeros" },
  conv3d_config: "any?",
} as const;

export const CONV3D: typeof CONVOLUTION & typeof VOLUME = { ...CONVOLUTION, ...VOLUME };

/**
 * Pools list top, left, bottom, right; upstream's runtime reorders them for the kernel, which takes them as
 * convolutions do (tt-mlir:window-padding).
 */
export const POOL2D = {
  batch_size: { type: "si32", least: 0 },
  channels: { type: "si32", least: 0 },
  input_height: { type: "si32", least: 0 },
  input_width: { type: "si32", least: 0 },
  kernel_size: { type: "array<i32>", least: 1, order: ["height", "width"] },
  stride: { type: "array<i32>", least: 1, order: ["height", "width"] },
  padding: { type: "array<i32>", default: [0, 0], order: ["top", "left", "bottom", "right"] },
  dilation: { type: "array<i32>", least: 1, default: [1, 1], order: ["height", "width"] },
  ceil_mode: { type: "bool", default: false },
  count_include_pad: { type: "bool", default: true },
  in_place_halo: { type: "bool", default: false },
  config_tensors_in_dram: { type: "bool", default: false },
  reallocate_halo_output: { type: "bool", default: true },
} as const;

/** One factor for both dimensions, or one for each. */
export const UPSAMPLE = {
  scale_factor: { type: "si32 or array<i32>", least: 1, order: ["height", "width"] },
  mode: { type: "string", default: "nearest" },
} as const;

const PREPARED = {
  has_bias: "bool?",
  weights_format: "string?",
  input_dtype: "#ttcore.supportedDataTypes?",
  input_memory_config: "any?",
  input_tensor_layout: "#ttnn.layout?",
  output_dtype: "#ttcore.supportedDataTypes?",
} as const;

/** Attributes of an op that prepares weights: those of the convolution that reads them, and of its operands. */
export const PREPARE_CONV2D: typeof CONV_TRANSPOSE2D & typeof PREPARED = { ...CONV_TRANSPOSE2D, ...PREPARED };

export const PREPARE_CONV3D = {
  alignment: "i32?",
  c_in_block: "i32?",
  groups: { type: "i32", least: 1, default: 1 },
  conv3d_config: "any?",
} as const;
