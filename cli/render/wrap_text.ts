// SPDX-License-Identifier: Apache-2.0
import { stripAnsiCode } from "@std/fmt/colors";

/** Least width in narrow terminals: narrower text is unreadable. */
const NARROWEST = 8;

function seen(text: string): number {
  return stripAnsiCode(text).length;
}

/**
 * Breaks a text into lines of at most `columns` columns: between words, after arrows, and inside longer
 * words, there after a separator such as the `/` of a layout if one is near.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const width = Math.max(NARROWEST, columns);
  const lines: string[] = [];
  let line = "";
  for (const piece of text.match(/ ?[^ →]+→?|[ →]/g) ?? []) {
    if (seen(line) + seen(piece) <= width) {
      line += piece;
      continue;
    }
    if (line !== "") lines.push(line.trimEnd());
    let rest = piece.trimStart();
    while (seen(rest) > width) {
      const at = breakOf(rest, width);
      lines.push(rest.slice(0, at));
      rest = rest.slice(at);
    }
    line = rest;
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}

/**
 * The break of a word that is too long: after the last separator except leading ones, else at the full line.
 */
function breakOf(word: string, width: number): number {
  const mark = /^.*[/_,=:;-]/.exec(word.slice(0, width))?.[0].length ?? 0;
  return mark >= width / 4 ? mark : width;
}

/**
 * Wraps a line with a hanging indent: further lines begin under the first word after the margin. The margin
 * is a label and a gap (`L1         peak`), or blanks and perhaps a bullet (`  - `, `  2. `). Escape
 * sequences have no width.
 */
export function wrapItem(line: string, width: number): readonly string[] {
  const margin = /^(?:[A-Z]\w* {2,}| *(?:(?:-|\d+\.) +)?)/.exec(line)?.[0] ?? "";
  const [first = "", ...more] = wrapText(line.slice(margin.length), width - margin.length);
  return [margin + first, ...more.map((rest) => " ".repeat(margin.length) + rest)];
}
