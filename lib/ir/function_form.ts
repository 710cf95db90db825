// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { skipDictionary } from "./attribute_scanner.ts";
import { skipLocation } from "./location_scanner.ts";
import type { AttributeDictionary, FunctionResult, Operation, Span } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import type { EntryArgument } from "./region_parser.ts";
import type { Scanner } from "./scanner.ts";
import { skipType } from "./type_scanner.ts";
import type { Mutable } from "./value_scopes.ts";

/** The parameters of a function, with or without names. */
interface ArgumentList {
  readonly named: EntryArgument[];
  readonly types: Span[];
  readonly attributes: (AttributeDictionary | undefined)[];
}

/**
 * `func.func (private)? @f(%a: T {…}? loc(…)?, …) -> (T {…}?, …) attributes {…} {…}`; declarations have bare types and
 * no body.
 */
export function parseFunction(parser: OperationParser, operation: Mutable<Operation>): boolean {
  const { scanner } = parser;
  const syntax = new Map<string, Attribute>();
  for (const visibility of ["private", "public", "nested"]) {
    if (!scanner.acceptKeyword(visibility)) continue;
    syntax.set("sym_visibility", { kind: "string", value: visibility });
    break;
  }
  scanner.skipTrivia();
  if (scanner.peek() !== "@") throw scanner.expected("the function's name '@name' after 'func.func'");
  syntax.set("sym_name", { kind: "string", value: scanner.symbol() });
  operation.syntaxAttributes = syntax;
  scanner.skipTrivia();
  const start = scanner.position;
  const functionArguments = parseArguments(scanner);
  let end = scanner.position;
  const results: FunctionResult[] = [];
  if (scanner.accept("->")) {
    parseResults(scanner, results);
    end = scanner.position;
  }
  operation.signature = {
    span: { start, end },
    argumentTypes: functionArguments.types,
    argumentAttributes: functionArguments.attributes,
    results,
  };
  operation.operandTypes = [];
  operation.resultTypes = [];
  if (scanner.acceptKeyword("attributes")) operation.attributes = skipDictionary(scanner);
  const headerEnd = scanner.position;
  scanner.skipTrivia();
  if (scanner.peek() !== "{") {
    scanner.position = headerEnd;
    return true;
  }
  if (functionArguments.named.length !== functionArguments.types.length) {
    throw scanner.error(
      "parse/unnamed-argument",
      start,
      "a function with a body must name its arguments, as in '(%arg0: tensor<32x32xbf16>)'",
    );
  }
  const body = parser.parseRegion(operation, {
    isolated: true,
    lenient: false,
    entryArguments: functionArguments.named,
  });
  operation.regions = [body];
  if (!body.blocks.some((block) => block.operations.length > 0)) {
    throw scanner.error(
      "parse/empty-function",
      body.span.start,
      "a function body must not be empty; end it with 'return', or leave the body out to declare the function",
    );
  }
  return true;
}

function parseArguments(scanner: Scanner): ArgumentList {
  const found: ArgumentList = { named: [], types: [], attributes: [] };
  scanner.expect("(", "of the arguments of the function");
  if (scanner.accept(")")) return found;
  do {
    scanner.skipTrivia();
    if (scanner.accept("...")) break;
    const start = scanner.position;
    let name: string | undefined;
    if (scanner.peek() === "%") {
      name = scanner.sigilName("a value name after '%'");
      scanner.expect(":", "after the name of an argument");
    }
    const type = skipType(scanner);
    const attributes = optionalDictionary(scanner);
    const location = skipLocation(scanner);
    found.types.push(type);
    found.attributes.push(attributes);
    if (name !== undefined) {
      found.named.push({ name, span: scanner.spanFrom(start), type, attributes, location });
    }
  } while (scanner.accept(","));
  scanner.expect(")", "or ',' after a function argument");
  return found;
}

function parseResults(scanner: Scanner, results: FunctionResult[]): void {
  scanner.skipTrivia();
  if (scanner.peek() !== "(") {
    results.push({ type: skipType(scanner), attributes: undefined });
    return;
  }
  scanner.position++;
  if (scanner.accept(")")) return;
  do {
    const type = skipType(scanner);
    results.push({ type, attributes: optionalDictionary(scanner) });
  } while (scanner.accept(","));
  scanner.expect(")", "or ',' after a function result");
}

/** Passes the attributes of an argument or result, leaving trivia alone when there are none. */
function optionalDictionary(scanner: Scanner): AttributeDictionary | undefined {
  const before = scanner.position;
  scanner.skipTrivia();
  if (scanner.peek() === "{") return skipDictionary(scanner);
  scanner.position = before;
  return undefined;
}
