// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "../ir/attribute.ts";

/** The word of an enum attribute, `tile` of `#ttnn.layout<tile>`; `undefined` for attributes of no dialect. */
export function enumWord(attribute: Attribute | undefined): string | undefined {
  return attribute?.kind === "dialect" ? attribute.body.trim() : undefined;
}

/** The value of an integer attribute; `undefined` for all others. */
export function integerValue(attribute: Attribute | undefined): number | undefined {
  return attribute?.kind === "integer" ? Number(attribute.value) : undefined;
}

/** The value of an integer or float attribute; `undefined` for all others. */
export function numberValue(attribute: Attribute | undefined): number | undefined {
  return attribute?.kind === "float" ? attribute.value : integerValue(attribute);
}

/** The value of a boolean attribute; `undefined` for all others. */
export function boolValue(attribute: Attribute | undefined): boolean | undefined {
  return attribute?.kind === "bool" ? attribute.value : undefined;
}

/** The value of a string attribute; `undefined` for all others. */
export function stringValue(attribute: Attribute | undefined): string | undefined {
  return attribute?.kind === "string" ? attribute.value : undefined;
}

/**
 * One integer or a list of them in any of the spellings that TTNN text has used: `1 : i32`, `[1 : i32]`,
 * `array<i64: 1>`, `#ttnn.shape<1x2>`. `undefined` for all others, and for a list of other elements.
 */
export function integerValues(attribute: Attribute | undefined): readonly number[] | undefined {
  switch (attribute?.kind) {
    case "integer":
      return [Number(attribute.value)];
    case "denseArray":
      return attribute.values;
    case "array": {
      const values: number[] = [];
      for (const element of attribute.elements) {
        const value = integerValue(element);
        if (value === undefined) return undefined;
        values.push(value);
      }
      return values;
    }
    case "dialect": {
      const body = attribute.body.trim();
      if (body === "") return [];
      const values = body.split("x").map(Number);
      return values.every(Number.isInteger) ? values : undefined;
    }
    default:
      return undefined;
  }
}
