// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorAt } from "../lib/diagnostics/diagnostic.ts";

/**
 * Reads JSON with comments and trailing commas.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if the text is not valid JSON with comments; it has the location
 */
export function parseJsonc(text: string, file: string): unknown {
  return new JsoncReader(text, file).read();
}

const BLANK = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const WORD = /-?\d[\d.eE+-]*|true|false|null/y;

class JsoncReader {
  readonly #text: string;
  readonly #file: string;
  #offset = 0;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  read(): unknown {
    const value = this.#value();
    if (this.#next() !== "") this.#fail("nothing may follow the value");
    return value;
  }

  #value(): unknown {
    switch (this.#next()) {
      case "{": {
        const entries: [string, unknown][] = [];
        this.#list("{", "}", () => {
          const key = this.#string();
          this.#take(":");
          entries.push([key, this.#value()]);
        });
        return Object.fromEntries(entries);
      }
      case "[": {
        const items: unknown[] = [];
        this.#list("[", "]", () => items.push(this.#value()));
        return items;
      }
      case '"':
        return this.#string();
      default:
        return this.#decode(WORD, "expected a value");
    }
  }

  #list(open: string, close: string, item: () => void): void {
    this.#take(open);
    while (this.#next() !== close) {
      item();
      if (this.#next() !== ",") break;
      this.#take(",");
    }
    this.#take(close);
  }

  #string(): string {
    this.#next();
    return String(this.#decode(STRING, 'expected a "string"'));
  }

  /** The next character that is neither blank nor comment; `""` at the end. */
  #next(): string {
    this.#match(BLANK);
    return this.#text[this.#offset] ?? "";
  }

  #take(character: string): void {
    if (this.#next() !== character) this.#fail(`expected '${character}'`);
    this.#offset++;
  }

  #decode(pattern: RegExp, expected: string): unknown {
    const start = this.#offset;
    const text = this.#match(pattern);
    if (text === undefined || text === "") this.#fail(expected);
    try {
      return JSON.parse(text);
    } catch {
      this.#offset = start;
      this.#fail(expected);
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const [text] = pattern.exec(this.#text) ?? [];
    this.#offset += text?.length ?? 0;
    return text;
  }

  #fail(reason: string): never {
    throw new DiagnosticError([
      errorAt(
        "config/invalid-json",
        this.#file,
        this.#text,
        this.#offset,
        `Cannot read ${this.#file}: ${reason}`,
      ),
    ]);
  }
}
