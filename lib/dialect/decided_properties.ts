// SPDX-License-Identifier: Apache-2.0

/**
 * Properties that spell layouts and op configs, in any generation of the text: an optimizer may change them. All other
 * properties are the meaning of the op (derived:structural-checks).
 */
export const DECIDED_PROPERTIES: ReadonlySet<string> = new Set([
  "memory_config",
  "input_memory_config",
  "layout",
  "dtype",
  "compute_config",
  "conv2d_config",
  "conv2d_slice_config",
  "conv3d_config",
  "matmul_program_config",
  "program_config",
]);
