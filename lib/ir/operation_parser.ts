// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { skipDictionary, skipProperties } from "./attribute_scanner.ts";
import { findCustomForm, presentName } from "./custom_forms.ts";
import { skipLocation } from "./location_scanner.ts";
import type { Block, Operand, Operation, Region, ResultGroup, Successor, Value } from "./module_text.ts";
import { exact } from "./exact.ts";
import { parseOpaqueForm } from "./opaque_form.ts";
import { parseRegion, type RegionContext } from "./region_parser.ts";
import { isIdentifierStart } from "./characters.ts";
import type { Scanner } from "./scanner.ts";
import { skipResultTypes, skipTypeList } from "./type_scanner.ts";
import { type Mutable, ValueScopes } from "./value_scopes.ts";

/** Shared by all ops without operands, results, successors or regions. */
const NONE: readonly never[] = [];
const NO_ATTRIBUTES: ReadonlyMap<string, Attribute> = new Map();

/** Ops whose regions do not see the values around them, also when they are written in generic form. */
const ISOLATED_OPS: ReadonlySet<string> = new Set([
  "builtin.module",
  "func.func",
  "ttcore.device_module",
  "ttcore.cpu_module",
]);

/** Ops of the func and builtin dialects that we do not read but that exist. */
const UNREAD_OPS: ReadonlySet<string> = new Set([
  "constant",
  "func.constant",
  "call_indirect",
  "func.call_indirect",
  "unrealized_conversion_cast",
  "builtin.unrealized_conversion_cast",
]);

/** Whether a word may name an op in a custom form that we do not know. */
function isOpenDialect(word: string): boolean {
  if (UNREAD_OPS.has(word)) return true;
  return word.includes(".") && !word.startsWith("func.") && !word.startsWith("builtin.");
}

/** Parses operations: results, generic form, blocks and regions. Custom forms live in their own files. */
export class OperationParser {
  readonly scanner: Scanner;
  readonly scopes: ValueScopes;
  readonly operations: Operation[] = [];
  /** Names of ops in the generic form, each once: there are few, of many ops. */
  readonly #names: Map<string, string> = new Map();

  constructor(scanner: Scanner) {
    this.scanner = scanner;
    this.scopes = new ValueScopes(scanner);
  }

  /** Parses the operation at the position (after trivia). */
  parseOperation(parent: Operation | undefined, block: Block | undefined): Operation {
    const { scanner } = this;
    scanner.skipTrivia();
    const start = scanner.position;
    const resultGroups = scanner.peek() === "%" ? this.#parseResultGroups() : NONE;
    const nameStart = scanner.position;
    const operation: Mutable<Operation> = {
      id: this.operations.length,
      name: "",
      nameSpan: { start: nameStart, end: nameStart },
      form: "generic",
      span: { start, end: start },
      resultGroups,
      results: NONE,
      operands: NONE,
      operandsSpan: undefined,
      successors: NONE,
      properties: undefined,
      attributes: undefined,
      syntaxAttributes: NO_ATTRIBUTES,
      regions: NONE,
      operandTypes: undefined,
      resultTypes: undefined,
      signature: undefined,
      location: undefined,
      parent,
      block,
    };
    this.operations.push(operation);
    const next = scanner.peek();
    if (next === '"') {
      operation.name = this.#oneOf(scanner.stringLiteral());
      operation.nameSpan = scanner.spanFrom(nameStart);
      this.#parseGenericForm(operation);
    } else if (isIdentifierStart(next)) {
      this.#parseCustomForm(operation, nameStart);
    } else {
      throw scanner.expected("an operation", nameStart);
    }
    // Opaque forms find their location themselves, because it tells where they end.
    if (operation.location === undefined) operation.location = skipLocation(scanner);
    operation.span = scanner.spanFrom(start);
    this.#defineResults(operation);
    return operation;
  }

  /** The present name of an op, the same text as it was met first. */
  #oneOf(name: string): string {
    return this.#names.getOrInsert(name, presentName(name));
  }

  #parseCustomForm(operation: Mutable<Operation>, nameStart: number): void {
    const { scanner } = this;
    const word = scanner.identifier();
    operation.nameSpan = scanner.spanFrom(nameStart);
    const form = findCustomForm(word);
    operation.name = form?.name ?? presentName(word);
    operation.form = "custom";
    const afterName = scanner.position;
    if (form !== undefined && form.parse(this, operation)) return;
    scanner.position = afterName;
    if (form === undefined && !this.scopes.lenient && !isOpenDialect(word)) {
      throw scanner.error(
        "parse/unknown-operation",
        nameStart,
        `unknown operation '${word}'; write 'dialect.name' in a custom form, or the generic form '"dialect.name"(…)'`,
      );
    }
    operation.form = "opaque";
    parseOpaqueForm(this, operation);
  }

  #parseResultGroups(): ResultGroup[] {
    const { scanner } = this;
    const groups: ResultGroup[] = [];
    do {
      scanner.skipTrivia();
      const start = scanner.position;
      if (scanner.peek() !== "%") throw scanner.expected("a value name such as '%0'");
      const name = scanner.sigilName("a value name after '%'");
      let count = 1;
      if (scanner.text.startsWith(":", scanner.position)) {
        scanner.position++;
        const written = scanner.decimal();
        // The count is checked against the result types; a bound here keeps a typing error from allocating.
        if (written === undefined || written < 1 || written > 65536) {
          throw scanner.expected("a number of results between 1 and 65536 after ':'", start);
        }
        count = written;
      }
      groups.push({ name, count, span: scanner.spanFrom(start) });
    } while (scanner.accept(","));
    scanner.expect("=", "after the result names");
    scanner.skipTrivia();
    return groups.slice();
  }

  #parseGenericForm(operation: Mutable<Operation>): void {
    const { scanner } = this;
    if (operation.name === "") throw scanner.expected("an operation name between the quotes");
    scanner.expect("(", `after the name of '${operation.name}'`);
    const operandsStart = scanner.position;
    operation.operands = this.parseOperandList(")");
    operation.operandsSpan = { start: operandsStart, end: scanner.position };
    scanner.expect(")", "or ',' after an operand");
    if (scanner.accept("[")) operation.successors = this.#parseSuccessors();
    scanner.skipTrivia();
    if (scanner.text.startsWith("<", scanner.position)) operation.properties = skipProperties(scanner);
    if (scanner.accept("(")) {
      const isolated = ISOLATED_OPS.has(operation.name);
      const regions: Region[] = [];
      operation.regions = regions;
      do {
        regions.push(this.parseRegion(operation, { isolated, lenient: false, entryArguments: [] }));
      } while (scanner.accept(","));
      scanner.expect(")", "after the regions");
    }
    scanner.skipTrivia();
    if (scanner.text.startsWith("{", scanner.position)) operation.attributes = skipDictionary(scanner);
    scanner.expect(":", `and the type of '${operation.name}'`);
    this.parseFunctionType(operation);
  }

  /** Parses `(T, …) -> T` into the types of an op and checks the number of operands. */
  parseFunctionType(operation: Mutable<Operation>): void {
    const { scanner } = this;
    scanner.skipTrivia();
    const start = scanner.position;
    operation.operandTypes = skipTypeList(scanner);
    scanner.expect("->", "before the result types");
    operation.resultTypes = skipResultTypes(scanner);
    this.checkOperandCount(operation, start);
  }

  /** Throws when an op lists more or fewer operand types than operands. */
  checkOperandCount(operation: Operation, offset: number): void {
    const types = operation.operandTypes;
    if (types === undefined || types.length === operation.operands.length) return;
    throw this.scanner.error(
      "parse/operand-count",
      offset,
      `'${operation.name}' has ${operation.operands.length} operand(s), but ${types.length} operand type(s); ` +
        "make both lists equally long",
    );
  }

  /** Parses `%a, %b#1, …` up to (not including) a closing bracket. */
  parseOperandList(closing: string): Operand[] {
    const { scanner } = this;
    scanner.skipTrivia();
    if (scanner.text.startsWith(closing, scanner.position)) return [];
    const operands = [this.parseOperand()];
    while (scanner.accept(",")) operands.push(this.parseOperand());
    return exact(operands);
  }

  /** Parses and resolves one `%name` or `%name#n`. */
  parseOperand(): Operand {
    const operand = this.scanOperand();
    this.scopes.use(operand);
    return operand;
  }

  /** Parses one `%name` or `%name#n` without resolving it. */
  scanOperand(): Mutable<Operand> {
    const { scanner } = this;
    scanner.skipTrivia();
    const start = scanner.position;
    if (scanner.peek() !== "%") throw scanner.expected("an operand such as '%0'");
    const name = scanner.sigilName("a value name after '%'");
    let resultIndex = 0;
    if (scanner.peek() === "#") {
      scanner.position++;
      const written = scanner.decimal();
      if (written === undefined) throw scanner.expected("a result number after '#'");
      resultIndex = written;
    }
    return { name, resultIndex, span: scanner.spanFrom(start), value: undefined };
  }

  #parseSuccessors(): Successor[] {
    const { scanner } = this;
    const successors: Successor[] = [];
    do {
      scanner.skipTrivia();
      const start = scanner.position;
      if (scanner.peek() !== "^") throw scanner.expected("a block name such as '^bb1'");
      const label = scanner.sigilName("a block name after '^'");
      successors.push({ label, span: scanner.spanFrom(start) });
    } while (scanner.accept(","));
    scanner.expect("]", "or ',' after a successor");
    return successors;
  }

  /** Parses a region `{ … }` of an op. */
  parseRegion(operation: Operation, context: RegionContext): Region {
    return parseRegion(this, operation, context);
  }

  #defineResults(operation: Mutable<Operation>): void {
    const { resultGroups, resultTypes } = operation;
    const named = resultGroups.reduce((sum, group) => sum + group.count, 0);
    if (resultTypes !== undefined && resultGroups.length > 0 && named !== resultTypes.length) {
      throw this.scanner.error(
        "parse/result-count",
        operation.span.start,
        `'${operation.name}' defines ${resultTypes.length} result(s), but ${named} name(s) stand before '='`,
      );
    }
    const results: Value[] = [];
    for (const group of resultGroups) {
      const first = results.length;
      for (let index = 0; index < group.count; index++) {
        results.push({
          name: group.count === 1 ? group.name : `${group.name}#${index}`,
          source: { kind: "result", operation, index: first + index },
          type: resultTypes?.[first + index],
        });
      }
      this.scopes.define(group.name, results.slice(first), group.span.start);
    }
    for (let index = results.length; index < (resultTypes?.length ?? 0); index++) {
      results.push({ name: "", source: { kind: "result", operation, index }, type: resultTypes?.[index] });
    }
    operation.results = results.length === 0 ? NONE : results.slice();
  }
}
