// SPDX-License-Identifier: Apache-2.0
import { parseOpConfig } from "../op_config/parse.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { configKind, type OpSpecificAttributes } from "../op_config/op_config.ts";
import { definitionOf } from "../ops/op_book.ts";

/** The config of an op in the input, for ops whose configs are searched; `undefined` for all others. */
export function ownOpConfig(opName: string, attributes: AttributeMap): OpSpecificAttributes | undefined {
  const { config } = definitionOf(opName);
  return config?.searched === true
    ? parseOpConfig(opName, attributes) ?? { kind: configKind(config.kind) }
    : undefined;
}
