// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { skipAttribute, skipDictionary } from "./attribute_scanner.ts";
import { parseFunction } from "./function_form.ts";
import type { Operand, Operation, Span } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import type { Scanner } from "./scanner.ts";
import { skipBareTypeList, skipType } from "./type_scanner.ts";
import type { Mutable } from "./value_scopes.ts";

const AT = 64;
const OPEN_BRACE = 123;

/** A custom form that we understand completely. */
export interface CustomForm {
  /** Full name of the op, also where the text may leave the dialect out. */
  readonly name: string;
  /**
   * Parses what follows the name into the op. Returns `false`, without having resolved any use, when the text is a
   * variant that we do not understand; the op is then carried as opaque.
   */
  readonly parse: (parser: OperationParser, operation: Mutable<Operation>) => boolean;
}

/** Custom forms by the word that starts them. Sources: the `assemblyFormat`s of tt-mlir and of MLIR's func dialect. */
const CUSTOM_FORMS: ReadonlyMap<string, CustomForm> = new Map([
  ["func.func", { name: "func.func", parse: parseFunction }],
  ["module", { name: "builtin.module", parse: parseModule }],
  ["builtin.module", { name: "builtin.module", parse: parseModule }],
  ["return", { name: "func.return", parse: parseReturn }],
  ["func.return", { name: "func.return", parse: parseReturn }],
  ["call", { name: "func.call", parse: parseCall }],
  ["func.call", { name: "func.call", parse: parseCall }],
  ["ttcore.device_module", { name: "ttcore.device_module", parse: parseWrapperModule }],
  ["ttcore.cpu_module", { name: "ttcore.cpu_module", parse: parseWrapperModule }],
  ["tt.device_module", { name: "tt.device_module", parse: parseWrapperModule }],
  ["tt.cpu_module", { name: "tt.cpu_module", parse: parseWrapperModule }],
  ["ttcore.device", { name: "ttcore.device", parse: parseDevice }],
  ["tt.device", { name: "tt.device", parse: parseDevice }],
  ["ttcore.load_cached", { name: "ttcore.load_cached", parse: parseLoadCached }],
  ["tt.load_cached", { name: "tt.load_cached", parse: parseLoadCached }],
  ["ttcore.get_tuple_element", { name: "ttcore.get_tuple_element", parse: parseGetTupleElement }],
  ["tt.get_tuple_element", { name: "tt.get_tuple_element", parse: parseGetTupleElement }],
  ["ttcore.tuple", { name: "ttcore.tuple", parse: parseTuple }],
  ["tt.tuple", { name: "tt.tuple", parse: parseTuple }],
  ["ttcore.global", { name: "ttcore.global", parse: parseGlobal }],
  ["ttcore.get_global", { name: "ttcore.get_global", parse: parseGetGlobal }],
  ["ttir.empty", { name: "ttir.empty", parse: parseEmpty }],
  ["tensor.empty", { name: "tensor.empty", parse: parseEmpty }],
  ["ttir.to_layout", { name: "ttir.to_layout", parse: parseToLayout }],
  ["ttir.tt_lang_op", { name: "ttir.tt_lang_op", parse: parseOperandsAndFunctionType }],
  ["ttnn.tt_lang_op", { name: "ttnn.tt_lang_op", parse: parseOperandsAndFunctionType }],
  ["ttnn.d2m_subgraph", { name: "ttnn.d2m_subgraph", parse: parseD2mSubgraph }],
]);

/** Looks up the custom form that a word starts. */
export function findCustomForm(word: string): CustomForm | undefined {
  return CUSTOM_FORMS.get(word);
}

/** Passes an attribute dictionary when one stands here. */
function optionalDictionary(scanner: Scanner, operation: Mutable<Operation>): void {
  scanner.skipTrivia();
  if (scanner.peek() === OPEN_BRACE) operation.attributes = skipDictionary(scanner);
}

/** Passes `@name` and returns it. */
function expectSymbol(scanner: Scanner, operation: Operation): string {
  scanner.skipTrivia();
  if (scanner.peek() !== AT) throw scanner.expected(`a symbol '@name' for '${operation.name}'`);
  return scanner.symbol();
}

function setSyntaxAttributes(
  operation: Mutable<Operation>,
  ...entries: readonly [string, Attribute][]
): void {
  operation.syntaxAttributes = new Map(entries);
}

function setOperands(
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

/** `module @name? (attributes {…})? {…}`. */
function parseModule(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  scanner.skipTrivia();
  if (scanner.peek() === AT) {
    setSyntaxAttributes(operation, ["sym_name", { kind: "string", value: scanner.symbol() }]);
  }
  parseIsolatedRegion(parser, operation);
  return true;
}

/** `ttcore.device_module (attributes {…})? {…}`. */
function parseWrapperModule(parser: OperationParser, operation: Mutable<Operation>): boolean {
  parseIsolatedRegion(parser, operation);
  return true;
}

function parseIsolatedRegion(parser: OperationParser, operation: Mutable<Operation>): void {
  if (parser.scanner.acceptKeyword("attributes")) operation.attributes = skipDictionary(parser.scanner);
  operation.regions = [
    parser.parseRegion(operation, { isolated: true, lenient: false, entryArguments: [] }),
  ];
  operation.operandTypes = [];
  operation.resultTypes = [];
}

/** `return (%a, %b : T, T)?`. */
function parseReturn(parser: OperationParser, operation: Mutable<Operation>): boolean {
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
  if (scanner.peek() !== 37) {
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
function parseCall(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  setSyntaxAttributes(operation, ["callee", { kind: "symbol", name: expectSymbol(scanner, operation) }]);
  return parseOperandsAndFunctionType(parser, operation);
}

/** `(%a, %b) {…}? : (T, T) -> T`. */
function parseOperandsAndFunctionType(parser: OperationParser, operation: Mutable<Operation>): boolean {
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

/** `ttcore.load_cached(@f, [%a, %b]) {…}? : (T, T) -> T`. */
function parseLoadCached(parser: OperationParser, operation: Mutable<Operation>): boolean {
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
function parseDevice(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const name = expectSymbol(scanner, operation);
  scanner.expect("=", `after the name of '${operation.name}'`);
  scanner.skipTrivia();
  const start = scanner.position;
  const dialect = operation.name.slice(0, operation.name.indexOf("."));
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
function parseGetTupleElement(parser: OperationParser, operation: Mutable<Operation>): boolean {
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
function parseTuple(parser: OperationParser, operation: Mutable<Operation>): boolean {
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
function parseGlobal(parser: OperationParser, operation: Mutable<Operation>): boolean {
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
function parseGetGlobal(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const name = expectSymbol(scanner, operation);
  setSyntaxAttributes(operation, ["sym_name", { kind: "string", value: name }]);
  optionalDictionary(scanner, operation);
  scanner.expect(":", `and the type of '${operation.name}'`);
  operation.operandTypes = [];
  operation.resultTypes = [skipType(scanner)];
  return true;
}

/** `ttir.empty() {…}? : T`. With operands (dynamic extents) the op stays opaque: their type is not spelled. */
function parseEmpty(parser: OperationParser, operation: Mutable<Operation>): boolean {
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
function parseToLayout(parser: OperationParser, operation: Mutable<Operation>): boolean {
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
function parseD2mSubgraph(parser: OperationParser, operation: Mutable<Operation>): boolean {
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
