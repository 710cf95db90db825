// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "./op_config.ts";

/**
 * The config that an op runs with: requested fields override those of the op.
 *
 * @param own config in the properties of the op
 * @param asked config of a query or a plan; if its kind differs from `own`, it is used alone
 */
export function effectiveConfig(
  own: OpSpecificAttributes | undefined,
  asked: OpSpecificAttributes | undefined,
): OpSpecificAttributes | undefined {
  if (own === undefined || asked === undefined) return asked ?? own;
  return own.kind === asked.kind ? Object.assign({}, own, asked) : asked;
}
