// SPDX-License-Identifier: Apache-2.0
import { AT, OPEN_BRACE } from "./characters.ts";
import type { Attribute } from "./attribute.ts";
import { skipDictionary } from "./attribute_scanner.ts";
import type { Operand, Operation, Span } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import type { Scanner } from "./scanner.ts";
import type { Mutable } from "./value_scopes.ts";

/**
 * Parses what follows the name of an op into the op. Returns `false`, without having resolved any use, when the text is
 * a variant that we do not understand; the op is then carried as opaque.
 */
export type FormParser = (parser: OperationParser, operation: Mutable<Operation>) => boolean;

/** Passes an attribute dictionary when one stands here. */
export function optionalDictionary(scanner: Scanner, operation: Mutable<Operation>): void {
  scanner.skipTrivia();
  if (scanner.peek() === OPEN_BRACE) operation.attributes = skipDictionary(scanner);
}

/** Passes `@name` and returns it. */
export function expectSymbol(scanner: Scanner, operation: Operation): string {
  scanner.skipTrivia();
  if (scanner.peek() !== AT) throw scanner.expected(`a symbol '@name' for '${operation.name}'`);
  return scanner.symbol();
}

/** Sets what the form spells by syntax. */
export function setSyntaxAttributes(
  operation: Mutable<Operation>,
  ...entries: readonly [string, Attribute][]
): void {
  operation.syntaxAttributes = new Map(entries);
}

/** Sets operands and their types, which must be equally many. */
export function setOperands(
  parser: OperationParser,
  operation: Mutable<Operation>,
  operands: Operand[],
  operandTypes: Span[],
  start: number,
): void {
  operation.operands = operands;
  operation.operandTypes = operandTypes;
  parser.checkOperandCount(operation, start);
}

/** Passes `(attributes {…})? {…}`, the region of a module-like op. */
export function parseIsolatedRegion(parser: OperationParser, operation: Mutable<Operation>): void {
  if (parser.scanner.acceptKeyword("attributes")) operation.attributes = skipDictionary(parser.scanner);
  operation.regions = [
    parser.parseRegion(operation, { isolated: true, lenient: false, entryArguments: [] }),
  ];
  operation.operandTypes = [];
  operation.resultTypes = [];
}

/** `(%a, %b) {…}? : (T, T) -> T`. */
export function parseOperandsAndFunctionType(
  parser: OperationParser,
  operation: Mutable<Operation>,
): boolean {
  const { scanner } = parser;
  scanner.expect("(", `of the operands of '${operation.name}'`);
  const start = scanner.position;
  operation.operands = parser.parseOperandList(")");
  operation.operandsSpan = { start, end: scanner.position };
  scanner.expect(")", "or ',' after an operand");
  optionalDictionary(scanner, operation);
  scanner.expect(":", `and the type of '${operation.name}'`);
  parser.parseFunctionType(operation);
  return true;
}
