// SPDX-License-Identifier: Apache-2.0
import type { OutputStream } from "./host.ts";

/** Standard error: remarks above, and on a terminal a last line that says what is going on. */
export interface StandardError extends OutputStream {
  /** Shows a line that whatever is written next removes first; `""` removes it. Nothing where there is no terminal. */
  status(text: string): void;
  /** Writes a line unless it was written before: remarks that every device, side and policy would repeat. */
  once(line: string): void;
}

/** Adds the line of status and the memory of remarks to a plain stream. */
export function standardError(stream: OutputStream): StandardError {
  const told = new Set<string>();
  let shown = false;
  const clear = (): void => {
    if (shown) stream.write("\r\x1b[K");
    shown = false;
  };
  const write = (text: string): void => {
    clear();
    stream.write(text);
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
      stream.write(text.slice(0, stream.columns - 1));
      shown = true;
    },
    once(line) {
      if (told.has(line)) return;
      told.add(line);
      write(line);
    },
  };
}
