// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/mod.ts";
import { stringValue } from "./attribute_values.ts";
import { type AttributeTexts, stringText } from "./printed_attributes.ts";

/**
 * The stated purpose of a function, such as `forward_device` or `const_eval`; `undefined` if none is stated. Before
 * `tt.function_type` there was a unit attribute `const_eval` (tt-mlir:ir-generations).
 */
export function readFunctionKind(attributes: AttributeMap): string | undefined {
  return stringValue(attributes.get("tt.function_type")) ??
    (attributes.has("const_eval") ? "const_eval" : undefined);
}

/** The attribute that states the purpose of a new function, as printed. */
export function functionKindAttribute(
  kind: string,
  { unitConstEval }: { readonly unitConstEval: boolean },
): AttributeTexts {
  return new Map([
    kind === "const_eval" && unitConstEval ? [kind, "unit"] : ["tt.function_type", stringText(kind)],
  ]);
}
