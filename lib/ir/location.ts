// SPDX-License-Identifier: Apache-2.0
import { type ModuleText, type Span, textOf } from "./module_text.ts";
import { perModule } from "./per_module.ts";
import { unescapeString } from "./string_literal.ts";

/** Resolved locations are cut here; `fused` and `callsite` chains can grow without bound. */
const MAXIMUM_LENGTH = 4096;

/** Resolved text by name of the alias. */
const textsOf = perModule(() => new Map<string, string>());

/**
 * The text inside `loc(…)` with the aliases in it replaced by what they stand for, for example `"add_1"("x.py":3:1)`.
 * `""` for no location. Texts beyond 4096 characters are cut.
 */
export function locationText(module: ModuleText, location: Span | undefined): string {
  return location === undefined ? "" : resolvedLocation(module, textOf(module, location));
}

/** Like {@linkcode locationText}, of a location as printed. */
export function resolvedLocation(module: ModuleText, printed: string): string {
  return expand(module, insideOf(printed), textsOf(module), 0);
}

/**
 * The first name in a location (`loc("add_1"(…))`, inside `fused` and `callsite` as well); `""` when there is none.
 *
 * @param location as printed, or where it is printed
 */
export function locationName(module: ModuleText, location: Span | string | undefined): string {
  const text = typeof location === "string"
    ? resolvedLocation(module, location)
    : locationText(module, location);
  for (const [whole, body] of text.matchAll(/"((?:[^"\\]|\\.)*)"(?!\s*:\s*\d)/g)) {
    if (whole !== "") return unescapeString(body ?? "");
  }
  return "";
}

function insideOf(text: string): string {
  return text.startsWith("loc(") ? text.slice(4, -1).trim() : text;
}

function expand(module: ModuleText, text: string, texts: Map<string, string>, depth: number): string {
  if (!text.includes("#") || depth > 64) return text;
  const expanded = text.replace(
    /"(?:[^"\\]|\\.)*"|#([A-Za-z_][\w$]*)(?![\w$.<])/g,
    (whole, name: string | undefined) => {
      if (name === undefined) return whole;
      const cached = texts.get(name);
      if (cached !== undefined) return cached;
      const definition = module.attributeAliases.get(name);
      if (definition === undefined) return whole;
      const resolved = expand(module, insideOf(textOf(module, definition.valueSpan)), texts, depth + 1);
      texts.set(name, resolved);
      return resolved;
    },
  );
  return expanded.length > MAXIMUM_LENGTH ? `${expanded.slice(0, MAXIMUM_LENGTH)}…` : expanded;
}
