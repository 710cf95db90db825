// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { skipDictionary } from "./attribute_scanner.ts";
import { skipLocation } from "./location_scanner.ts";
import type { Operand, Operation, Region, Successor } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import type { EntryArgument } from "./region_parser.ts";
import {
  AT,
  BANG,
  CARET,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  COLON,
  EQUALS,
  GREATER,
  HASH,
  isIdentifierStart,
  LESS,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PARENTHESIS,
  PERCENT,
  QUOTE,
} from "./characters.ts";
import type { Mutable } from "./value_scopes.ts";

/** What can start a new operation, block or alias on a new line. */
const RESULTS = /%[\w$.-]+(?::\d+)?(?:\s*,\s*%[\w$.-]+(?::\d+)?)*\s*=(?!=)/y;
const GENERIC_NAME = /"[^"\n]*"\s*\(/y;
const BLOCK_LABEL = /\^[\w$.-]+\s*(?::|\((?:\)|[^()]*:))/y;
const ALIAS_DEFINITION = /[#!][\w$]+\s*=/y;
const WORD = /[A-Za-z_][\w$.]*/y;
/** Ops that print without their dialect, so that no dot tells them from a keyword of the op before. */
const BARE_OPS: ReadonlySet<string> = new Set(["return", "call", "module", "func", "constant"]);

const DICTIONARY_START = /\{\s*(?:\}|"[^"\n]*"\s*=|[A-Za-z_][\w$.]*\s*(?:=(?!=)|,))/y;
const LONE_WORD_IN_BRACES = /\{\s*([A-Za-z_][\w$.]*)\s*\}/y;
/** Terminators that print as a bare word and so look like a unit attribute between braces. */
const BARE_TERMINATOR = /(?:^|\.)(?:return|yield|unreachable|terminator|end)$/;

function matchesAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

/** What the scan of an opaque op collects. */
interface Collected {
  readonly uses: Mutable<Operand>[];
  readonly successors: Successor[];
  readonly regions: Region[];
  /** Definitions that the op spells before its regions: loop variables, arguments of function-like ops. */
  readonly entryArguments: EntryArgument[];
  /** Whether the op defines a symbol with arguments, `@name(%a: T)`. */
  functionLike: boolean;
}

/**
 * Parses an op in a custom form that we do not know: finds where it ends, which values it uses and what its regions
 * hold. It ends at its location, at the closing brace around it, or at the end of a line when the next line starts
 * another op, block or alias.
 */
export function parseOpaqueForm(parser: OperationParser, operation: Mutable<Operation>): void {
  const { scanner } = parser;
  const { text } = scanner;
  const found: Collected = { uses: [], successors: [], regions: [], entryArguments: [], functionLike: false };
  const opened: number[] = [];
  let end = scanner.position;
  let afterAttributesKeyword = false;
  let symbolEnd = -1;
  scan: for (;;) {
    const before = scanner.position;
    scanner.skipTrivia();
    const start = scanner.position;
    const code = scanner.peek();
    const nested = opened.length > 0;
    if (!nested && scanner.hasNewline(before, start) && startsSomethingNew(text, start)) break;
    switch (code) {
      case PERCENT:
        scanValue(parser, found, nested);
        break;
      case QUOTE:
        scanner.skipString();
        break;
      case HASH:
      case BANG:
        scanner.position = scanner.noteSigil(start);
        if (scanner.peek() === LESS) scanner.skipBalanced();
        break;
      case LESS:
        scanner.skipBalanced();
        break;
      case AT:
        scanner.symbol();
        symbolEnd = scanner.position;
        break;
      case CARET:
        found.successors.push({
          label: scanner.sigilName("a block name after '^'"),
          span: scanner.spanFrom(start),
        });
        break;
      case OPEN_PARENTHESIS:
      case OPEN_BRACKET:
        if (start === symbolEnd && code === OPEN_PARENTHESIS) found.functionLike = true;
        opened.push(start);
        scanner.position++;
        break;
      case CLOSE_PARENTHESIS:
      case CLOSE_BRACKET:
        closeBracket(parser, operation, opened);
        break;
      case OPEN_BRACE:
        if (nested) scanner.skipBalanced();
        else if (afterAttributesKeyword || looksLikeDictionary(text, start)) {
          operation.attributes = skipOpaqueDictionary(parser);
        } else {
          found.regions.push(parseOpaqueRegion(parser, operation, found));
        }
        break;
      case CLOSE_BRACE:
        if (!nested) break scan;
        throw unclosed(parser, operation, opened);
      case MINUS:
        scanner.position += text.charCodeAt(start + 1) === GREATER ? 2 : 1;
        break;
      default:
        if (Number.isNaN(code)) {
          if (nested) throw unclosed(parser, operation, opened);
          break scan;
        }
        if (!nested) {
          operation.location = skipLocation(scanner);
          if (operation.location !== undefined) {
            end = scanner.position;
            break scan;
          }
        }
        if (isIdentifierStart(code)) {
          afterAttributesKeyword = scanner.identifier() === "attributes";
          end = scanner.position;
          continue;
        }
        scanner.position++;
    }
    afterAttributesKeyword = false;
    end = scanner.position;
  }
  scanner.position = end;
  resolve(parser, operation, found);
}

/** Passes `)` or `]`, which closes the last bracket that was opened. */
function closeBracket({ scanner }: OperationParser, operation: Operation, opened: number[]): void {
  const open = opened.pop();
  const expected = scanner.peek() === CLOSE_PARENTHESIS ? OPEN_PARENTHESIS : OPEN_BRACKET;
  if (open === undefined || scanner.text.charCodeAt(open) !== expected) {
    throw scanner.error(
      "parse/unbalanced-bracket",
      scanner.position,
      `'${scanner.text.charAt(scanner.position)}' closes nothing in '${operation.name}'; remove it`,
    );
  }
  scanner.position++;
}

function unclosed(parser: OperationParser, operation: Operation, opened: readonly number[]): DiagnosticError {
  const open = opened.at(-1) ?? operation.nameSpan.start;
  return parser.scanner.error(
    "parse/unbalanced-bracket",
    open,
    `'${parser.scanner.text.charAt(open)}' of '${operation.name}' is never closed`,
  );
}

function resolve(parser: OperationParser, operation: Mutable<Operation>, found: Collected): void {
  for (const use of found.uses) {
    // An op with regions may define names in ways that we do not see; one without cannot.
    if (found.regions.length > 0) parser.scopes.useIfVisible(use);
    else parser.scopes.use(use);
  }
  operation.operands = found.uses;
  operation.successors = found.successors;
  operation.regions = found.regions;
}

function scanValue(parser: OperationParser, found: Collected, nested: boolean): void {
  const { scanner } = parser;
  const operand = parser.scanOperand();
  const after = scanner.position;
  scanner.skipTrivia();
  const next = scanner.peek();
  scanner.position = after;
  const assigned = next === EQUALS && scanner.text.charCodeAt(scanner.position + 1) !== EQUALS;
  if (assigned || (next === COLON && nested && found.functionLike)) {
    found.entryArguments.push({
      name: operand.name,
      span: operand.span,
      type: undefined,
      attributes: undefined,
      location: undefined,
    });
  } else {
    found.uses.push(operand);
  }
}

function startsSomethingNew(text: string, offset: number): boolean {
  switch (text.charCodeAt(offset)) {
    case PERCENT:
      return matchesAt(RESULTS, text, offset) !== null;
    case QUOTE:
      return matchesAt(GENERIC_NAME, text, offset) !== null;
    case CARET:
      return matchesAt(BLOCK_LABEL, text, offset) !== null;
    case HASH:
    case BANG:
      return matchesAt(ALIAS_DEFINITION, text, offset) !== null;
    case OPEN_BRACE:
      return text.startsWith("{-#", offset);
    default: {
      const word = matchesAt(WORD, text, offset)?.[0];
      return word !== undefined && (word.includes(".") || BARE_OPS.has(word));
    }
  }
}

function looksLikeDictionary(text: string, offset: number): boolean {
  if (matchesAt(DICTIONARY_START, text, offset) !== null) return true;
  const word = matchesAt(LONE_WORD_IN_BRACES, text, offset)?.[1];
  return word !== undefined && !BARE_TERMINATOR.test(word);
}

/** A dictionary of an unknown op may hold values that are no attributes; then only its extent is known. */
function skipOpaqueDictionary(parser: OperationParser) {
  const { scanner } = parser;
  const start = scanner.position;
  try {
    return skipDictionary(scanner);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    scanner.position = start;
    scanner.skipBalanced();
    return undefined;
  }
}

/**
 * Parses a region of an opaque op. When its contents do not parse, the outermost opaque op carries the whole region
 * by its brackets: a language inside an unknown op is none of our business.
 */
function parseOpaqueRegion(parser: OperationParser, operation: Operation, found: Collected): Region {
  const { scanner, scopes } = parser;
  const start = scanner.position;
  const context = { isolated: found.functionLike, lenient: true, entryArguments: found.entryArguments };
  if (scopes.lenient) return parser.parseRegion(operation, context);
  const depth = scopes.depth;
  const operationCount = parser.operations.length;
  const nesting = scanner.nesting;
  const aliasUses = scanner.aliasUses.size;
  try {
    return parser.parseRegion(operation, context);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    scopes.discard(depth);
    parser.operations.length = operationCount;
    scanner.nesting = nesting;
    scanner.forgetAliasUses(aliasUses);
    scanner.position = start;
    scanner.skipBalanced();
    return { span: scanner.spanFrom(start), blocks: [], operation };
  }
}
