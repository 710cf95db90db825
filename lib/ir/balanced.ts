// SPDX-License-Identifier: Apache-2.0

/**
 * Splits text at a separator that stands outside of brackets and strings. `->`, `>=` and `<=` count as no brackets.
 * The parts are trimmed; text without anything but blanks has no parts.
 */
export function splitTopLevel(text: string, separator: "," | "="): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charAt(index)) {
      case "(":
      case "[":
      case "{":
        depth++;
        break;
      case ")":
      case "]":
      case "}":
        depth--;
        break;
      case "<":
        if (text.charAt(index + 1) !== "=") depth++;
        break;
      case ">":
        if (text.charAt(index - 1) !== "-" && text.charAt(index + 1) !== "=") depth--;
        break;
      case '"':
        index = endOfString(text, index);
        break;
      case separator:
        if (depth === 0) {
          parts.push(text.slice(start, index).trim());
          start = index + 1;
        }
        break;
    }
  }
  const last = text.slice(start).trim();
  if (last !== "" || parts.length > 0) parts.push(last);
  return parts;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charAt(index) !== '"') index += text.charAt(index) === "\\" ? 2 : 1;
  return index;
}

/** The text between one pair of angle brackets that encloses everything, trimmed; `undefined` when there is none. */
export function insideAngles(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed.startsWith("<") && trimmed.endsWith(">") ? trimmed.slice(1, -1).trim() : undefined;
}

/** Text from a position to the `>` that closes the first `<` after it; all that is left when nothing does. */
export function balancedFrom(text: string, start: number): string {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    if (text[index] === "<") depth++;
    else if (text[index] === ">" && text[index - 1] !== "-" && --depth === 0) {
      return text.slice(start, index + 1);
    }
  }
  return text.slice(start);
}
