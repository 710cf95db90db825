// SPDX-License-Identifier: Apache-2.0
import { skipAttribute } from "./attribute_scanner.ts";
import { expectSymbol, optionalDictionary, setOperands, setSyntaxAttributes } from "./form_helpers.ts";
import type { Operand, Operation, Span } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import { skipBareTypeList, skipType } from "./type_scanner.ts";
import type { Mutable } from "./value_scopes.ts";

/** `ttir.empty() {…}? : T`. With operands (dynamic extents) the op stays opaque: their type is not spelled. */
export function parseEmpty(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  scanner.expect("(", `after '${operation.name}'`);
  if (!scanner.accept(")")) return false;
  operation.operandsSpan = { start: scanner.position - 1, end: scanner.position - 1 };
  optionalDictionary(scanner, operation);
  scanner.expect(":", `and the type of '${operation.name}'`);
  operation.operandTypes = [];
  operation.resultTypes = [skipType(scanner)];
  return true;
}

/** `ttir.to_layout %a, %b : T into T (hostInfo = #…)? {…}? (-> T)?`. */
export function parseToLayout(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  scanner.skipTrivia();
  const start = scanner.position;
  const operands = parser.parseOperandList(":");
  operation.operandsSpan = { start, end: scanner.position };
  scanner.expect(":", "and the types of 'ttir.to_layout'");
  const types = [skipType(scanner)];
  if (!scanner.acceptKeyword("into")) throw scanner.expected("'into' and the type of the output");
  types.push(skipType(scanner));
  if (scanner.acceptKeyword("hostInfo")) {
    scanner.expect("=", "after 'hostInfo'");
    const { start: from, end } = skipAttribute(scanner);
    setSyntaxAttributes(operation, ["layout", { kind: "opaque", text: scanner.text.slice(from, end) }]);
  }
  optionalDictionary(scanner, operation);
  setOperands(parser, operation, operands, types, start);
  operation.resultTypes = scanner.accept("->") ? skipBareTypeList(scanner) : [];
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
  setSyntaxAttributes(
    operation,
    ["d2m_func", { kind: "symbol", name: callee }],
    ["operandSegmentSizes", { kind: "denseArray", elementType: "i32", values: sizes }],
  );
  optionalDictionary(scanner, operation);
  operation.resultTypes = scanner.accept(":") ? skipBareTypeList(scanner) : [];
  setOperands(parser, operation, operands, types, start);
  return true;
}

/** `ttir.ttnn_metal_layout_cast %a {…}? : T -> T`. */
export function parseLayoutCast(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const operand = parser.parseOperand();
  operation.operands = [operand];
  operation.operandsSpan = operand.span;
  optionalDictionary(scanner, operation);
  scanner.expect(":", `and the types of '${operation.name}'`);
  operation.operandTypes = [skipType(scanner)];
  scanner.expect("->", "before the result type");
  operation.resultTypes = [skipType(scanner)];
  return true;
}
