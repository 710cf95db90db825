// SPDX-License-Identifier: Apache-2.0

const GLYPHS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/**
 * Values as one line of block glyphs. Where there are more values than columns, each column shows the largest of its
 * values; zero is a blank.
 *
 * @param values in order, from 0 to `top`
 * @param top value of a full block; larger ones are full as well
 * @param width columns at most
 * @param paint decorates the glyph of a column, given the range of values `[from, to)` that it stands for
 */
export function sparkline(
  values: readonly number[],
  top: number,
  width: number,
  paint: (glyph: string, from: number, to: number) => string,
): string {
  const columns = Math.min(width, values.length);
  let line = "";
  for (let column = 0; column < columns; column++) {
    const from = Math.floor(column * values.length / columns);
    const to = Math.floor((column + 1) * values.length / columns);
    const value = Math.max(...values.slice(from, to));
    const level = top <= 0 || value <= 0
      ? -1
      : Math.min(GLYPHS.length - 1, Math.floor(value / top * GLYPHS.length));
    line += paint(GLYPHS[level] ?? " ", from, to);
  }
  return line;
}
