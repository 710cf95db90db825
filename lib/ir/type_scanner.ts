// SPDX-License-Identifier: Apache-2.0
import { exact } from "./exact.ts";
import type { Span } from "./module_text.ts";
import type { Scanner } from "./scanner.ts";

/** Builtin types that carry a body in angle brackets. */
const PARAMETRIC_TYPES: ReadonlySet<string> = new Set(["tensor", "memref", "vector", "tuple", "complex"]);
const SIMPLE_TYPE = /^(?:(?:i|si|ui)[0-9]+|index|none|bf16|tf32|f[0-9]+(?:[A-Z][A-Za-z0-9]*)?)$/;

/** Largest count whose bits can be counted exactly; no chip holds a thousandth of it. */
const MOST_ELEMENTS = 2 ** 47;

/** Extents, then an element type: a dialect type or a keyword. */
const TENSOR_BODY = /<\s*(?:(?:\d+|\?|\*)\s*x\s*)*(?:!|([A-Za-z]\w*))/y;

/** Whether a bare word is the name of a builtin type. */
export function isTypeKeyword(word: string): boolean {
  return PARAMETRIC_TYPES.has(word) || SIMPLE_TYPE.test(word);
}

/**
 * Passes one type and returns its span: `tensor<…>` and friends, `i32`, `!dialect.name<…>`, `!alias`, and function
 * types `(T, …) -> T`.
 *
 * @throws {DiagnosticError} at what is not a type; a dialect type's body is only checked for balance
 */
export function skipType(scanner: Scanner): Span {
  scanner.skipTrivia();
  const start = scanner.position;
  const next = scanner.peek();
  if (next === "!") {
    skipSigilType(scanner);
  } else if (next === "(") {
    scanner.enter();
    skipTypeList(scanner);
    scanner.expect("->", "of a function type");
    skipResultTypes(scanner);
    scanner.leave();
  } else {
    skipNamedType(scanner, start);
  }
  return scanner.spanFrom(start);
}

function skipNamedType(scanner: Scanner, start: number): void {
  const word = scanner.identifier();
  if (!isTypeKeyword(word)) {
    scanner.position = start;
    throw scanner.expected("a type such as 'tensor<32x32xbf16>'", start);
  }
  if (PARAMETRIC_TYPES.has(word)) {
    if (scanner.peek() !== "<") throw scanner.expected(`'<' after '${word}'`);
    if (word === "tensor") checkTensorBody(scanner);
    scanner.skipBalanced();
  }
}

/** Checks extents and element of a tensor type at its `<`, so that errors in shapes are found at once. */
function checkTensorBody(scanner: Scanner): void {
  TENSOR_BODY.lastIndex = scanner.position;
  const found = TENSOR_BODY.exec(scanner.text);
  if (found !== null && (found[1] === undefined || isTypeKeyword(found[1]))) {
    const extents = found[0].match(/\d+(?=\s*x)/g) ?? [];
    if (extents.reduce((elements, extent) => elements * Math.max(1, Number(extent)), 1) <= MOST_ELEMENTS) {
      return;
    }
    throw scanner.error(
      "parse/tensor-size",
      scanner.position,
      "a tensor of so many elements cannot exist; its extents are damaged",
    );
  }
  const fault = found?.[1] === undefined ? "" : ` '${found[1]}' is not an element type;`;
  throw scanner.error(
    "parse/tensor-type",
    scanner.position,
    `malformed tensor type;${fault} expected extents and an element type, as in 'tensor<4x32xbf16>'`,
  );
}

function skipSigilType(scanner: Scanner): void {
  const start = scanner.position;
  const end = scanner.noteSigil(start);
  if (end === start + 1) throw scanner.expected("a type name after '!'", end);
  scanner.position = end;
  if (scanner.peek() === "<") scanner.skipBalanced();
}

/** Passes `(T, …)` and returns the spans of its types. */
export function skipTypeList(scanner: Scanner): Span[] {
  scanner.expect("(", "before a list of types");
  if (scanner.accept(")")) return [];
  const types = skipBareTypeList(scanner);
  scanner.expect(")", "or ',' after a type");
  return types;
}

/** Passes the results of a function type, `T` or `(T, …)`, and returns the spans of its types. */
export function skipResultTypes(scanner: Scanner): Span[] {
  scanner.skipTrivia();
  if (scanner.peek() !== "(") return [skipType(scanner)];
  // `(A) -> B` as the only result is a function type in itself; MLIR wants it in parentheses, so `(` opens a list.
  return skipTypeList(scanner);
}

/** Passes `T, …` without parentheses and returns the spans of its types. */
export function skipBareTypeList(scanner: Scanner): Span[] {
  const types = [skipType(scanner)];
  while (scanner.accept(",")) types.push(skipType(scanner));
  return exact(types);
}
