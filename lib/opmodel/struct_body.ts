// SPDX-License-Identifier: Apache-2.0

/** Named fields of a struct-like attribute body, `a = 1, b = <c = 2>, d = #ttnn.core_coord<8, 8>`. */
export interface StructBody {
  /** The field as written, without surrounding blanks. */
  text(name: string): string | undefined;
  integer(name: string): number | undefined;
  bool(name: string): boolean | undefined;
  /** The field when it is one of the given words, bare or as `#dialect.mnemonic<word>`. */
  oneOf<const T extends string>(name: string, words: readonly T[]): T | undefined;
  /** A nested struct, stripped `<…>` or in full. */
  struct(name: string): StructBody | undefined;
  /** Two integers: `#ttnn.core_coord<8, 7>`, `<8, 7>`, or a grid `8x7` (rows x columns) as `[columns, rows]`. */
  pair(name: string): readonly [number, number] | undefined;
  /** A list of numbers `[1, 2.5 : f32]`. */
  numbers(name: string): readonly number[] | undefined;
}

/** Splits the text between an attribute's angle brackets into its fields. Unknown fields are kept and never read. */
export function parseStructBody(body: string): StructBody {
  const fields = new Map<string, string>();
  for (const part of splitTopLevel(body)) {
    const equals = part.indexOf("=");
    if (equals > 0) fields.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return {
    text: (name) => fields.get(name),
    integer: (name) => toInteger(fields.get(name)),
    bool: (name) => {
      const text = fields.get(name);
      return text === "true" ? true : text === "false" ? false : undefined;
    },
    oneOf: (name, words) => {
      const text = fields.get(name);
      const word = text === undefined ? undefined : inner(text) ?? text;
      return words.find((candidate) => candidate === word);
    },
    struct: (name) => {
      const text = fields.get(name);
      const content = text === undefined ? undefined : inner(text);
      return content === undefined ? undefined : parseStructBody(content);
    },
    pair: (name) => toPair(fields.get(name)),
    numbers: (name) => {
      const text = fields.get(name);
      if (text === undefined || !text.startsWith("[") || !text.endsWith("]")) return undefined;
      const elements = text.slice(1, -1).split(",").map((element) => element.trim()).filter((e) => e !== "");
      return elements.map((element) => Number(element.split(":")[0]));
    },
  };
}

/** Content of the outermost angle brackets. */
function inner(text: string): string | undefined {
  const open = text.indexOf("<");
  return open >= 0 && text.endsWith(">") ? text.slice(open + 1, -1).trim() : undefined;
}

function toInteger(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = Number(text.split(":")[0]);
  return Number.isInteger(value) ? value : undefined;
}

function toPair(text: string | undefined): readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  const content = inner(text) ?? text;
  if (content.includes("x") && !content.includes("=")) {
    const [rows, columns] = content.split(",")[0]?.split("x").map(Number) ?? [];
    return isCount(rows) && isCount(columns) ? [columns, rows] : undefined;
  }
  const [x, y] = content.split(",").map((part) => Number(part.replace(/^\s*[xy]\s*=/, "")));
  return isCount(x) && isCount(y) ? [x, y] : undefined;
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value);
}

/** Splits at commas that are in no bracket. */
function splitTopLevel(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === "<" || char === "[" || char === "(") depth++;
    else if ((char === ">" && text.charAt(index - 1) !== "-") || char === "]" || char === ")") depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
