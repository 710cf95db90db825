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
  return own.kind === asked.kind ? Object.assign({}, own, asked) : asked;
}
