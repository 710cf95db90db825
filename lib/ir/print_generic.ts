// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { attributeText, dictionaryText } from "./attribute_text.ts";
import { presentName } from "./custom_forms.ts";
import {
  type AttributeDictionary,
  type ModuleText,
  type Operation,
  type Span,
  textOf,
} from "./module_text.ts";
import { applyPatches, type Patch } from "./patch.ts";
import { escapeString } from "./string_literal.ts";

/** Ops whose region must hold a block, even an empty one. */
const NEEDS_BLOCK: ReadonlySet<string> = new Set(["builtin.module"]);

/**
 * Prints a module with every custom form that we understand rewritten to the generic form, which
 * `mlir-opt --allow-unregistered-dialect` accepts for any dialect. Everything else is left as it is; ops in custom
 * forms that we do not understand too, which `mlir-opt` reads when it knows their dialect (LLVM, arith, scf, …).
 *
 * @example
 * ```ts
 * import { parseModule } from "@tilewright/tilewright";
 * import { printGeneric } from "@tilewright/tilewright/ir";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const module = parseModule("module {\n}\n", "empty.mlir");
 * assertStringIncludes(printGeneric(module), `"builtin.module"()`);
 * ```
 */
export function printGeneric(module: ModuleText): string {
  const patches: Patch[] = [];
  for (const operation of module.operations) {
    if (operation.form === "custom") addPatches(module, operation, patches);
  }
  return applyPatches(module.text, patches);
}

function addPatches(module: ModuleText, operation: Operation, patches: Patch[]): void {
  const start = operation.nameSpan.start;
  const end = operation.location === undefined
    ? operation.span.end
    : endBefore(module, operation.location.start);
  const head = headText(module, operation);
  const tail = tailText(module, operation);
  const [region] = operation.regions;
  if (region === undefined) {
    const body = operation.name === "func.func" ? " ({})" : "";
    patches.push({ start, end, text: `${head}${body}${tail}` });
    return;
  }
  const entry = entryLabel(module, operation);
  const isEmpty = region.blocks.length === 0 && NEEDS_BLOCK.has(operation.name);
  const label = entry ?? (isEmpty ? "^bb0:" : undefined);
  const open = label === undefined ? "{" : `{\n${label}${isEmpty ? "\n" : ""}`;
  patches.push({ start, end: region.span.start + 1, text: `${head} (${open}` });
  patches.push({ start: region.span.end, end, text: `)${tail}` });
}

/** The end of the text before an offset, without blanks. */
function endBefore(module: ModuleText, offset: number): number {
  let end = offset;
  while (/\s/.test(module.text.charAt(end - 1))) end--;
  return end;
}

/** `"name"(operands) <{properties}>`. */
function headText(module: ModuleText, operation: Operation): string {
  const operands = operation.operands.map((operand) => textOf(module, operand.span)).join(", ");
  const properties = new Map(operation.syntaxAttributes);
  addSignature(module, operation, properties);
  const entries = [...properties].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const text = entries.length === 0 ? "" : ` <${dictionaryText(entries)}>`;
  // The dialect `tt` keeps the name that the text uses; names without a dialect get one.
  const word = textOf(module, operation.nameSpan);
  const name = presentName(word) === operation.name ? word : operation.name;
  return `"${escapeString(name)}"(${operands})${text}`;
}

/** ` {attributes} : (types) -> types`. */
function tailText(module: ModuleText, operation: Operation): string {
  const attributes = operation.attributes === undefined || operation.attributes.entries.length === 0
    ? ""
    : ` ${textOf(module, operation.attributes.span)}`;
  const operandTypes = operation.operandTypes ?? [];
  return `${attributes} : ${typeListText(module, operandTypes)} -> ${
    resultTypesText(module, operation.resultTypes ?? [])
  }`;
}

function typeListText(module: ModuleText, types: readonly Span[]): string {
  return `(${types.map((type) => textOf(module, type)).join(", ")})`;
}

function resultTypesText(module: ModuleText, types: readonly Span[]): string {
  const [first, ...rest] = types;
  const single = first === undefined || rest.length > 0 ? undefined : textOf(module, first);
  return single === undefined || single.startsWith("(") ? typeListText(module, types) : single;
}

/** Adds a function's signature in generic form: its type, and the attributes of arguments and results. */
function addSignature(module: ModuleText, operation: Operation, properties: Map<string, Attribute>): void {
  const { signature } = operation;
  if (signature === undefined) return;
  const resultTypes = signature.results.map((result) => result.type);
  properties.set("function_type", {
    kind: "type",
    text: `${typeListText(module, signature.argumentTypes)} -> ${resultTypesText(module, resultTypes)}`,
  });
  addDictionaries(module, properties, "arg_attrs", signature.argumentAttributes);
  addDictionaries(module, properties, "res_attrs", signature.results.map((result) => result.attributes));
}

function addDictionaries(
  module: ModuleText,
  properties: Map<string, Attribute>,
  key: string,
  dictionaries: readonly (AttributeDictionary | undefined)[],
): void {
  if (dictionaries.every((dictionary) => (dictionary?.entries.length ?? 0) === 0)) return;
  const elements = dictionaries.map((dictionary): Attribute => ({
    kind: "opaque",
    text: dictionary === undefined ? "{}" : textOf(module, dictionary.span),
  }));
  properties.set(key, { kind: "opaque", text: attributeText({ kind: "array", elements }) });
}

/** `^bb0(%arg0: T loc(…), …):` for the entry block of a function with arguments. */
function entryLabel(module: ModuleText, operation: Operation): string | undefined {
  const entry = operation.regions[0]?.blocks[0];
  if (operation.signature === undefined || entry === undefined || entry.arguments.length === 0) {
    return undefined;
  }
  const names = entry.arguments.map(({ value, location }) => {
    const type = value.type === undefined ? "" : textOf(module, value.type);
    return `${value.name}: ${type}${location === undefined ? "" : ` ${textOf(module, location)}`}`;
  });
  return `^bb0(${names.join(", ")}):`;
}
