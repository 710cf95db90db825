// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { enumWord } from "./attribute_values.ts";

/** Roles of function arguments: values of `ttcore.argument_type`. */
export const ARGUMENT_TYPES = ["input", "parameter", "constant", "default"] as const;

/** One of {@linkcode ARGUMENT_TYPES}. */
export type ArgumentType = (typeof ARGUMENT_TYPES)[number];

/** The role of an argument as the text spells it, one of {@linkcode ARGUMENT_TYPES} or not; `undefined` if it has none. */
export function readArgumentType(attributes: AttributeMap): string | undefined {
  return enumWord(attributes.get("ttcore.argument_type") ?? attributes.get("tt.argument_type"));
}
