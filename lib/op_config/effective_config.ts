// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "./op_config.ts";

/**
 * The config that an op runs with: what is asked for wins, what that leaves open stays as the op carries it.
 *
 * @param own config in the properties of the op
 * @param asked config of a query or a plan; of another kind than `own` it stands alone
 */
export function effectiveConfig(
  own: OpSpecificAttributes | undefined,
  asked: OpSpecificAttributes | undefined,
): OpSpecificAttributes | undefined {
  if (own === undefined || asked === undefined) return asked ?? own;
  switch (asked.kind) {
    case "conv2d":
      return own.kind === "conv2d" ? { ...own, ...asked } : asked;
    case "conv3d":
      return own.kind === "conv3d" ? { ...own, ...asked } : asked;
    case "matmul":
      return own.kind === "matmul" ? { ...own, ...asked } : asked;
    case "norm":
      return own.kind === "norm" ? { ...own, ...asked } : asked;
    case "sdpa":
      return own.kind === "sdpa" ? { ...own, ...asked } : asked;
  }
}
