// SPDX-License-Identifier: Apache-2.0

import { unicodeWidth } from "../std_cli/unicode_width.ts";

/** A colour or style sequence of a terminal. */
// deno-lint-ignore no-control-regex -- the escape character is what the pattern is about
const STYLE = /\x1b\[([0-9;]*)m/g;
/** The same at the start of a text. */
// deno-lint-ignore no-control-regex -- as above
const STYLE_HERE = /^\x1b\[[0-9;]*m/;

/** Text in one line without styles, of characters that take one column each: nearly all that long tables say. */
const PLAIN = /^[ -~µ]*$/;

/** Columns that `text` takes in a terminal, styles not counted. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : unicodeWidth(text.replace(STYLE, ""));
}

/** The words of the first line of `text` that fit in `width`; always at least the first one. */
function takeWords(width: number, text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  let taken = "";
  let used = 0;
  for (const [index, word] of line.split(" ").entries()) {
    const size = textWidth(word);
    if (taken !== "" && used + size >= width) break;
    taken += index > 0 ? ` ${word}` : word;
    used += index > 0 ? 1 + size : size;
  }
  return taken;
}

/** The characters of `text` that fit in `width`, styles passed over. */
function takeChars(width: number, text: string): string {
  let taken = "";
  let room = width;
  for (let at = 0; at < text.length;) {
    const style = STYLE_HERE.exec(text.slice(at))?.[0];
    const piece = style ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    const size = style === undefined ? unicodeWidth(piece) : 0;
    if (size > room && taken !== "") break;
    taken += piece;
    room -= size;
    at += piece.length;
  }
  return taken;
}

/** Codes that begin a style, by the code that ends it. */
const BEGINNINGS: readonly (readonly [end: string, begin: RegExp])[] = [
  ["22", /^[12]$/],
  ["23", /^3$/],
  ["24", /^4$/],
  ["27", /^7$/],
  ["28", /^8$/],
  ["29", /^9$/],
  ["39", /^(?:3[0-7]|38;.*|9[0-7])$/],
  ["49", /^(?:4[0-7]|48;.*|10[0-7])$/],
];

/** The styles that are still on at the end of `text`, the last of each kind, by the code that ends it. */
function openStyles(text: string): ReadonlyMap<string, string> {
  const open = new Map<string, string>();
  for (const [sequence, code = ""] of text.matchAll(STYLE)) {
    const end = BEGINNINGS.find(([, begin]) => begin.test(code))?.[0];
    // What comes later of a kind takes the place of what was on.
    open.delete(end ?? code);
    if (end !== undefined) open.set(end, sequence);
  }
  return open;
}

/** Width of the widest line of `text` once it is wrapped at `maxWidth`, too long words counted whole. */
export function naturalWidth(text: string, maxWidth: number): number {
  if (text.length <= maxWidth && PLAIN.test(text)) return text.length;
  return Math.max(...text.split("\n").map((line) => textWidth(takeWords(maxWidth, line))));
}

/** Break `text` into lines of at most `width` columns: at newlines, then between words, then inside a word. */
export function wrap(text: string, width: number): string[] {
  if (text.length <= width && PLAIN.test(text)) return [text];
  const lines: string[] = [];
  let rest = text;
  let carried = "";
  do {
    const room = Math.min(width, textWidth(rest));
    let piece = takeWords(room, rest);
    const broken = textWidth(piece) > room;
    if (broken) piece = takeChars(room, piece);
    rest = rest.slice(piece.length + (broken ? 0 : 1));
    const styled = carried + piece;
    const open = openStyles(styled);
    carried = [...open.values()].join("");
    lines.push(styled + [...open.keys()].reverse().map((end) => `\x1b[${end}m`).join(""));
  } while (rest !== "");
  return lines;
}
