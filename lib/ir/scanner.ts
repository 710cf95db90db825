// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorAt } from "../diagnostics/diagnostic.ts";
import {
  DIGIT,
  endOfClass,
  hasClass,
  IDENTIFIER_PART,
  isDigit,
  isIdentifierStart,
  SPACE,
} from "./characters.ts";
import type { ModuleText, Span } from "./module_text.ts";
import { unescapeName, unescapeString } from "./string_literal.ts";

/** Brackets and regions may nest this deep; real files stay below 30. */
export const MAXIMUM_NESTING = 512;

/** A use of an attribute alias (`#name`) or type alias (`!name`) somewhere in the text. */
export interface AliasUse {
  readonly sigil: "#" | "!";
  readonly name: string;
  readonly offset: number;
}

/**
 * The character level of the parser: a position in the text, trivia, names, strings, balanced brackets, and errors
 * with a place. Every function is linear in what it passes over.
 */
export class Scanner {
  readonly text: string;
  readonly fileName: string;
  readonly #fileText: string;
  readonly #fileOffset: number;
  position = 0;
  /** The trivia that was passed last: where it starts and ends. */
  #triviaStart = -1;
  #triviaEnd = -1;
  /** Made with the first use: most scanners read a word or two. */
  #aliasUses: Map<string, AliasUse> | undefined;
  /** Levels that are open, see {@linkcode enter}. */
  nesting = 0;

  /**
   * @param text text to scan
   * @param fileName name for diagnostics
   * @param fileText whole file, when `text` is a piece of it
   * @param fileOffset where the piece starts in the file
   */
  constructor(text: string, fileName: string, fileText: string = text, fileOffset = 0) {
    this.text = text;
    this.fileName = fileName;
    this.#fileText = fileText;
    this.#fileOffset = fileOffset;
    // A byte order mark, which some editors put before the text, is kept and means nothing.
    if (text.startsWith("\uFEFF")) this.position = 1;
  }

  /** First use of every alias name, with its sigil, in order. Checked against the definitions at the end. */
  get aliasUses(): Map<string, AliasUse> {
    return this.#aliasUses ??= new Map();
  }

  /** Builds the error of an offset; the caller throws it. */
  error(code: string, offset: number, message: string): DiagnosticError {
    return new DiagnosticError([
      errorAt(code, this.fileName, this.#fileText, this.#fileOffset + offset, message),
    ]);
  }

  /** Builds a syntax error that says what was expected and what stands there. */
  expected(what: string, offset: number = this.position): DiagnosticError {
    if (offset >= this.text.length) {
      return this.error(
        "parse/unexpected-end",
        offset,
        `expected ${what}, but the text ends here; the file looks truncated, write it again in full`,
      );
    }
    return this.error(
      "parse/unexpected-token",
      offset,
      `expected ${what}, but found ${this.describe(offset)}`,
    );
  }

  /** Describes what stands at an offset, for messages. */
  describe(offset: number): string {
    const code = this.text.charCodeAt(offset);
    if (Number.isNaN(code)) return "the end of the text";
    if (code < 32 || code === 127 || code === 0xFFFD) {
      return `the character U+${code.toString(16).toUpperCase().padStart(4, "0")}; is this MLIR text?`;
    }
    const word = /[A-Za-z0-9_$.]+|./y;
    word.lastIndex = offset;
    const found = word.exec(this.text)?.[0] ?? "";
    return `'${found.length > 40 ? `${found.slice(0, 40)}…` : found}'`;
  }

  /** The character at the position, `""` at the end. */
  peek(): string {
    return this.text.charAt(this.position);
  }

  /** Whether the whole text is consumed. */
  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** Passes blanks, newlines and comments. */
  skipTrivia(): void {
    const text = this.text;
    const start = this.position;
    let position = endOfClass(text, start, SPACE);
    while (text.startsWith("//", position)) {
      position = endOfClass(text, endOfLine(text, position), SPACE);
    }
    if (position === start) return;
    this.#triviaStart = start;
    this.#triviaEnd = position;
    this.position = position;
  }

  /** Passes a punctuation when it stands here (after trivia); says whether it did. */
  accept(punctuation: string): boolean {
    this.skipTrivia();
    if (!this.text.startsWith(punctuation, this.position)) return false;
    this.position += punctuation.length;
    return true;
  }

  /** Passes a punctuation (after trivia). */
  expect(punctuation: string, context: string): void {
    if (!this.accept(punctuation)) throw this.expected(`'${punctuation}' ${context}`);
  }

  /** Whether a keyword stands here (after trivia) and is not the start of a longer name. */
  atKeyword(keyword: string): boolean {
    this.skipTrivia();
    return this.text.startsWith(keyword, this.position) &&
      !hasClass(this.text.charAt(this.position + keyword.length), IDENTIFIER_PART);
  }

  /** Passes a keyword when it stands here (after trivia); says whether it did. */
  acceptKeyword(keyword: string): boolean {
    if (!this.atKeyword(keyword)) return false;
    this.position += keyword.length;
    return true;
  }

  /** Passes a bare identifier `[A-Za-z_][A-Za-z0-9_$.]*` at the position and returns it; `""` when none stands here. */
  identifier(): string {
    const start = this.position;
    if (!isIdentifierStart(this.peek())) return "";
    this.position = endOfClass(this.text, start, IDENTIFIER_PART);
    return this.text.slice(start, this.position);
  }

  /** Passes a name after a sigil (`%`, `^`, `#`, `!`) at the position; the sigil is part of the result. */
  sigilName(what: string): string {
    const start = this.position;
    const text = this.text;
    let position = endOfClass(text, start + 1, IDENTIFIER_PART);
    while (text.charAt(position) === "-" && text.charAt(position + 1) !== ">") {
      position = endOfClass(text, position + 1, IDENTIFIER_PART);
    }
    if (position === start + 1) throw this.expected(what);
    this.position = position;
    return text.slice(start, position);
  }

  /** Passes a decimal integer at the position and returns its value; `undefined` when none stands here. */
  decimal(): number | undefined {
    const start = this.position;
    const position = endOfClass(this.text, start, DIGIT);
    if (position === start) return undefined;
    this.position = position;
    return Number(this.text.slice(start, position));
  }

  /** Passes a string literal at the position, quotes included. */
  skipString(): void {
    const text = this.text;
    const start = this.position;
    let end = text.indexOf('"', start + 1);
    for (;;) {
      if (end === -1) {
        throw this.error(
          "parse/unterminated-string",
          start,
          `string has no closing '"'; is the file truncated?`,
        );
      }
      let backslash = end - 1;
      while (text.charAt(backslash) === "\\") backslash--;
      if ((end - backslash) % 2 === 1) break;
      end = text.indexOf('"', end + 1);
    }
    // MLIR strings stay on one line. Looking for the newline only inside the string keeps this linear.
    if (end - start < 1 << 16 && text.slice(start, end).includes("\n")) {
      throw this.error("parse/unterminated-string", start, `string has no closing '"' on its line`);
    }
    this.position = end + 1;
  }

  /**
   * Passes a string literal at the position and returns its value with the escapes `\\`, `\"`, `\n`, `\t`, `\XX`
   * undone.
   */
  stringLiteral(): string {
    const start = this.position;
    this.skipString();
    return unescapeString(this.text.slice(start + 1, this.position - 1));
  }

  /** Passes a symbol reference `@name`, `@"name"`, `@a::@b` at the position; returns it without the first `@`. */
  symbol(): string {
    const start = this.position;
    this.#symbolPart();
    let simple = this.text.charAt(start + 1) === '"'
      ? unescapeName(this.text.slice(start + 2, this.position - 1))
      : this.text.slice(start + 1, this.position);
    while (this.text.startsWith("::@", this.position)) {
      this.position += 2;
      this.#symbolPart();
      simple = this.text.slice(start + 1, this.position);
    }
    return simple;
  }

  #symbolPart(): void {
    this.position++;
    if (this.peek() === '"') {
      this.skipString();
      return;
    }
    const start = this.position;
    this.position = endOfClass(this.text, start, IDENTIFIER_PART);
    if (this.position === start) throw this.expected("a symbol name after '@'");
  }

  /** Notes the use of an alias. */
  noteAliasUse(sigil: "#" | "!", name: string, offset: number): void {
    const key = sigil + name;
    if (!this.aliasUses.has(key)) this.aliasUses.set(key, { sigil, name, offset });
  }

  /** Drops the uses of aliases that were noted after the first `count`. */
  forgetAliasUses(count: number): void {
    for (const key of [...this.aliasUses.keys()].slice(count)) this.aliasUses.delete(key);
  }

  /** Counts a level of nesting; throws when the text nests too deep to be real. Pair with {@linkcode leave}. */
  enter(): void {
    if (++this.nesting > MAXIMUM_NESTING) {
      throw this.error(
        "parse/nesting-too-deep",
        this.position,
        `nesting is deeper than ${MAXIMUM_NESTING} levels; flatten the regions or attributes`,
      );
    }
  }

  /** Ends a level of nesting. */
  leave(): void {
    this.nesting--;
  }

  /**
   * Passes one bracketed stretch, from the open bracket at the position to its partner, whatever stands inside:
   * strings, comments, `->`, `>=`, and any mix of `()`, `[]`, `{}`, `<>`. Uses of aliases are noted.
   */
  skipBalanced(): void {
    const text = this.text;
    const opened: number[] = [this.position];
    let position = this.position + 1;
    for (;;) {
      const character = text.charAt(position);
      switch (character) {
        case "(":
        case "[":
        case "{":
          opened.push(position);
          position++;
          break;
        case "<":
          // `<=` and `>=` stand in affine sets; they open and close nothing.
          if (text.charAt(position + 1) !== "=") opened.push(position);
          position++;
          break;
        case ")":
        case "]":
        case "}":
        case ">":
          position = this.#closed(opened, position, character);
          if (opened.length > 0) break;
          this.position = position;
          return;
        case '"':
          this.position = position;
          this.skipString();
          position = this.position;
          break;
        case "-":
          position += text.charAt(position + 1) === ">" ? 2 : 1;
          break;
        case "/":
          position = text.charAt(position + 1) === "/" ? endOfLine(text, position) : position + 1;
          break;
        case "#":
        case "!":
          position = this.noteSigil(position);
          break;
        case "%": {
          // A value name; its result number `#1` is no alias.
          position = endOfClass(text, position + 1, IDENTIFIER_PART);
          if (text.charAt(position) === "#") position++;
          break;
        }
        default:
          if (character === "") throw this.#unclosed(opened.at(-1) ?? position);
          position++;
      }
    }
  }

  /** Drops the bracket that a closing one at the position matches; returns the position behind it, or behind `>=`. */
  #closed(opened: number[], position: number, closing: string): number {
    if (closing === ">" && this.text.charAt(position + 1) === "=") return position + 2;
    const open = opened.pop();
    if (open === undefined || CLOSING[this.text.charAt(open)] !== closing) {
      throw this.#mismatch(open, position);
    }
    return position + 1;
  }

  #unclosed(open: number): DiagnosticError {
    const message = `'${this.text.charAt(open)}' is never closed; the file looks truncated`;
    return this.error("parse/unbalanced-bracket", open, message);
  }

  #mismatch(open: number | undefined, position: number): DiagnosticError {
    const closing = this.text.charAt(position);
    if (open === undefined) {
      return this.error("parse/unbalanced-bracket", position, `'${closing}' closes nothing; remove it`);
    }
    return this.error(
      "parse/unbalanced-bracket",
      position,
      `'${closing}' does not close '${this.text.charAt(open)}' opened ${this.lineDistance(open, position)}`,
    );
  }

  /** Says where an open bracket stands, relative to a later offset. */
  lineDistance(open: number, position: number): string {
    let lines = 0;
    for (let next = this.text.indexOf("\n", open); next !== -1 && next < position;) {
      lines++;
      next = this.text.indexOf("\n", next + 1);
    }
    return lines === 0 ? "on the same line" : `${lines} line${lines === 1 ? "" : "s"} above`;
  }

  /**
   * Passes `#name`, `!name`, `#dialect.name` at an offset and notes the use when it is an alias. Returns the offset
   * behind the name (not behind a body in angle brackets).
   */
  noteSigil(offset: number): number {
    const text = this.text;
    const end = endOfClass(text, offset + 1, IDENTIFIER_PART);
    if (end === offset + 1 || isDigit(text.charAt(offset + 1))) return Math.max(end, offset + 1);
    const name = text.slice(offset + 1, end);
    if (text.charAt(end) !== "<" && !name.includes(".")) {
      this.noteAliasUse(text.charAt(offset) === "#" ? "#" : "!", name, offset);
    }
    return end;
  }

  /** The span from an offset to the end of what was parsed last, without the trivia behind it. */
  spanFrom(start: number): Span {
    const end = this.position === this.#triviaEnd ? this.#triviaStart : this.position;
    return { start, end: end < start ? start : end };
  }

  /** Whether the text between two offsets holds a newline. */
  hasNewline(start: number, end: number): boolean {
    return this.text.slice(start, end).includes("\n");
  }
}

/** A scanner at an offset of a module that was parsed before. */
export function scannerAt(module: ModuleText, offset: number): Scanner {
  const scanner = new Scanner(module.plainText, module.fileName, module.fileText, module.offset);
  scanner.position = offset;
  return scanner;
}

/** Where the next line begins, or the text ends. */
function endOfLine(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  return newline === -1 ? text.length : newline + 1;
}

/** The bracket that closes each one. */
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
