// SPDX-License-Identifier: Apache-2.0

/**
 * The text with a blank in the place of every unit of a `//` comment, so that offsets stay and whatever reads an
 * attribute or a type as text meets none. A `//` in a string is no comment.
 */
export function withoutComments(text: string): string {
  let comment = text.indexOf("//");
  let quote = text.indexOf('"');
  const pieces: string[] = [];
  let kept = 0;
  while (comment !== -1) {
    let next: number;
    if (quote !== -1 && quote < comment) {
      next = endOfString(text, quote);
    } else {
      next = endOfLine(text, comment);
      pieces.push(text.slice(kept, comment), " ".repeat(next - comment));
      kept = next;
    }
    if (quote !== -1 && quote < next) quote = text.indexOf('"', next);
    if (comment < next) comment = text.indexOf("//", next);
  }
  return kept === 0 ? text : pieces.join("") + text.slice(kept);
}

/** Behind the string that starts at an offset; strings end with their line. */
function endOfString(text: string, start: number): number {
  for (let offset = start + 1; offset < text.length; offset++) {
    const character = text.charAt(offset);
    if (character === '"') return offset + 1;
    if (character === "\n") return offset;
    if (character === "\\") offset++;
  }
  return text.length;
}

function endOfLine(text: string, start: number): number {
  const newline = text.indexOf("\n", start);
  return newline === -1 ? text.length : newline;
}
