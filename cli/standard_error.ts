// SPDX-License-Identifier: Apache-2.0
import type { OutputStream, StandardError } from "./host.ts";

/** Adds the status line and the memory of remarks to a plain stream. */
export function standardError(stream: OutputStream): StandardError {
  const told = new Set<string>();
  let shown = false;
  const clear = (): void => {
    if (shown) stream.write("\r\x1b[K");
    shown = false;
  };
  const write = (text: string): void => {
    clear();
    stream.write(stream.isTerminal ? printable(text) : text);
  };
  return {
    write,
    get isTerminal() {
      return stream.isTerminal;
    },
    get columns() {
      return stream.columns;
    },
    status(text) {
      if (!stream.isTerminal) return;
      clear();
      if (text === "") return;
      stream.write(printable(text).slice(0, stream.columns - 1));
      shown = true;
    },
    once(line) {
      if (told.has(line)) return;
      told.add(line);
      write(line);
    },
  };
}

/** Standard output that removes the status line first, so that it stands before nothing. */
export function standardOutput(stream: OutputStream, stderr: StandardError): OutputStream {
  return {
    write(text) {
      stderr.status("");
      stream.write(stream.isTerminal ? printable(text) : text);
    },
    get isTerminal() {
      return stream.isTerminal;
    },
    get columns() {
      return stream.columns;
    },
  };
}

/**
 * Removes control characters for terminals: all except line breaks, tabs and our own colours. Names of inputs
 * may contain any.
 */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what is removed
  return text.replace(/\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g, "");
}
