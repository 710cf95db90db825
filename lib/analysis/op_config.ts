// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";

/** One way to run an op: where its result goes, and the config beside it (tt-mlir `OpConfig`). */
export interface OpConfig {
  readonly outputLayout: LayoutId;
  /** `undefined` leaves the op's config as the input has it. */
  readonly attributes: OpSpecificAttributes | undefined;
}

const KEYS: WeakMap<OpSpecificAttributes, string> = new WeakMap();

/**
 * Key of a config beside the layout: equal configs have equal keys. Objects are keyed by their sorted fields.
 */
export function attributesKey(attributes: OpSpecificAttributes | undefined): string {
  if (attributes === undefined) return "";
  let key = KEYS.get(attributes);
  if (key === undefined) {
    key = JSON.stringify(attributes, (_, value: unknown) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1));
    });
    KEYS.set(attributes, key);
  }
  return key;
}

/**
 * The config of an op that no chain decided (tt-mlir `OpConfigAnalysis`): the first one whose pages are like those of
 * the op's current layout, else the first one.
 *
 * @param configs at least one
 */
export function pickOpConfig(
  configs: readonly OpConfig[],
  currentIsTiled: boolean,
  layouts: LayoutTable,
): OpConfig | undefined {
  return configs.find(({ outputLayout }) =>
    (layouts.get(outputLayout).tile !== undefined) === currentIsTiled
  ) ?? configs[0];
}
