// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { configKey } from "../op_config/config_key.ts";
import { configKind, type OpSpecificAttributes } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";
import { definitionOf } from "../ops/op_book.ts";

/** One way to run an op: the layout of its result and the op config (tt-mlir `OpConfig`). */
export interface OpConfig {
  readonly outputLayout: LayoutId;
  /** `undefined` leaves the op's config as in the input. */
  readonly attributes: OpSpecificAttributes | undefined;
}

/** Key of a config without the layout: equal configs have equal keys. */
export function attributesKey(attributes: OpSpecificAttributes | undefined): string {
  return attributes === undefined ? "" : configKey(attributes);
}

/**
 * The config of an op that no chain decided (tt-mlir `OpConfigAnalysis`): the first one with the same kind of
 * pages as the op's current layout, otherwise the first one.
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

/** The config of an op in the input, for ops whose configs are searched; `undefined` for all others. */
export function ownOpConfig(opName: string, attributes: AttributeMap): OpSpecificAttributes | undefined {
  const { config } = definitionOf(opName);
  return config?.searched === true
    ? parseOpConfig(opName, attributes) ?? { kind: configKind(config.kind) }
    : undefined;
}
