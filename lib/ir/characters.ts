// SPDX-License-Identifier: Apache-2.0

/** First character of an identifier. */
const IDENTIFIER_START = 1;
/** Any character of an identifier. */
export const IDENTIFIER_PART = 2;
export const DIGIT = 4;
/** Blanks and line ends. */
export const SPACE = 8;
const CLASSES: Uint8Array = buildClasses();

function buildClasses(): Uint8Array {
  const classes = new Uint8Array(128);
  for (let code = 0; code < 128; code++) {
    const character = String.fromCharCode(code);
    let bits = 0;
    if (/[A-Za-z_]/.test(character)) bits |= IDENTIFIER_START;
    if (/[A-Za-z0-9_$.]/.test(character)) bits |= IDENTIFIER_PART;
    if (/[0-9]/.test(character)) bits |= DIGIT;
    if (/[ \t\r\n]/.test(character)) bits |= SPACE;
    classes[code] = bits;
  }
  return classes;
}

/** Whether a character belongs to one of the classes; none, at the end of the text, belongs to none. */
export function hasClass(character: string, bits: number): boolean {
  const code = character.charCodeAt(0);
  // Nothing is looked up that is not in the table: a read beside it slows down every other one.
  return code < CLASSES.length && ((CLASSES[code] ?? 0) & bits) !== 0;
}

/** Where the characters of one of the classes end that stand at an offset. */
export function endOfClass(text: string, offset: number, bits: number): number {
  const classes = CLASSES;
  let position = offset;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code >= classes.length || ((classes[code] ?? 0) & bits) === 0) break;
    position++;
  }
  return position;
}

/** Whether an identifier may start with the character. */
export function isIdentifierStart(character: string): boolean {
  return hasClass(character, IDENTIFIER_START);
}

/** Whether the character is a decimal digit. */
export function isDigit(character: string): boolean {
  return hasClass(character, DIGIT);
}
