// SPDX-License-Identifier: Apache-2.0

// Not a re-export: the npm republication ships `unicode_width.js` without the data file that it reads.

/** Nothing but characters of one column. */
const PLAIN = /^[ -~]*$/;
/** Takes no column: controls, marks that combine with what stands before them, format characters. */
const ZERO = /^[\p{Cc}\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
/** Format characters that terminals do show. */
const SHOWN_FORMAT = /^[\u00ad\u0600-\u0605\u06dd\u070f\u08e2]$/u;
/** Takes two columns: East Asian wide and full-width characters, and emoji shown as pictures. */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2fb}\u{20000}-\u{3fffd}]$/u;

function charWidth(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return 1;
  if (ZERO.test(char) && !SHOWN_FORMAT.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

/**
 * Number of terminal columns that `str` takes. Escape sequences are not removed first.
 *
 * @param str The text to measure.
 * @returns Its width in columns.
 */
export function unicodeWidth(str: string): number {
  if (PLAIN.test(str)) return str.length;
  let width = 0;
  for (const char of str) width += charWidth(char);
  return width;
}
