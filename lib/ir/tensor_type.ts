// SPDX-License-Identifier: Apache-2.0
import { splitTopLevel } from "./balanced.ts";
import { errorIn, type ModuleText, type Span, textOf, type Value } from "./module_text.ts";
import { perModule } from "./per_module.ts";

/** Extent of a dynamic dimension (`?`). */
export const DYNAMIC: -1 = -1;

/** A ranked tensor type. */
export interface TensorType {
  /** Extents, outermost first; {@linkcode DYNAMIC} for `?`; `[]` for a scalar tensor. */
  readonly shape: readonly number[];
  /** Source text of the element type: `bf16`, `!ttcore.tile<32x32, bfp_bf8>`. */
  readonly elementType: string;
  /** Source text of the encoding, `#ttnn_layout3` or an inline attribute; `undefined` without one. */
  readonly encoding: string | undefined;
}

const parsedOf = perModule(() => new Map<string, TensorType | undefined>());

/**
 * Parses the type at a span as a ranked tensor; `undefined` when it is another type. Type aliases are followed,
 * also of the element.
 * Memoised by text.
 *
 * @throws {DiagnosticError} when the shape of a tensor type is malformed
 */
export function tensorTypeAt(module: ModuleText, span: Span): TensorType | undefined {
  const parsed = parsedOf(module);
  const text = textOf(module, span);
  const cached = parsed.get(text);
  if (cached !== undefined || parsed.has(text)) return cached;
  const written = parseTensorType(typeText(module, text));
  const type = typeof written === "object" && written.elementType.startsWith("!")
    ? { ...written, elementType: typeText(module, written.elementType) }
    : written;
  if (type === "malformed") {
    throw errorIn(
      module,
      "parse/tensor-type",
      span.start,
      `malformed tensor type '${text}'; expected 'tensor<4x32xbf16>' or 'tensor<4x32xbf16, #layout>'`,
    );
  }
  parsed.set(text, type);
  return type;
}

/**
 * The tensor type of a value; `undefined` when it has another type or none that we know.
 *
 * @example
 * ```ts
 * import { parseModule } from "@tilewright/tilewright";
 * import { tensorTypeOf } from "@tilewright/tilewright/ir";
 * import { assertEquals } from "@std/assert";
 *
 * const module = parseModule(`%0 = "test.a"() : () -> tensor<4x?xbf16>\n`, "a.mlir");
 * const value = module.operations[0]?.results[0];
 * assertEquals(value && tensorTypeOf(module, value)?.shape, [4, -1]);
 * ```
 */
export function tensorTypeOf(module: ModuleText, value: Value): TensorType | undefined {
  return value.type === undefined ? undefined : tensorTypeAt(module, value.type);
}

/** The text of a type with a leading type alias replaced by what it stands for. */
export function typeText(module: ModuleText, text: string): string {
  return withoutAlias(module, "!", text);
}

/** A text with a leading alias of an attribute or type replaced by what it stands for. */
export function withoutAlias(module: ModuleText, sigil: "#" | "!", text: string): string {
  const aliases = sigil === "!" ? module.typeAliases : module.attributeAliases;
  let current = text;
  // An alias may name an alias, each at most once but in a cycle.
  for (let step = 0; step < aliases.size; step++) {
    const definition = current.startsWith(sigil) ? aliases.get(current.slice(1)) : undefined;
    if (definition === undefined) return current;
    current = textOf(module, definition.valueSpan);
  }
  return current;
}

/** Parses the text of a ranked tensor type; `undefined` when it is another type. */
function parseTensorType(text: string): TensorType | undefined | "malformed" {
  const body = /^tensor\s*<([^]*)>$/.exec(text)?.[1];
  if (body === undefined) return undefined;
  const shape: number[] = [];
  const extent = /\s*(\d+|\?|\*)\s*x/y;
  for (let offset = 0;; offset = extent.lastIndex) {
    const element = elementAt(body, offset);
    if (element !== undefined) return { shape, ...element };
    const found = extent.exec(body);
    if (found === null) return "malformed";
    if (found[1] === "*") return undefined;
    shape.push(found[1] === "?" ? DYNAMIC : Number(found[1]));
  }
}

/** The element type and encoding that start at an offset, or `undefined` when another extent starts there. */
function elementAt(
  body: string,
  offset: number,
): { readonly elementType: string; readonly encoding: string | undefined } | undefined {
  const rest = body.slice(offset).trim();
  if (!/^[A-Za-z_!(]/.test(rest)) return undefined;
  const [elementType, ...encoding] = splitTopLevel(rest, ",");
  if (elementType === undefined || encoding.length > 1) return undefined;
  return { elementType, encoding: encoding[0] };
}
