// SPDX-License-Identifier: Apache-2.0
import { type ModuleText, type Span, textOf } from "./module_text.ts";
import { perModule } from "./per_module.ts";

const cacheOf = perModule(() => new Map<string, string>());

/** Strings, aliases that are no dialect attributes, and blanks. */
const PIECES = /"(?:[^"\\]|\\.)*"|([#!])([A-Za-z_][\w$]*)(?![\w$.<])|\s+/g;

/** Aliases nest this deep at most; deeper ones are cycles. */
const MAXIMUM_DEPTH = 64;

/**
 * The text of a type or attribute with all aliases replaced by what they stand for and without blanks, so that two
 * spellings of the same thing compare equal. Memoised by text.
 */
export function canonicalText(module: ModuleText, span: Span): string {
  return canonical(module, textOf(module, span), cacheOf(module), 0);
}

/** Whether two spans spell the same type or attribute. */
export function sameText(module: ModuleText, a: Span, b: Span): boolean {
  const first = textOf(module, a);
  const second = textOf(module, b);
  if (first === second) return true;
  const cache = cacheOf(module);
  return canonical(module, first, cache, 0) === canonical(module, second, cache, 0);
}

function canonical(module: ModuleText, text: string, cache: Map<string, string>, depth: number): string {
  const cached = cache.get(text);
  if (cached !== undefined) return cached;
  const result = text.replace(PIECES, (whole, sigil: string | undefined, name: string | undefined) => {
    if (whole.startsWith('"')) return whole;
    if (sigil === undefined || name === undefined) return "";
    const definition = (sigil === "#" ? module.attributeAliases : module.typeAliases).get(name);
    if (definition === undefined || depth >= MAXIMUM_DEPTH) return whole;
    return canonical(module, textOf(module, definition.valueSpan), cache, depth + 1);
  });
  cache.set(text, result);
  return result;
}
