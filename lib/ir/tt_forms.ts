// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { skipAttribute } from "./attribute_scanner.ts";
import {
  expectSymbol,
  optionalDictionary,
  parseIsolatedRegion,
  setOperands,
  setSyntaxAttributes,
} from "./form_helpers.ts";
import type { Operand, Operation, Span } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import { skipBareTypeList, skipType } from "./type_scanner.ts";
import type { Mutable } from "./value_scopes.ts";

/** `ttcore.device_module (attributes {…})? {…}`. */
export function parseWrapperModule(parser: OperationParser, operation: Mutable<Operation>): boolean {
  parseIsolatedRegion(parser, operation);
  return true;
}

/** `ttcore.load_cached(@f, [%a, %b]) {…}? : (T, T) -> T`. */
export function parseLoadCached(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  scanner.expect("(", "of 'ttcore.load_cached'");
  setSyntaxAttributes(operation, ["callee", { kind: "symbol", name: expectSymbol(scanner, operation) }]);
  scanner.expect(",", "after the callee of 'ttcore.load_cached'");
  scanner.expect("[", "of the operands of 'ttcore.load_cached'");
  const start = scanner.position;
  operation.operands = parser.parseOperandList("]");
  operation.operandsSpan = { start, end: scanner.position };
  scanner.expect("]", "or ',' after an operand");
  scanner.expect(")", "after the operands of 'ttcore.load_cached'");
  optionalDictionary(scanner, operation);
  scanner.expect(":", "and the type of 'ttcore.load_cached'");
  parser.parseFunctionType(operation);
  return true;
}

/** `ttcore.device @name = <…> {…}?`. */
export function parseDevice(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const name = expectSymbol(scanner, operation);
  scanner.expect("=", `after the name of '${operation.name}'`);
  scanner.skipTrivia();
  const start = scanner.position;
  const dialect = scanner.text.startsWith("tt.", operation.nameSpan.start) ? "tt" : "ttcore";
  let device: Attribute;
  if (scanner.text.startsWith("<", start)) {
    scanner.skipBalanced();
    const body = scanner.text.slice(start + 1, scanner.position - 1);
    device = { kind: "dialect", dialect, mnemonic: "device", body };
  } else {
    skipAttribute(scanner);
    device = { kind: "opaque", text: scanner.text.slice(start, scanner.position) };
  }
  setSyntaxAttributes(operation, ["sym_name", { kind: "string", value: name }], ["device_attr", device]);
  operation.operandTypes = [];
  operation.resultTypes = [];
  optionalDictionary(scanner, operation);
  return true;
}

/** `ttcore.get_tuple_element %t[0] {…}? : (T) -> T`. */
export function parseGetTupleElement(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const operand = parser.parseOperand();
  operation.operands = [operand];
  operation.operandsSpan = operand.span;
  scanner.expect("[", "before the index of the tuple element");
  scanner.skipTrivia();
  const index = scanner.decimal();
  if (index === undefined) throw scanner.expected("the index of the tuple element");
  scanner.expect("]", "after the index of the tuple element");
  setSyntaxAttributes(operation, ["index", { kind: "integer", value: BigInt(index), type: "i32" }]);
  optionalDictionary(scanner, operation);
  scanner.expect(":", `and the type of '${operation.name}'`);
  parser.parseFunctionType(operation);
  return true;
}

/** `ttcore.tuple %a, %b {…}? : tuple<T, T>`. */
export function parseTuple(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const operands = parser.parseOperandList(":");
  scanner.skipTrivia();
  optionalDictionary(scanner, operation);
  scanner.expect(":", `and the type of '${operation.name}'`);
  const type = skipType(scanner);
  operation.operands = operands;
  operation.operandTypes = operands.map((operand) => operand.value?.type).filter((span) =>
    span !== undefined
  );
  if (operation.operandTypes.length !== operands.length) operation.operandTypes = undefined;
  operation.resultTypes = [type];
  return true;
}

/** `ttcore.global @name = T ([n])? {…}?`. */
export function parseGlobal(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const name = expectSymbol(scanner, operation);
  scanner.expect("=", `after the name of '${operation.name}'`);
  const type = skipType(scanner);
  const attributes: [string, Attribute][] = [
    ["sym_name", { kind: "string", value: name }],
    ["type", { kind: "type", text: scanner.text.slice(type.start, type.end) }],
  ];
  if (scanner.accept("[")) {
    scanner.skipTrivia();
    const index = scanner.decimal();
    if (index === undefined) throw scanner.expected("the index of the global");
    attributes.push(["index", { kind: "integer", value: BigInt(index), type: "si32" }]);
    scanner.expect("]", "after the index of the global");
  }
  setSyntaxAttributes(operation, ...attributes);
  operation.operandTypes = [];
  operation.resultTypes = [];
  optionalDictionary(scanner, operation);
  return true;
}

/** `ttcore.get_global @name {…}? : T`. */
export function parseGetGlobal(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const name = expectSymbol(scanner, operation);
  setSyntaxAttributes(operation, ["sym_name", { kind: "string", value: name }]);
  optionalDictionary(scanner, operation);
  scanner.expect(":", `and the type of '${operation.name}'`);
  operation.operandTypes = [];
  operation.resultTypes = [skipType(scanner)];
  return true;
}

/** `ttcore.get_key_value %dict["key"] {…}? : (T) -> T`. */
export function parseGetKeyValue(parser: OperationParser, operation: Mutable<Operation>): boolean {
  parseKeyedOperand(parser, operation);
  optionalDictionary(parser.scanner, operation);
  parser.scanner.expect(":", `and the type of '${operation.name}'`);
  parser.parseFunctionType(operation);
  return true;
}

/** `ttcore.set_key_value %dict["key"] = %a, %b {…}? : T, T, T`. */
export function parseSetKeyValue(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  parseKeyedOperand(parser, operation);
  scanner.expect("=", "before the values to store");
  const start = scanner.position;
  const operands = [...operation.operands, ...parser.parseOperandList(":")];
  optionalDictionary(scanner, operation);
  scanner.expect(":", `and the types of '${operation.name}'`);
  setOperands(parser, operation, operands, skipBareTypeList(scanner), start);
  operation.resultTypes = [];
  return true;
}

/** `%dict["key"]` or `%dict[3 : index]`. */
function parseKeyedOperand(parser: OperationParser, operation: Mutable<Operation>): void {
  const { scanner } = parser;
  operation.operands = [parser.parseOperand()];
  scanner.expect("[", "before the key");
  const { start, end } = skipAttribute(scanner);
  scanner.expect("]", "after the key");
  setSyntaxAttributes(operation, ["key", { kind: "opaque", text: scanner.text.slice(start, end) }]);
}

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
