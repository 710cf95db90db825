// SPDX-License-Identifier: Apache-2.0
import type { AttributeDictionary, AttributeEntry, Span } from "./module_text.ts";
import { isDigit } from "./characters.ts";
import type { Scanner } from "./scanner.ts";
import { isTypeKeyword, skipType } from "./type_scanner.ts";

const NUMBER = /-?(?:0x[0-9A-Fa-f]+|[0-9]+(?:\.[0-9]*(?:[eE][-+]?[0-9]+)?)?)/y;

/** A dense array with its elements; every alternative starts differently, so matching is linear. */
const DENSE_ARRAY =
  /array<\s*(?:i(?:1|8|16|32|64)|f(?:32|64))\s*(?::\s*(?:true|false|-?[0-9][0-9.eE+-]*|-?0x[0-9A-Fa-f]+)\s*(?:,\s*(?:true|false|-?[0-9][0-9.eE+-]*|-?0x[0-9A-Fa-f]+)\s*)*)?>/y;

/** Characters from which on an integer may be out of the range of its type; types of fewer bits than 32 are flags. */
const LONG_NUMBER = 10;

/** A float as an element of a dense array. */
const FLOAT_ELEMENT = /-?[0-9]+(?:\.[0-9]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)/g;

const LONG_ELEMENT = /-?(?:0x[0-9A-Fa-f]{8,}|[0-9]{10,})/g;

/** Passes one attribute value and returns its span. */
export function skipAttribute(scanner: Scanner): Span {
  scanner.skipTrivia();
  const start = scanner.position;
  const next = scanner.peek();
  switch (next) {
    case '"':
      scanner.skipString();
      skipTypeSuffix(scanner);
      break;
    case "[":
      skipArray(scanner);
      break;
    case "{":
      skipDictionary(scanner);
      break;
    case "@":
      scanner.symbol();
      break;
    case "#":
      skipDialectAttribute(scanner);
      break;
    case "(":
    case "!":
      skipType(scanner);
      break;
    default:
      if (isDigit(next) || next === "-") skipNumber(scanner);
      else skipKeywordAttribute(scanner);
  }
  return scanner.spanFrom(start);
}

/** Passes `: type` when it stands here; leaves the position alone otherwise. */
function skipTypeSuffix(scanner: Scanner): void {
  const start = scanner.position;
  if (scanner.accept(":")) skipType(scanner);
  else scanner.position = start;
}

function skipNumber(scanner: Scanner): void {
  NUMBER.lastIndex = scanner.position;
  const found = NUMBER.exec(scanner.text);
  if (found === null) throw scanner.expected("a number after '-'");
  const start = scanner.position;
  scanner.position += found[0].length;
  const suffix = scanner.position;
  skipTypeSuffix(scanner);
  // A decimal that becomes infinite; infinities themselves are written as bit patterns.
  if (!Number.isFinite(Number(found[0].replace(/^-/, "")))) {
    throw scanner.error("parse/number-range", start, `${found[0]} is out of range for any float`);
  }
  if (found[0].length < LONG_NUMBER) return;
  const type = scanner.text.slice(suffix, scanner.position).replace(":", "").trim();
  const bits = type === "" || type === "index" ? 64 : Number(/^[su]?i(\d+)$/.exec(type)?.[1]);
  if (!Number.isNaN(bits)) requireWidth(scanner, start, found[0], bits);
}

/** @throws {DiagnosticError} for an integer that its type cannot hold, as MLIR refuses it */
function requireWidth(scanner: Scanner, at: number, digits: string, bits: number): void {
  if (!/^-?(?:\d+|0x[0-9A-Fa-f]+)$/.test(digits)) return;
  const magnitude = BigInt(digits.replace("-", ""));
  const most = digits.startsWith("-") ? 2n ** BigInt(bits - 1) : 2n ** BigInt(bits) - 1n;
  if (magnitude <= most) return;
  throw scanner.error("parse/integer-range", at, `${digits} is out of range for an integer of ${bits} bits`);
}

function skipArray(scanner: Scanner): void {
  scanner.enter();
  scanner.position++;
  if (!scanner.accept("]")) {
    do {
      skipAttribute(scanner);
    } while (scanner.accept(","));
    scanner.expect("]", "or ',' after an array element");
  }
  scanner.leave();
}

function skipDialectAttribute(scanner: Scanner): void {
  const start = scanner.position;
  const end = scanner.noteSigil(start);
  if (end === start + 1) throw scanner.expected("an attribute name after '#'", end);
  scanner.position = end;
  if (scanner.peek() === "<") {
    scanner.skipBalanced();
    skipTypeSuffix(scanner);
  }
}

function skipKeywordAttribute(scanner: Scanner): void {
  const start = scanner.position;
  const word = scanner.identifier();
  switch (word) {
    case "true":
    case "false":
    case "unit":
      return;
    case "array":
      skipDenseArray(scanner, start);
      return;
    case "dense":
    case "dense_resource":
    case "sparse":
    case "opaque":
    case "strided":
      skipAngleBody(scanner, word);
      skipTypeSuffix(scanner);
      return;
    case "distinct":
      if (scanner.peek() === "[") scanner.skipBalanced();
      skipAngleBody(scanner, word);
      return;
    case "affine_map":
    case "affine_set":
      skipAngleBody(scanner, word);
      return;
    case "loc":
      if (scanner.peek() !== "(") throw scanner.expected("'(' after 'loc'");
      scanner.skipBalanced();
      return;
    default:
      scanner.position = start;
      if (isTypeKeyword(word)) skipType(scanner);
      else throw scanner.expected("an attribute value");
  }
}

function skipDenseArray(scanner: Scanner, start: number): void {
  skipAngleBody(scanner, "array");
  DENSE_ARRAY.lastIndex = start;
  if (DENSE_ARRAY.test(scanner.text)) {
    checkElements(scanner, start, scanner.text.slice(start, DENSE_ARRAY.lastIndex));
    return;
  }
  throw scanner.error(
    "parse/dense-array",
    start,
    "malformed dense array; expected 'array<i64: 1, 2>' with elements of i1, i8, i16, i32, i64, f32 or f64",
  );
}

/** Checks the long elements of a dense array of integers. */
function checkElements(scanner: Scanner, start: number, text: string): void {
  const bits = /^array<\s*i(\d+)/.exec(text)?.[1];
  for (const { 0: literal, index } of text.matchAll(FLOAT_ELEMENT)) {
    if (bits === undefined && Number.isFinite(Number(literal))) continue;
    const reason = bits === undefined ? "out of range for any float" : `no integer of ${bits} bits`;
    throw scanner.error("parse/number-range", start + index, `${literal} is ${reason}`);
  }
  if (bits === undefined) return;
  for (const { 0: digits, index } of text.matchAll(LONG_ELEMENT)) {
    requireWidth(scanner, start + index, digits, Number(bits));
  }
}

function skipAngleBody(scanner: Scanner, word: string): void {
  if (scanner.peek() !== "<") throw scanner.expected(`'<' after '${word}'`);
  scanner.skipBalanced();
}

/** Passes a `{…}` dictionary and returns its entries. */
export function skipDictionary(scanner: Scanner): AttributeDictionary {
  scanner.skipTrivia();
  const start = scanner.position;
  scanner.expect("{", "of an attribute dictionary");
  scanner.enter();
  const entries = skipEntries(scanner);
  scanner.expect("}", "or ',' after an attribute");
  scanner.leave();
  return { span: scanner.spanFrom(start), entries };
}

/** Passes a `<{…}>` property dictionary and returns its entries. */
export function skipProperties(scanner: Scanner): AttributeDictionary {
  const start = scanner.position;
  scanner.expect("<", "of a property dictionary");
  const { entries } = skipDictionary(scanner);
  scanner.expect(">", "after the property dictionary");
  return { span: scanner.spanFrom(start), entries };
}

function skipEntries(scanner: Scanner): AttributeEntry[] {
  scanner.skipTrivia();
  if (scanner.text.startsWith("}", scanner.position)) return [];
  const entries = new Map<string, AttributeEntry>();
  do {
    const entry = skipEntry(scanner);
    const { key, span } = entry;
    if (entries.has(key)) {
      throw scanner.error(
        "parse/duplicate-attribute",
        span.start,
        `attribute '${key}' is given twice; keep one`,
      );
    }
    entries.set(key, entry);
  } while (scanner.accept(","));
  return [...entries.values()];
}

function skipEntry(scanner: Scanner): AttributeEntry {
  scanner.skipTrivia();
  const start = scanner.position;
  const key = scanner.peek() === '"' ? scanner.stringLiteral() : scanner.identifier();
  if (key === "") throw scanner.expected("an attribute name");
  const keyEnd = scanner.position;
  let valueSpan: Span | undefined;
  if (scanner.accept("=")) valueSpan = skipAttribute(scanner);
  else scanner.position = keyEnd;
  return { key, span: scanner.spanFrom(start), valueSpan };
}
