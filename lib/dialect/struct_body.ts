// SPDX-License-Identifier: Apache-2.0
import { insideAngles, splitTopLevel } from "../ir/balanced.ts";
import { type DataType, parseDataType } from "../layout/data_type.ts";
import type { AliasText } from "./core_range_set.ts";

/**
 * Typed access to the `key = value` fields of a struct attribute (`struct(params)` in tt-mlir's TableGen): order free,
 * every field optional, nested attributes in long or stripped form. Accessors return `undefined` for a field that is
 * absent or in a form that they do not understand.
 */
export class StructBody {
  readonly #fields: Map<string, string> = new Map();
  readonly alias: AliasText;

  constructor(body: string, alias: AliasText) {
    this.alias = alias;
    for (const part of splitTopLevel(body, ",")) {
      const equals = part.indexOf("=");
      if (equals > 0) this.#fields.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
    }
  }

  /** The text of a field, aliases resolved. */
  text(key: string): string | undefined {
    const text = this.#fields.get(key);
    return text === undefined ? undefined : this.alias(text);
  }

  /** `true` or `false`. */
  bool(key: string): boolean | undefined {
    const text = this.text(key);
    return text === "true" ? true : text === "false" ? false : undefined;
  }

  /** A decimal integer, with or without a type behind it. */
  integer(key: string): number | undefined {
    const digits = /^(-?\d+)(?:\s*:\s*\w+)?$/.exec(this.text(key) ?? "")?.[1];
    return digits === undefined ? undefined : Number(digits);
  }

  /** An enum value: `tile`, `<tile>` or `#ttnn.layout<tile>`. */
  word(key: string): string | undefined {
    return /^(?:#[\w.]+\s*)?<?\s*([A-Za-z_]\w*)\s*>?$/.exec(this.text(key) ?? "")?.[1];
  }

  /** A data type. */
  dataType(key: string): DataType | undefined {
    return parseDataType(this.word(key) ?? "");
  }

  /** The body of a nested attribute, `#ttnn.x<body>` or `<body>`. */
  body(key: string): string | undefined {
    return insideAngles((this.text(key) ?? "").replace(/^#[\w.]+\s*/, ""));
  }

  /** A core coordinate `<x, y>` as `[x, y]`. */
  coordinate(key: string): readonly [number, number] | undefined {
    const parts = /^(\d+)\s*,\s*(\d+)$/.exec(this.body(key) ?? "");
    return parts === null ? undefined : [Number(parts[1]), Number(parts[2])];
  }

  /** A grid `<rows x columns>` as `[columns, rows]`. */
  grid(key: string): readonly [number, number] | undefined {
    const parts = /^(\d+)\s*x\s*(\d+)$/.exec(this.body(key) ?? "");
    return parts === null ? undefined : [Number(parts[2]), Number(parts[1])];
  }
}

/** Sets a field when the value is there. Absent fields of a config mean the backend's default. */
export function setField<T, K extends keyof T>(target: T, key: K, value: T[K] | undefined): void {
  if (value !== undefined) target[key] = value;
}
