// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorAt } from "../diagnostics/diagnostic.ts";

/** A part of an option's text with its offset, for error positions. */
export interface Token {
  readonly text: string;
  readonly offset: number;
}

/** One `name=value:value:…` of an override option. */
export interface OverrideEntry {
  readonly name: string;
  readonly values: readonly Token[];
}

/** Text of one override option, split by its grammar; reports errors at positions in it. */
export class OverrideText {
  readonly option: string;
  readonly text: string;

  /** @param option name of the option, for messages, for example `--override-output-layout` */
  constructor(option: string, text: string) {
    this.option = option;
    this.text = text;
  }

  /**
   * The entries `name=value:value:…`, separated by commas; nothing after the `=` is allowed.
   *
   * @throws {DiagnosticError} when an entry has no name or no `=`, or a name occurs twice
   */
  entries(): OverrideEntry[] {
    const entries: OverrideEntry[] = [];
    const names = new Set<string>();
    for (const entry of split({ text: this.text, offset: 0 }, ",")) {
      if (entry.text === "" && this.text === "") continue;
      const equals = entry.text.indexOf("=");
      if (equals <= 0) this.fail(entry, `expected "name=value:value", got "${entry.text}"`);
      const name = entry.text.slice(0, equals);
      if (names.has(name)) this.fail(entry, `"${name}" is overridden twice`);
      names.add(name);
      const rest = { text: entry.text.slice(equals + 1), offset: entry.offset + equals + 1 };
      entries.push({ name, values: rest.text === "" ? [] : split(rest, ":") });
    }
    return entries;
  }

  /** @throws {DiagnosticError} always, pointing at the token */
  fail(token: Token, reason: string): never {
    throw new DiagnosticError([
      errorAt(
        "override/bad-text",
        this.option,
        this.text,
        token.offset,
        `Cannot read ${this.option}: ${reason}`,
      ),
    ]);
  }
}

/** Splits a token at a separator, keeping offsets. */
export function split(token: Token, separator: string): Token[] {
  const parts: Token[] = [];
  let start = 0;
  for (;;) {
    const end = token.text.indexOf(separator, start);
    const stop = end === -1 ? token.text.length : end;
    parts.push({ text: token.text.slice(start, stop), offset: token.offset + start });
    if (end === -1) return parts;
    start = end + separator.length;
  }
}
