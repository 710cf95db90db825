// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "./op_config.ts";

/** Cached keys: the configs that an op is offered are compared often. */
const CONFIG_KEYS: WeakMap<OpSpecificAttributes, string> = new WeakMap();

/** Structural key of a config; absent fields and fields that are `undefined` are the same. */
export function configKey(config: OpSpecificAttributes): string {
  return CONFIG_KEYS.getOrInsertComputed(config, () => sortedText(config));
}

/** A value with the names of its fields sorted. Joined once: a text that grows field by field takes more memory. */
function sortedText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`;
  const fields: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const entry: unknown = Reflect.get(value, name);
    if (entry !== undefined) fields.push(`${name}:${sortedText(entry)}`);
  }
  return `{${fields.join()}}`;
}

/**
 * The config that an op runs with: requested fields override those of the op. `undefined` if neither says anything.
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
