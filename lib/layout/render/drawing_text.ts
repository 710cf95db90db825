// SPDX-License-Identifier: Apache-2.0
import type { ShardBand, ShardDrawing } from "./shard_drawing.ts";

/** Most lines of a drawing; further ones are left out before the last. */
const MAXIMUM_LINES = 40;

/**
 * Draws shards as a table: one line per row of the grid, one cell per core, with the rows and columns that each holds.
 * `+n` behind a range means n rows or columns of padding. A single row of shards that is too wide is drawn as a
 * column; else columns before the last are left out.
 *
 * @param width columns of the terminal
 */
export function drawingText(drawing: ShardDrawing, width: number): string {
  const title = drawing.outer.length === 0 ? "" : `grid [${drawing.outer.join(", ")}, …]\n`;
  const across = table(
    drawing.rows.map(rowLabel),
    drawing.columns.map((band) => rangeText(band)),
    drawing.cores,
    "rows",
    "columns",
  );
  if (lineWidth(across) <= width) return title + elideLines(across);
  if (drawing.rows.length === 1) {
    const [band] = drawing.rows;
    const down = table(
      drawing.columns.map((column) => rangeText(column)),
      [band === undefined ? "" : rangeText(band)],
      drawing.columns.map((_, column) => [drawing.cores[0]?.[column] ?? ""]),
      "columns",
      "rows",
    );
    return title + elideLines(down);
  }
  return title + elideLines(elideColumns(across, width));
}

/** Range of a band with its padding: `0-17 +14`, `none +32`. */
export function rangeText(band: ShardBand): string {
  const held = band.end - band.start;
  const range = held === 0 ? "none" : held === 1 ? `${band.start}` : `${band.start}-${band.end - 1}`;
  return band.padding === 0 ? range : `${range} +${band.padding}`;
}

function rowLabel(band: ShardBand): string {
  return band.first.length < 2
    ? rangeText(band)
    : `${rangeText(band)}  [${band.first.join(",")}]…[${band.last.join(",")}]`;
}

/** Lines of cells: a header, then one line per row. */
function table(
  rows: readonly string[],
  columns: readonly string[],
  cells: readonly (readonly string[])[],
  rowTitle: string,
  columnTitle: string,
): string[][] {
  const header = [`${rowTitle} \\ ${columnTitle}`, ...columns];
  return [header, ...rows.map((row, index) => [row, ...cells[index] ?? []])];
}

function columnWidths(lines: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [column, cell] of line.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return widths;
}

function lineWidth(lines: readonly (readonly string[])[]): number {
  const widths = columnWidths(lines);
  return widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1));
}

function elideColumns(lines: readonly (readonly string[])[], width: number): string[][] {
  const count = lines[0]?.length ?? 0;
  for (let kept = count - 2; kept >= 2; kept--) {
    const elided = lines.map((line) => [...line.slice(0, kept), "…", ...line.slice(-1)]);
    if (lineWidth(elided) <= width || kept === 2) return elided;
  }
  return lines.map((line) => [...line]);
}

function elideLines(lines: readonly (readonly string[])[]): string {
  const widths = columnWidths(lines);
  const texts = lines.map((line) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()
  );
  if (texts.length <= MAXIMUM_LINES) return texts.map((text) => `${text}\n`).join("");
  const hidden = texts.length - MAXIMUM_LINES;
  const kept = [...texts.slice(0, MAXIMUM_LINES - 1), `… ${hidden} more`, ...texts.slice(-1)];
  return kept.map((text) => `${text}\n`).join("");
}
