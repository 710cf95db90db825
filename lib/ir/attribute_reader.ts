// SPDX-License-Identifier: Apache-2.0
import type { Attribute, AttributeMap } from "./attribute.ts";
import { skipAttribute, skipDictionary } from "./attribute_scanner.ts";
import {
  type AttributeDictionary,
  errorIn,
  type ModuleText,
  type Operation,
  type Span,
  textOf,
} from "./module_text.ts";
import { perModule } from "./per_module.ts";
import { isDigit } from "./characters.ts";
import { MAXIMUM_NESTING, Scanner, scannerAt } from "./scanner.ts";
import { isTypeKeyword } from "./type_scanner.ts";

/** Evaluated attributes of a module; they never change, so none is evaluated twice. */
interface Evaluated {
  readonly aliases: Map<string, Attribute>;
  /** By id of the op. */
  readonly maps: AttributeMap[];
  /**
   * Maps of ops that spell no attribute by syntax, by the text of their dictionaries: ops of repeated layers say the
   * same.
   */
  readonly byText: Map<string, AttributeMap>;
  /** Aliases that are being resolved, to catch cycles. */
  readonly resolving: Set<string>;
}

const evaluatedOf = perModule((): Evaluated => ({
  aliases: new Map(),
  maps: [],
  byText: new Map(),
  resolving: new Set(),
}));

/**
 * All attributes of an op: inherent properties, what the custom form spells by syntax, and the attribute dictionary.
 * Aliases are resolved. Memoised; ops with the same text of attributes share one map.
 *
 * @throws {DiagnosticError} when an attribute value is malformed
 */
export function attributeMap(module: ModuleText, operation: Operation): AttributeMap {
  const { maps, byText } = evaluatedOf(module);
  const read = (): AttributeMap => readAttributeMap(module, operation);
  return maps[operation.id] ??= operation.syntaxAttributes.size > 0
    ? read()
    : byText.getOrInsertComputed(dictionaryTexts(module, operation), read);
}

/** Properties and attributes of an op as one text; brackets `<>` distinguish them. */
function dictionaryTexts(module: ModuleText, { properties, attributes }: Operation): string {
  return [properties, attributes].map((given) => given === undefined ? "" : textOf(module, given.span)).join(
    "",
  );
}

function readAttributeMap(module: ModuleText, operation: Operation): AttributeMap {
  const map = new Map<string, Attribute>(operation.syntaxAttributes);
  addEntries(module, operation.attributes, map);
  // Inherent attributes win over discardable ones of the same name, as in MLIR.
  addEntries(module, operation.properties, map);
  return map;
}

/**
 * One attribute of an op, or `undefined`. See {@linkcode attributeMap}.
 *
 * @example
 * ```ts
 * import { parseModule } from "@tilewright/tilewright";
 * import { attributeOf } from "@tilewright/tilewright/ir";
 * import { assertEquals } from "@std/assert";
 *
 * const module = parseModule(`#n = 4 : i32\n"test.a"() <{size = #n}> : () -> ()\n`, "a.mlir");
 * const [operation] = module.operations;
 * assertEquals(operation && attributeOf(module, operation, "size"), { kind: "integer", value: 4n, type: "i32" });
 * ```
 */
export function attributeOf(module: ModuleText, operation: Operation, key: string): Attribute | undefined {
  return attributeMap(module, operation).get(key);
}

/** The attributes of a dictionary, aliases resolved; empty for `undefined`. Not memoised. */
export function dictionaryMap(module: ModuleText, dictionary: AttributeDictionary | undefined): AttributeMap {
  const map = new Map<string, Attribute>();
  addEntries(module, dictionary, map);
  return map;
}

function addEntries(
  module: ModuleText,
  dictionary: AttributeDictionary | undefined,
  map: Map<string, Attribute>,
): void {
  for (const { key, valueSpan } of dictionary?.entries ?? []) {
    map.set(key, valueSpan === undefined ? { kind: "unit" } : readAttribute(module, valueSpan));
  }
}

/** Evaluates the attribute at a span of the module's text, aliases resolved. */
export function readAttribute(module: ModuleText, span: Span): Attribute {
  return evaluate(scannerAt(module, span.start), module);
}

/**
 * Evaluates the text of an attribute that stands alone, for example the body of a dialect attribute.
 *
 * @param module module whose aliases the text may use
 */
export function readAttributeText(module: ModuleText, text: string): Attribute {
  return evaluate(new Scanner(text, module.fileName), module);
}

/**
 * The attribute that an alias stands for, or `undefined` when the module does not define it. Memoised.
 *
 * @param name without `#`
 * @throws {DiagnosticError} when the alias refers to itself, or to others that nest too deeply
 */
export function resolveAlias(module: ModuleText, name: string): Attribute | undefined {
  const { aliases, resolving } = evaluatedOf(module);
  const cached = aliases.get(name);
  if (cached !== undefined) return cached;
  const definition = module.attributeAliases.get(name);
  if (definition === undefined) return undefined;
  const { start } = definition.span;
  if (resolving.has(name)) {
    const message = `alias '#${name}' refers to itself; give it a value`;
    throw errorIn(module, "parse/alias-cycle", start, message);
  }
  if (resolving.size >= MAXIMUM_NESTING) {
    const chain = `alias '#${name}' ends a chain of more than ${MAXIMUM_NESTING} aliases`;
    throw errorIn(module, "parse/nesting-too-deep", start, `${chain}; write the value where it is used`);
  }
  resolving.add(name);
  try {
    const attribute = readAttribute(module, definition.valueSpan);
    aliases.set(name, attribute);
    return attribute;
  } finally {
    resolving.delete(name);
  }
}

function evaluate(scanner: Scanner, module: ModuleText): Attribute {
  scanner.skipTrivia();
  const next = scanner.peek();
  switch (next) {
    case '"': {
      const value = scanner.stringLiteral();
      return { kind: "string", value };
    }
    case "[":
      return evaluateArray(scanner, module);
    case "{":
      return { kind: "dictionary", entries: evaluateDictionary(scanner, module) };
    case "@":
      return { kind: "symbol", name: scanner.symbol() };
    case "#":
      return evaluateDialectAttribute(scanner, module);
    case "(":
    case "!":
      return { kind: "type", text: sliceAttribute(scanner) };
    default:
      if (isDigit(next) || next === "-") return readNumber(sliceAttribute(scanner));
      return evaluateKeyword(scanner);
  }
}

function sliceAttribute(scanner: Scanner): string {
  const { start, end } = skipAttribute(scanner);
  return scanner.text.slice(start, end);
}

function evaluateArray(scanner: Scanner, module: ModuleText): Attribute {
  const elements: Attribute[] = [];
  scanner.position++;
  if (!scanner.accept("]")) {
    do {
      scanner.skipTrivia();
      const start = scanner.position;
      elements.push(evaluate(scanner, module));
      // Evaluation may stop before a type suffix; scanning from the start always ends behind it.
      scanner.position = start;
      skipAttribute(scanner);
    } while (scanner.accept(","));
    scanner.expect("]", "or ',' after an array element");
  }
  return { kind: "array", elements };
}

function evaluateDictionary(scanner: Scanner, module: ModuleText): AttributeMap {
  const map = new Map<string, Attribute>();
  for (const { key, valueSpan } of skipDictionary(scanner).entries) {
    if (valueSpan === undefined) {
      map.set(key, { kind: "unit" });
      continue;
    }
    const end = scanner.position;
    scanner.position = valueSpan.start;
    map.set(key, evaluate(scanner, module));
    scanner.position = end;
  }
  return map;
}

function evaluateDialectAttribute(scanner: Scanner, module: ModuleText): Attribute {
  const start = scanner.position;
  const text = sliceAttribute(scanner);
  const name = /^#([A-Za-z_][\w$]*)$/.exec(text)?.[1];
  if (name !== undefined) {
    const attribute = resolveAlias(module, name);
    if (attribute !== undefined) return attribute;
    throw scanner.error("parse/undefined-alias", start, `undefined alias '#${name}'; add its definition`);
  }
  return readDialectAttribute(text) ?? { kind: "opaque", text };
}

/** Takes `#dialect.mnemonic<body>` or `#dialect<mnemonic body>` apart; `undefined` for anything else. */
function readDialectAttribute(text: string): Attribute | undefined {
  const head = /^#([A-Za-z_][\w$]*)(?:\.([\w$.]+))?/.exec(text);
  const dialect = head?.[1];
  if (head === null || dialect === undefined) return undefined;
  const bodyStart = head[0].length;
  if (bodyStart === text.length) return { kind: "dialect", dialect, mnemonic: head[2] ?? "", body: "" };
  if (!text.endsWith(">")) return undefined;
  const body = text.slice(bodyStart + 1, -1);
  if (head[2] !== undefined) return { kind: "dialect", dialect, mnemonic: head[2], body };
  const mnemonic = /^\s*([A-Za-z_][\w$.]*)\s*/.exec(body);
  if (mnemonic?.[1] === undefined) return undefined;
  return { kind: "dialect", dialect, mnemonic: mnemonic[1], body: body.slice(mnemonic[0].length) };
}

function evaluateKeyword(scanner: Scanner): Attribute {
  const text = sliceAttribute(scanner);
  if (text === "true" || text === "false") return { kind: "bool", value: text === "true" };
  if (text === "unit") return { kind: "unit" };
  if (text.startsWith("array<")) return readDenseArray(text) ?? { kind: "opaque", text };
  if (isTypeKeyword(/^[\w$.]+/.exec(text)?.[0] ?? "")) return { kind: "type", text };
  return { kind: "opaque", text };
}

function readDenseArray(text: string): Attribute | undefined {
  const parts = /^array<\s*([a-z0-9]+)\s*(?::([^>]*))?>$/i.exec(text);
  const elementType = parts?.[1];
  if (elementType === undefined) return undefined;
  const values: number[] = [];
  const list = parts?.[2]?.trim() ?? "";
  for (const item of list === "" ? [] : list.split(",")) {
    const word = item.trim();
    const value = word === "true" ? 1 : word === "false" ? 0 : Number(word);
    if (word === "" || Number.isNaN(value)) return undefined;
    values.push(value);
  }
  return { kind: "denseArray", elementType, values };
}

function readNumber(text: string): Attribute {
  const colon = text.indexOf(":");
  const literal = (colon === -1 ? text : text.slice(0, colon)).trim();
  const type = colon === -1 ? undefined : text.slice(colon + 1).trim();
  const isFloatType = type !== undefined && /^(?:b?f|tf)[0-9]/.test(type);
  if (/^-?0x/i.test(literal)) {
    const magnitude = BigInt(literal.replace("-", ""));
    if (isFloatType) return { kind: "float", value: floatFromBits(magnitude, type), type };
    return { kind: "integer", value: literal.startsWith("-") ? -magnitude : magnitude, type };
  }
  if (isFloatType || /[.eE]/.test(literal)) return { kind: "float", value: Number(literal), type };
  return { kind: "integer", value: BigInt(literal), type };
}

/** The float whose bit pattern a hexadecimal literal spells (MLIR language reference, "Float attributes"). */
export function floatFromBits(bits: bigint, type: string): number {
  const view = new DataView(new ArrayBuffer(8));
  if (type === "f64") {
    view.setBigUint64(0, BigInt.asUintN(64, bits));
    return view.getFloat64(0);
  }
  if (type === "f16") {
    view.setUint16(0, Number(BigInt.asUintN(16, bits)));
    return view.getFloat16(0);
  }
  view.setUint32(0, Number(BigInt.asUintN(32, type === "bf16" ? bits << 16n : bits)));
  return view.getFloat32(0);
}
