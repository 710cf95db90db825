// SPDX-License-Identifier: Apache-2.0
import { Cell, Table } from "@cliffy/table";
import { unicodeWidth } from "@std/cli/unicode-width";
import type { Style } from "./style.ts";

/** Blank columns between two columns of a table. */
const GUTTER = 2;

/** One column of a {@linkcode renderFittedTable}. */
export interface FittedColumn {
  readonly title: string;
  readonly align: "left" | "right";
  /** Columns with the highest number go first when the table is too wide; 0 stays. */
  readonly expendable: number;
  /** Least width to which the text of the column may be cut; columns without it are never cut. */
  readonly shrinkTo?: number;
}

/** A cell: what is read, and how it is decorated once its final text is known. */
export interface FittedCell {
  readonly text: string;
  /** Dimmed after the text, kept when the text is cut. */
  readonly unit?: string;
  readonly paint?: (text: string) => string;
}

/** Rows of a table; footers stand below a rule. */
export interface FittedRows {
  readonly body: readonly (readonly FittedCell[])[];
  readonly footer: readonly (readonly FittedCell[])[];
}

/**
 * A table in the look of tt-perf-report that fits a width: two blanks between columns, no vertical lines, units dimmed,
 * rules below the header and above the footer. Columns that do not fit are left out, most expendable first; then the
 * columns that may shrink are cut with an ellipsis.
 *
 * @param width columns of the terminal
 */
export function renderFittedTable(
  columns: readonly FittedColumn[],
  rows: FittedRows,
  style: Style,
  width: number,
): string {
  const all = [...rows.body, ...rows.footer];
  const natural = columns.map((column, index) =>
    all.reduce((widest, row) => Math.max(widest, cellWidth(row[index])), unicodeWidth(column.title))
  );
  const kept = keepColumns(columns, natural, width);
  const widths = shrinkColumns(columns, natural, kept, width);
  const line = (row: readonly FittedCell[]): string[] =>
    kept.map((index) => paintCell(row[index], widths[index] ?? 0, style));
  const header = kept.map((index) => {
    const column = columns[index];
    return new Cell(style.bold(cut(column?.title ?? "", widths[index] ?? 0))).align(column?.align ?? "left");
  });
  const lines = new Table()
    .header(header)
    .body(all.map(line))
    .columns(kept.map((index) => ({ align: columns[index]?.align ?? "left" })))
    .padding(GUTTER)
    .toString().split("\n").map((text) => text.trimEnd());
  const rule = style.dim("─".repeat(totalWidth(widths, kept)));
  const bodyEnd = 1 + rows.body.length;
  const parts = [...lines.slice(0, 1), rule, ...lines.slice(1, bodyEnd)];
  if (rows.footer.length > 0) parts.push(rule, ...lines.slice(bodyEnd));
  return parts.join("\n");
}

function cellWidth(cell: FittedCell | undefined): number {
  if (cell === undefined) return 0;
  return unicodeWidth(cell.text) + (cell.unit === undefined ? 0 : 1 + unicodeWidth(cell.unit));
}

function totalWidth(widths: readonly number[], kept: readonly number[]): number {
  return kept.reduce((sum, index) => sum + (widths[index] ?? 0), 0) + GUTTER * Math.max(0, kept.length - 1);
}

/** Indices of the columns that stay, in order; columns that may shrink count with their least width. */
function keepColumns(columns: readonly FittedColumn[], natural: readonly number[], width: number): number[] {
  const least = columns.map((column, index) =>
    Math.min(natural[index] ?? 0, column.shrinkTo ?? natural[index] ?? 0)
  );
  let kept = columns.map((_, index) => index);
  while (totalWidth(least, kept) > width) {
    const first = kept.reduce<number | undefined>((most, index) => {
      const expendable = columns[index]?.expendable ?? 0;
      if (expendable === 0) return most;
      return most === undefined || expendable > (columns[most]?.expendable ?? 0) ? index : most;
    }, undefined);
    if (first === undefined) break;
    kept = kept.filter((index) => index !== first);
  }
  return kept;
}

function shrinkColumns(
  columns: readonly FittedColumn[],
  natural: readonly number[],
  kept: readonly number[],
  width: number,
): number[] {
  const widths = [...natural];
  let excess = totalWidth(widths, kept) - width;
  for (const index of kept) {
    const shrinkTo = columns[index]?.shrinkTo;
    if (excess <= 0 || shrinkTo === undefined) continue;
    const now = widths[index] ?? 0;
    const next = Math.max(Math.min(shrinkTo, now), now - excess);
    widths[index] = next;
    excess -= now - next;
  }
  return widths;
}

function paintCell(cell: FittedCell | undefined, width: number, style: Style): string {
  if (cell === undefined || cell.text === "") return "";
  const paint = cell.paint ?? ((text: string) => text);
  if (cell.unit === undefined) return paint(cut(cell.text, width));
  return `${paint(cell.text)} ${style.dim(cell.unit)}`;
}

function cut(text: string, width: number): string {
  if (unicodeWidth(text) <= width) return text;
  let taken = "";
  for (const character of text) {
    if (unicodeWidth(taken + character) > width - 1) break;
    taken += character;
  }
  return `${taken}…`;
}
