// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { skipAttribute, skipDictionary } from "./attribute_scanner.ts";
import { expectSymbol, type FormParser, optionalDictionary } from "./form_helpers.ts";
import type { Operation, Span } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import { skipBareTypeList, skipType } from "./type_scanner.ts";
import type { Mutable } from "./value_scopes.ts";

/**
 * The parser of a custom form that is written like tt-mlir's `assemblyFormat`s, its words separated by blanks: `operand`,
 * `operands`, `attr-dict`, `operand-type`, `operand-types`, `result-type`, `result-types`, `function-type`, `region`;
 * `$name:kind` is an attribute that the form spells by syntax, `(? … )?` may be left out as a whole, and anything else
 * stands for itself. Where `)!` does not stand here, the text is a variant that the format does not tell.
 */
export function formOf(format: string): FormParser {
  const words = format.split(" ");
  return (parser, operation) => {
    const { scanner } = parser;
    const syntax = new Map<string, Attribute>();
    const start = scanner.position;
    const operandTypes: Span[] = [];
    operation.resultTypes = [];
    for (let index = 0; index < words.length; index++) {
      const word = words[index] ?? "";
      const next = words[index + 1] ?? "";
      switch (word) {
        case "(?":
          if (!opens(parser, next)) index = words.indexOf(")?", index);
          break;
        case ")?":
          break;
        case ")!":
          if (!scanner.accept(")")) return false;
          operation.operandsSpan = { start: scanner.position - 1, end: scanner.position - 1 };
          break;
        case "operand": {
          const operand = parser.parseOperand();
          operation.operands = [operand];
          operation.operandsSpan = operand.span;
          break;
        }
        case "operands": {
          const from = scanner.position;
          const first = operation.operands.length === 0;
          const operands = parser.parseOperandList(next === "attr-dict" ? ":" : next);
          operation.operands = first ? operands : [...operation.operands, ...operands];
          operation.operandsSpan = first ? { start: from, end: scanner.position } : undefined;
          break;
        }
        case "attr-dict":
          optionalDictionary(scanner, operation);
          break;
        case "operand-type":
          operandTypes.push(skipType(scanner));
          break;
        case "operand-types":
          operandTypes.push(...skipBareTypeList(scanner));
          break;
        case "result-type":
          operation.resultTypes = [skipType(scanner)];
          break;
        case "result-types":
          operation.resultTypes = skipBareTypeList(scanner);
          break;
        case "function-type":
          parser.parseFunctionType(operation);
          break;
        case "region":
          if (scanner.acceptKeyword("attributes")) operation.attributes = skipDictionary(scanner);
          operation.regions = [
            parser.parseRegion(operation, { isolated: true, lenient: false, entryArguments: [] }),
          ];
          break;
        default: {
          const [name = "", kind] = word.startsWith("$") ? word.slice(1).split(":") : [];
          if (kind !== undefined) syntax.set(name, readAttribute(parser, operation, kind));
          else if (!passes(parser, word)) {
            throw scanner.expected(`'${word}' ${context(operation, words, index)}`);
          }
        }
      }
    }
    operation.syntaxAttributes = syntax;
    if (words.includes("function-type")) return true;
    const spelled = words.some((word) => word.startsWith("operand-type"));
    operation.operandTypes = spelled ? operandTypes : typesOfOperands(operation);
    parser.checkOperandCount(operation, start);
    return true;
  };
}

/** Whether the optional part that begins with a word stands here; a literal is passed by the part itself. */
function opens({ scanner }: OperationParser, word: string): boolean {
  scanner.skipTrivia();
  if (word.startsWith("$")) return scanner.peek() === "@";
  return /^\w/.test(word) ? scanner.atKeyword(word) : scanner.text.startsWith(word, scanner.position);
}

function passes({ scanner }: OperationParser, word: string): boolean {
  return /^\w/.test(word) ? scanner.acceptKeyword(word) : scanner.accept(word);
}

function context({ name }: Operation, words: readonly string[], index: number): string {
  const closesOperands = words[index] !== ":" && words[index - 1] === "operands";
  return closesOperands
    ? "or ',' after an operand"
    : `${words[index] === ":" ? "and the types " : ""}of '${name}'`;
}

/** The types of the values that an op uses; `undefined` where one is unknown. */
function typesOfOperands({ operands }: Operation): readonly Span[] | undefined {
  const types = operands.map(({ value }) => value?.type).filter((type) => type !== undefined);
  return types.length === operands.length ? types : undefined;
}

/** Passes an attribute: `@name` as `symbol` or `string`, an integer as its type, a `type`, a `device`, or any `attribute`. */
function readAttribute(parser: OperationParser, operation: Mutable<Operation>, kind: string): Attribute {
  const { scanner } = parser;
  if (kind === "symbol") return { kind, name: expectSymbol(scanner, operation) };
  if (kind === "string") return { kind, value: expectSymbol(scanner, operation) };
  scanner.skipTrivia();
  const start = scanner.position;
  if (kind === "i32" || kind === "si32") {
    const index = scanner.decimal();
    if (index === undefined) throw scanner.expected(`the index of '${operation.name}'`);
    return { kind: "integer", value: BigInt(index), type: kind };
  }
  if (kind === "device" && scanner.text.startsWith("<", start)) {
    scanner.skipBalanced();
    const dialect = scanner.text.startsWith("tt.", operation.nameSpan.start) ? "tt" : "ttcore";
    return {
      kind: "dialect",
      dialect,
      mnemonic: "device",
      body: scanner.text.slice(start + 1, scanner.position - 1),
    };
  }
  const passed = kind === "type" ? skipType(scanner) : skipAttribute(scanner);
  const text = scanner.text.slice(passed.start, passed.end);
  return kind === "type" ? { kind, text } : { kind: "opaque", text };
}
