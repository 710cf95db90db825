// SPDX-License-Identifier: Apache-2.0

import type { PreparingOp } from "../dialect/prepared_weights.ts";

/** Ops that prepare weights or a bias of a 2-d convolution, by name without dialect. */
export const PREPARING_OPS: ReadonlyMap<string, PreparingOp> = new Map([
  ["prepare_conv2d_weights", { prepares: "weights", transposed: false }],
  ["prepare_conv2d_bias", { prepares: "bias", transposed: false }],
  ["prepare_conv_transpose2d_weights", { prepares: "weights", transposed: true }],
  ["prepare_conv_transpose2d_bias", { prepares: "bias", transposed: true }],
]);

const BY_FULL_NAME: ReadonlyMap<string, PreparingOp> = new Map(
  [...PREPARING_OPS].map(([name, op]) => [`ttnn.${name}`, op]),
);

/** @param name with its dialect */
export function isPreparingOp(name: string): boolean {
  return BY_FULL_NAME.has(name);
}

/**
 * @param name with its dialect
 * @throws RangeError for an op that prepares nothing
 */
export function preparingOp(name: string): PreparingOp {
  const op = BY_FULL_NAME.get(name);
  if (op === undefined) throw new RangeError(`${name} prepares no weights`);
  return op;
}
