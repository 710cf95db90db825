// SPDX-License-Identifier: Apache-2.0

/**
 * Attributes as MLIR text, spelled the way upstream's printer spells them.
 *
 * @module
 */

/** Attributes of an op to print: name and printed value. Printed sorted by name. */
export type AttributeTexts = ReadonlyMap<string, string>;

/** Collects attributes; entries without a value are left out. */
export function attributes(entries: Readonly<Record<string, string | undefined>>): AttributeTexts {
  const result = new Map<string, string>();
  for (const [name, text] of Object.entries(entries)) if (text !== undefined) result.set(name, text);
  return result;
}

/** `{a = 1 : i32, unit}`: entries sorted by name (code point order), unit attributes by name alone. */
export function printedDictionary(entries: AttributeTexts, open: string = "{", close: string = "}"): string {
  const names = [...entries.keys()].sort();
  const printed = names.map((name) => {
    const value = entries.get(name) ?? "unit";
    return value === "unit" ? nameText(name) : `${nameText(name)} = ${value}`;
  });
  return `${open}${printed.join(", ")}${close}`;
}

/** The name of an attribute or a symbol, quoted where it is no bare identifier. */
export function nameText(name: string): string {
  return /^[A-Za-z_][\w$.]*$/.test(name) ? name : stringText(name);
}

/** A number with its type: `1 : i32`. */
export function integerText(value: number | bigint, type: string): string {
  return `${value} : ${type}`;
}

/** `array<i64: 1, 2>`. */
export function denseArrayText(values: readonly number[], elementType: string): string {
  return values.length === 0 ? `array<${elementType}>` : `array<${elementType}: ${values.join(", ")}>`;
}

/** A quoted string with MLIR's escapes. */
export function stringText(value: string): string {
  let text = '"';
  for (const byte of new TextEncoder().encode(value)) {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === "\\" || byte < 0x20 || byte > 0x7e) {
      text += `\\${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    } else text += character;
  }
  return `${text}"`;
}
