// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { expectSymbol, optionalDictionary } from "./form_helpers.ts";
import type { Operand, Operation, Span } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import { skipBareTypeList, skipType } from "./type_scanner.ts";
import type { Mutable } from "./value_scopes.ts";

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
  if (scanner.peek() !== "%") {
    scanner.position = before;
    return true;
  }
  const start = scanner.position;
  const operands = parser.parseOperandList("}");
  operation.operandsSpan = { start, end: scanner.position };
  scanner.expect(":", "and the types of the returned values");
  operation.operands = operands;
  operation.operandTypes = skipBareTypeList(scanner);
  parser.checkOperandCount(operation, start);
  return true;
}

/** `arith.constant {…}? dense<…> : T`; scalars stay opaque: no tensor op reads them. */
export function parseConstant(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const end = scanner.position;
  optionalDictionary(scanner, operation);
  scanner.skipTrivia();
  const start = scanner.position;
  const word = scanner.identifier();
  if ((word !== "dense" && word !== "dense_resource") || scanner.peek() !== "<") {
    operation.attributes = undefined;
    return false;
  }
  scanner.skipBalanced();
  scanner.expect(":", `and the type of '${operation.name}'`);
  operation.operandsSpan = { start: end, end };
  operation.operandTypes = [];
  operation.resultTypes = [skipType(scanner)];
  const text = scanner.text.slice(start, scanner.position);
  operation.syntaxAttributes = new Map([["value", { kind: "opaque", text }]]);
  return true;
}

/** `ttnn.d2m_subgraph @f ins(%a : T) outs(%b : T) {…}? : T`. */
export function parseD2mSubgraph(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const callee = expectSymbol(scanner, operation);
  const start = scanner.position;
  const operands: Operand[] = [];
  const types: Span[] = [];
  const sizes: number[] = [];
  for (const keyword of ["ins", "outs"]) {
    const before = operands.length;
    if (scanner.acceptKeyword(keyword)) {
      scanner.expect("(", `after '${keyword}'`);
      if (!scanner.accept(")")) {
        operands.push(...parser.parseOperandList(":"));
        scanner.expect(":", `and the types of '${keyword}'`);
        types.push(...skipBareTypeList(scanner));
        scanner.expect(")", `after '${keyword}'`);
      }
    }
    sizes.push(operands.length - before);
  }
  operation.syntaxAttributes = new Map<string, Attribute>([
    ["d2m_func", { kind: "symbol", name: callee }],
    ["operandSegmentSizes", { kind: "denseArray", elementType: "i32", values: sizes }],
  ]);
  optionalDictionary(scanner, operation);
  operation.resultTypes = scanner.accept(":") ? skipBareTypeList(scanner) : [];
  operation.operands = operands;
  operation.operandTypes = types;
  parser.checkOperandCount(operation, start);
  return true;
}
