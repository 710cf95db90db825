// SPDX-License-Identifier: Apache-2.0

/** Ops that bring weights or a bias into the form in which the kernel of a 2-d convolution reads them. */
export const PREPARING_OPS = [
  "prepare_conv2d_weights",
  "prepare_conv2d_bias",
  "prepare_conv_transpose2d_weights",
  "prepare_conv_transpose2d_bias",
] as const;

const FULL_NAMES: ReadonlySet<string> = new Set(PREPARING_OPS.map((name) => `ttnn.${name}`));

/** @param name with its dialect */
export function isPreparingOp(name: string): boolean {
  return FULL_NAMES.has(name);
}
