// SPDX-License-Identifier: Apache-2.0
import { AT, LESS, PERCENT } from "./characters.ts";
import { skipBareTypeList, skipType } from "./type_scanner.ts";
import type { Operation } from "./module_text.ts";
import {
  expectSymbol,
  optionalDictionary,
  parseIsolatedRegion,
  parseOperandsAndFunctionType,
  setOperands,
  setSyntaxAttributes,
} from "./form_helpers.ts";
import type { OperationParser } from "./operation_parser.ts";
import type { Mutable } from "./value_scopes.ts";

/** `module @name? (attributes {…})? {…}`. */
export function parseModuleForm(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  scanner.skipTrivia();
  if (scanner.peek() === AT) {
    setSyntaxAttributes(operation, ["sym_name", { kind: "string", value: scanner.symbol() }]);
  }
  parseIsolatedRegion(parser, operation);
  return true;
}

/** `return (%a, %b : T, T)?`. */
export function parseReturn(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const end = scanner.position;
  operation.resultTypes = [];
  operation.operandTypes = [];
  operation.operandsSpan = { start: end, end };
  optionalDictionary(scanner, operation);
  if (operation.attributes === undefined) scanner.position = end;
  const before = scanner.position;
  scanner.skipTrivia();
  // An op of the next line may start with `%` too, but then its names are followed by `=`, never by a type.
  if (scanner.peek() !== PERCENT) {
    scanner.position = before;
    return true;
  }
  const start = scanner.position;
  const operands = parser.parseOperandList("}");
  operation.operandsSpan = { start, end: scanner.position };
  scanner.expect(":", "and the types of the returned values");
  setOperands(parser, operation, operands, skipBareTypeList(scanner), start);
  return true;
}

/** `call @f(%a) {…}? : (T) -> T`. */
export function parseCall(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  setSyntaxAttributes(operation, ["callee", { kind: "symbol", name: expectSymbol(scanner, operation) }]);
  return parseOperandsAndFunctionType(parser, operation);
}

/** `arith.constant {…}? dense<…> : T`; scalars stay opaque: no tensor op reads them. */
export function parseConstant(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const end = scanner.position;
  optionalDictionary(scanner, operation);
  scanner.skipTrivia();
  const start = scanner.position;
  const word = scanner.identifier();
  if ((word !== "dense" && word !== "dense_resource") || scanner.peek() !== LESS) {
    operation.attributes = undefined;
    return false;
  }
  scanner.skipBalanced();
  scanner.expect(":", `and the type of '${operation.name}'`);
  operation.operandsSpan = { start: end, end };
  operation.operandTypes = [];
  operation.resultTypes = [skipType(scanner)];
  setSyntaxAttributes(operation, ["value", {
    kind: "opaque",
    text: scanner.text.slice(start, scanner.position),
  }]);
  return true;
}
