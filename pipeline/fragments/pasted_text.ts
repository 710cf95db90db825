// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { skipAttribute } from "../../lib/ir/attribute_scanner.ts";
import { withoutComments } from "../../lib/ir/comments.ts";
import type { Operation } from "../../lib/ir/mod.ts";
import { OperationParser } from "../../lib/ir/operation_parser.ts";
import { type AliasUse, Scanner } from "../../lib/ir/scanner.ts";
import { skipType } from "../../lib/ir/type_scanner.ts";

/** A line that defines an alias. */
const ALIAS = /^[ \t]*([#!])[\w$]+[ \t]*=/;

/** Most places of a text that cannot be read: each may be looked at up to the end of the text. */
const MOST_FAULTS = 64;

/** A text by lines, of which single ops can be read. */
export class PastedText {
  readonly fileName: string;
  readonly lines: readonly string[];
  /** Names of the functions of which the text holds the head. */
  readonly functionNames: ReadonlySet<string>;
  /** Definitions of aliases by their first line. */
  readonly aliases: ReadonlyMap<number, string>;
  readonly #starts: readonly number[];
  readonly #scanner: Scanner;
  readonly #parser: OperationParser;
  #faults = 0;

  constructor(given: string, fileName: string) {
    const text = withoutCutLocations(given);
    this.fileName = fileName;
    this.lines = text.split("\n");
    let offset = 0;
    this.#starts = this.lines.map(({ length }) => (offset += length + 1) - length - 1);
    this.functionNames = new Set(
      [...text.matchAll(/\bfunc\.func\b[^@\n]*@([\w$.-]+)/g)].map(([, name = ""]) => name),
    );
    this.#scanner = new Scanner(withoutComments(text), fileName, text);
    this.#parser = new OperationParser(this.#scanner);
    // Names may be defined where the text does not reach.
    this.#parser.scopes.push(true, true);
    const aliases = new Map<number, string>();
    this.lines.forEach((line, index) => {
      const [begin, sigil] = ALIAS.exec(line) ?? [];
      if (begin === undefined) return;
      const end = this.#pass(
        index,
        begin.length,
        () => (sigil === "#" ? skipAttribute : skipType)(this.#scanner),
      );
      if (end !== undefined) aliases.set(index, this.between(index, 0, end));
    });
    this.aliases = aliases;
  }

  /** The text to which its spans refer. */
  get text(): string {
    return this.#scanner.text;
  }

  /** Uses of aliases in what was read. */
  get aliasUses(): Iterable<AliasUse> {
    return this.#scanner.aliasUses.values();
  }

  /** Whether what was read uses an alias of attributes that the text does not define. */
  get lacksAliases(): boolean {
    const defined = new Set([...this.aliases.values()].map((text) => /[#!][\w$]+/.exec(text)?.[0]));
    return [...this.aliasUses].some(({ sigil, name }) => sigil === "#" && !defined.has(sigil + name));
  }

  /** The op at a place; `undefined` where it cannot be read. */
  operationAt(
    line: number,
    column: number,
  ): { readonly operation: Operation; readonly end: number } | undefined {
    let operation: Operation | undefined;
    const end = this.#pass(line, column, () => operation = this.#parser.parseOperation(undefined, undefined));
    return end === undefined || operation === undefined ? undefined : { operation, end };
  }

  /** The text from a place to an offset, behind blanks in place of the columns before, and without blanks at its end. */
  between(line: number, column: number, end: number): string {
    return " ".repeat(column) + this.text.slice((this.#starts[line] ?? 0) + column, end).trimEnd();
  }

  #pass(line: number, column: number, pass: () => void): number | undefined {
    if (this.#faults > MOST_FAULTS) return undefined;
    const scanner = this.#scanner;
    const { nesting } = scanner;
    scanner.position = (this.#starts[line] ?? 0) + column;
    scanner.skipTrivia();
    try {
      pass();
      return scanner.position;
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      this.#faults++;
      this.#parser.scopes.discard(1);
      scanner.nesting = nesting;
      return undefined;
    }
  }
}

/** A location to the end of its line. */
const LOCATION = / loc\((.*)$/gm;

/** A text in which a location that its line does not close is blank: a log cut it, and the op before it is whole. */
function withoutCutLocations(text: string): string {
  return text.replaceAll(LOCATION, (found: string) => {
    let from = 0;
    for (let next = 0; next >= 0; next = found.indexOf(" loc(", from)) {
      const end = closing(found, next + " loc".length);
      if (end === undefined) return found.slice(0, next) + " ".repeat(found.length - next);
      from = end;
    }
    return found;
  });
}

/** The offset behind the parenthesis that closes the one at `from`; `undefined` if none does. */
function closing(text: string, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') inString = !inString;
    if (inString) continue;
    if (character === "(") depth++;
    if (character === ")" && --depth === 0) return at + 1;
  }
  return undefined;
}
