// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { skipDictionary } from "./attribute_scanner.ts";
import { skipLocation } from "./location_scanner.ts";
import type { Operand, Operation, Region, Successor } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import type { EntryArgument, RegionContext } from "./region_parser.ts";
import { isIdentifierStart } from "./characters.ts";
import type { Mutable } from "./value_scopes.ts";

/** Beginnings of an operation, block or alias on a new line. */
const RESULTS = /%[\w$.-]+(?::\d+)?(?:\s*,\s*%[\w$.-]+(?::\d+)?)*\s*=(?!=)/y;
const GENERIC_NAME = /"[^"\n]*"\s*\(/y;
const BLOCK_LABEL = /\^[\w$.-]+\s*(?::|\((?:\)|[^()]*:))/y;
const ALIAS_DEFINITION = /[#!][\w$]+\s*=/y;
const WORD = /[A-Za-z_][\w$.]*/y;
/** Ops that print without their dialect prefix. Any other word without a dot is a keyword of the current op. */
const BARE_OPS: ReadonlySet<string> = new Set(["return", "call", "module", "func", "constant"]);

const DICTIONARY_START = /\{\s*(?:\}|"[^"\n]*"\s*=|[A-Za-z_][\w$.]*\s*(?:=(?!=)|,))/y;
const LONE_WORD_IN_BRACES = /\{\s*([A-Za-z_][\w$.]*)\s*\}/y;
/** Terminators that print as a bare word and so look like a unit attribute between braces. */
const BARE_TERMINATOR = /(?:^|\.)(?:return|yield|unreachable|terminator|end)$/;

function matchesAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

/**
 * Parses an op in an unknown custom form: its end, the values that it uses, and its regions. The op ends after its
 * location, before the closing brace around it, at the end of the text, or at the end of a line if the next line
 * starts an op, block or alias.
 */
export function parseOpaqueForm(parser: OperationParser, operation: Mutable<Operation>): void {
  const { scanner } = parser;
  const form = new OpaqueForm(parser, operation);
  for (;;) {
    const end = scanner.position;
    scanner.skipTrivia();
    if (form.endsBehind(end)) {
      scanner.position = end;
      break;
    }
    form.passToken();
    if (operation.location !== undefined) break;
  }
  form.resolve();
}

/** Uses, successors, regions and open brackets of an opaque op, up to the scanner's position. */
class OpaqueForm {
  readonly #parser: OperationParser;
  readonly #operation: Mutable<Operation>;
  readonly #uses: Mutable<Operand>[] = [];
  readonly #successors: Successor[] = [];
  readonly #regions: Region[] = [];
  /** Definitions that the op spells before its regions: loop variables, arguments of function-like ops. */
  readonly #entryArguments: EntryArgument[] = [];
  /** Offsets of the open `(` and `[`. */
  readonly #opened: number[] = [];
  /** Whether the text has `@name(` so far, as in `@name(%a: T)` of a function-like op. */
  #functionLike = false;
  /** Whether the last token was `attributes`, behind which a brace opens a dictionary. */
  #afterAttributesKeyword = false;
  /** Where the last symbol ends, behind which a parenthesis opens arguments. */
  #symbolEnd = -1;

  constructor(parser: OperationParser, operation: Mutable<Operation>) {
    this.#parser = parser;
    this.#operation = operation;
  }

  /** Whether the op ends with its last token, before the scanner's position. `end` is the offset after that token. */
  endsBehind(end: number): boolean {
    if (this.#opened.length > 0) return false;
    const { scanner } = this.#parser;
    const next = scanner.peek();
    return next === "}" || next === "" ||
      scanner.hasNewline(end, scanner.position) && startsSomethingNew(scanner.text, scanner.position);
  }

  /** Passes the next token. Passes `<…>`, dictionaries, regions and braces inside brackets as a whole. */
  passToken(): void {
    const { scanner } = this.#parser;
    const start = scanner.position;
    const next = scanner.peek();
    const opensDictionary = this.#afterAttributesKeyword;
    this.#afterAttributesKeyword = false;
    switch (next) {
      case "%":
        return this.#passValue();
      case '"':
        return scanner.skipString();
      case "#":
      case "!":
        scanner.position = scanner.noteSigil(start);
        if (scanner.peek() === "<") scanner.skipBalanced();
        return;
      case "<":
        return scanner.skipBalanced();
      case "@":
        scanner.symbol();
        this.#symbolEnd = scanner.position;
        return;
      case "^": {
        const label = scanner.sigilName("a block name after '^'");
        this.#successors.push({ label, span: scanner.spanFrom(start) });
        return;
      }
      case "(":
      case "[":
        if (start === this.#symbolEnd && next === "(") this.#functionLike = true;
        this.#opened.push(start);
        scanner.position++;
        return;
      case ")":
      case "]":
        return this.#closeBracket();
      case "{":
        return this.#passBraces(opensDictionary);
      case "}":
        throw this.#unclosed();
      case "-":
        scanner.position += scanner.text.charAt(start + 1) === ">" ? 2 : 1;
        return;
      default:
        return this.#passWord(next);
    }
  }

  /** Passes a location (outside of brackets; it ends the op), a word, or one other character. */
  #passWord(next: string): void {
    const { scanner } = this.#parser;
    if (next === "") throw this.#unclosed();
    if (this.#opened.length === 0) {
      this.#operation.location = skipLocation(scanner);
      if (this.#operation.location !== undefined) return;
    }
    if (isIdentifierStart(next)) this.#afterAttributesKeyword = scanner.identifier() === "attributes";
    else scanner.position++;
  }

  /**
   * Passes a value. Before `=`, or before `:` in the brackets of a function-like op, it is a definition for the regions
   * (loop variable, argument); otherwise it is a use.
   */
  #passValue(): void {
    const { scanner } = this.#parser;
    const operand = this.#parser.scanOperand();
    const after = scanner.position;
    scanner.skipTrivia();
    const next = scanner.peek();
    scanner.position = after;
    const assigned = next === "=" && scanner.text.charAt(scanner.position + 1) !== "=";
    if (assigned || (next === ":" && this.#opened.length > 0 && this.#functionLike)) {
      this.#entryArguments.push({
        name: operand.name,
        span: operand.span,
        type: undefined,
        attributes: undefined,
        location: undefined,
      });
    } else {
      this.#uses.push(operand);
    }
  }

  #closeBracket(): void {
    const { scanner } = this.#parser;
    const open = this.#opened.pop();
    const expected = scanner.peek() === ")" ? "(" : "[";
    if (open === undefined || scanner.text.charAt(open) !== expected) {
      throw scanner.error(
        "parse/unbalanced-bracket",
        scanner.position,
        `'${scanner.text.charAt(scanner.position)}' closes nothing in '${this.#operation.name}'; remove it`,
      );
    }
    scanner.position++;
  }

  #passBraces(opensDictionary: boolean): void {
    const { scanner } = this.#parser;
    if (this.#opened.length > 0) scanner.skipBalanced();
    else if (opensDictionary || looksLikeDictionary(scanner.text, scanner.position)) {
      this.#operation.attributes = skipOpaqueDictionary(this.#parser);
    } else {
      this.#regions.push(parseOpaqueRegion(this.#parser, this.#operation, {
        isolated: this.#functionLike,
        lenient: true,
        entryArguments: this.#entryArguments,
      }));
    }
  }

  #unclosed(): DiagnosticError {
    const { scanner } = this.#parser;
    const open = this.#opened.at(-1) ?? this.#operation.nameSpan.start;
    return scanner.error(
      "parse/unbalanced-bracket",
      open,
      `'${scanner.text.charAt(open)}' of '${this.#operation.name}' is never closed`,
    );
  }

  /** Resolves the uses; sets operands, successors and regions of the op. */
  resolve(): void {
    for (const use of this.#uses) {
      // An op with regions may define names in ways that we do not see; one without cannot.
      if (this.#regions.length > 0) this.#parser.scopes.useIfVisible(use);
      else this.#parser.scopes.use(use);
    }
    this.#operation.operands = this.#uses;
    this.#operation.successors = this.#successors;
    this.#operation.regions = this.#regions;
  }
}

function startsSomethingNew(text: string, offset: number): boolean {
  switch (text.charAt(offset)) {
    case "%":
      return matchesAt(RESULTS, text, offset) !== null;
    case '"':
      return matchesAt(GENERIC_NAME, text, offset) !== null;
    case "^":
      return matchesAt(BLOCK_LABEL, text, offset) !== null;
    case "#":
    case "!":
      return matchesAt(ALIAS_DEFINITION, text, offset) !== null;
    case "{":
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

/** Passes a dictionary of an unknown op; `undefined` if the dictionary does not parse as attributes. */
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
 * Parses a region of an opaque op. If its contents do not parse, the region of the outermost opaque op has a span and
 * no blocks: the region may contain another language.
 */
function parseOpaqueRegion(
  parser: OperationParser,
  operation: Operation,
  context: RegionContext,
): Region {
  const { scanner, scopes } = parser;
  const start = scanner.position;
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
