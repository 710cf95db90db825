// SPDX-License-Identifier: Apache-2.0
import type { Conv2dConfig } from "../op_config/op_config.ts";

/** Values to try for one field of a conv2d config. */
export interface SearchedField {
  readonly name: "deallocateActivation" | "actBlockHOverride";
  readonly values: readonly Partial<Conv2dConfig>[];
}

/**
 * The fields that are searched and their values, best first, most significant field first: `act_block_h_override` 0
 * lets the backend choose (tt-mlir `Conv2dConfigSearchSpaceFactory`, tt-mlir:conv2d-config-search).
 */
const CONV2D_SEARCH_SPACE: readonly SearchedField[] = [
  { name: "deallocateActivation", values: [{ deallocateActivation: true }] },
  { name: "actBlockHOverride", values: [0, 64, 32].map((actBlockHOverride) => ({ actBlockHOverride })) },
];

/**
 * Conv2d configs to try on top of a base: every combination of the searched fields that the base leaves open, the last
 * field changing fastest. A config that would reshard without naming a shard layout is left out.
 *
 * @param base what the op or the user fixes
 */
export function conv2dConfigs(
  base: Conv2dConfig,
  space: readonly SearchedField[] = CONV2D_SEARCH_SPACE,
): readonly Conv2dConfig[] {
  let configs: Conv2dConfig[] = [base];
  for (const field of space) {
    if (base[field.name] !== undefined) continue;
    configs = configs.flatMap((config) => field.values.map((value) => ({ ...config, ...value })));
  }
  return configs.filter((config) => config.reshardIfNotOptimal !== true || config.shardLayout !== undefined);
}
