// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "./op_config.ts";

/** Cached keys: the configs that an op is offered are compared often. */
const CONFIG_KEYS: WeakMap<OpSpecificAttributes, string> = new WeakMap();

/** Structural key of a config; absent fields and fields that are `undefined` are the same. */
export function configKey(config: OpSpecificAttributes): string {
  return CONFIG_KEYS.getOrInsertComputed(config, () => JSON.stringify(sorted(config)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, entry]) => entry !== undefined).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, entry]) => [name, sorted(entry)]),
  );
}

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
