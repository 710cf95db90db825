// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { escapeString } from "./string_literal.ts";

const BARE_IDENTIFIER = /^[A-Za-z_][\w$.]*$/;

/**
 * The text of an attribute in MLIR syntax. Types, opaque attributes and bodies of dialect attributes stay as written;
 * `#dialect<mnemonic body>` prints as `#dialect.mnemonic<body>`.
 */
export function attributeText(attribute: Attribute): string {
  switch (attribute.kind) {
    case "unit":
      return "unit";
    case "bool":
      return String(attribute.value);
    case "integer":
      return attribute.type === undefined
        ? String(attribute.value)
        : `${attribute.value} : ${attribute.type}`;
    case "float":
      return attribute.type === undefined
        ? floatText(attribute.value)
        : `${floatText(attribute.value, attribute.type)} : ${attribute.type}`;
    case "string":
      return `"${escapeString(attribute.value)}"`;
    case "array":
      return `[${attribute.elements.map(attributeText).join(", ")}]`;
    case "denseArray":
      return attribute.values.length === 0
        ? `array<${attribute.elementType}>`
        : `array<${attribute.elementType}: ${denseValues(attribute.elementType, attribute.values)}>`;
    case "dictionary":
      return dictionaryText([...attribute.entries]);
    case "symbol":
      return symbolText(attribute.name);
    case "type":
    case "opaque":
      return attribute.text;
    case "dialect":
      return attribute.body === ""
        ? `#${attribute.dialect}.${attribute.mnemonic}`
        : `#${attribute.dialect}.${attribute.mnemonic}<${attribute.body}>`;
  }
}

/** `{a = 1 : i32, b}`. */
export function dictionaryText(entries: readonly (readonly [string, Attribute])[]): string {
  const items = entries.map(([key, value]) => {
    const name = BARE_IDENTIFIER.test(key) ? key : `"${escapeString(key)}"`;
    return value.kind === "unit" ? name : `${name} = ${attributeText(value)}`;
  });
  return `{${items.join(", ")}}`;
}

/** `@name`, quoted if it is no bare identifier; the nested `a::@b` prints as `@a::@b` without quoting. */
export function symbolText(name: string): string {
  return BARE_IDENTIFIER.test(name) || name.includes("::@") ? `@${name}` : `@"${escapeString(name)}"`;
}

function denseValues(elementType: string, values: readonly number[]): string {
  if (elementType === "i1") return values.map((value) => (value === 0 ? "false" : "true")).join(", ");
  if (/^b?f/.test(elementType)) return values.map((value) => floatText(value, elementType)).join(", ");
  return values.join(", ");
}

/** A decimal with a dot, as MLIR requires; infinities and NaN as the hexadecimal bits of the type. */
function floatText(value: number, type = "f64"): string {
  if (!Number.isFinite(value)) return nonFiniteText(value, type);
  const text = String(value);
  if (/^-?\d+$/.test(text)) return `${text}.0`;
  return /^-?\d+e/.test(text) ? text.replace("e", ".0e") : text;
}

function nonFiniteText(value: number, type: string): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  if (type === "f32" || type === "bf16") view.setFloat32(0, value);
  if (type === "f16") view.setFloat16(0, value);
  const digits = type === "f64" ? 16 : type === "f32" ? 8 : 4;
  const bits = view.getBigUint64(0).toString(16).toUpperCase().padStart(16, "0");
  return `0x${bits.slice(0, digits)}`;
}
