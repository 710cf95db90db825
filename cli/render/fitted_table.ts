// SPDX-License-Identifier: Apache-2.0
import { unicodeWidth } from "@std/cli/unicode-width";
import type { CsvCell, Style } from "./style.ts";
import { wrapText } from "./wrap_text.ts";

/** Blank columns between two columns of a table. */
const GUTTER = 2;

/** A cell: its text, its unit (dimmed and never cut), and the decoration of its final text. */
export interface FittedCell extends CsvCell {
  readonly paint?: ((text: string) => string) | undefined;
}

/** The behaviour of a column in a narrow terminal. */
export interface ColumnFit {
  /** If the table is too wide, columns with the highest number are removed first; those without one stay. */
  readonly expendable?: number;
  /** Least width of the column when cut; columns without it are never cut. */
  readonly shrinkTo?: number;
  /** Whether too long text wraps instead of being cut. */
  readonly wraps?: boolean;
}

/** One column of a {@linkcode renderFittedTable}: its head, and its cell per row. */
export interface FittedColumn<Row, Cell extends FittedCell | string = FittedCell | string> extends ColumnFit {
  readonly title: string;
  readonly align: "left" | "right";
  /** Content in a row; a string is a cell without decoration. */
  cell(row: Row): Cell;
}

/** A column of text without decoration, for the terminal and for Markdown. */
export type PlainColumn<Row> = FittedColumn<Row, string>;

/** The lines of a table in Markdown. */
export function markdownTable<Row>(
  columns: readonly PlainColumn<Row>[],
  rows: readonly Row[],
): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ align }) => align === "right" ? "---:" : "---")),
    ...rows.map((row) => line(columns.map((column) => column.cell(row)))),
  ];
}

/** A column of words. */
export function left<Row, Cell extends FittedCell | string = FittedCell | string>(
  title: string,
  cell: (row: Row) => Cell,
  fit?: ColumnFit,
): FittedColumn<Row, Cell> {
  return { title, align: "left", cell, ...fit };
}

/** A column of figures. */
export function right<Row, Cell extends FittedCell | string = FittedCell | string>(
  title: string,
  cell: (row: Row) => Cell,
  fit?: ColumnFit,
): FittedColumn<Row, Cell> {
  return { title, align: "right", cell, ...fit };
}

/**
 * A table in the style of tt-perf-report that fits a width: two blanks between columns, no vertical lines,
 * units dimmed, rules below the header and above the footer. Empty columns are left out; then columns are
 * removed until the others fit, most expendable first; then the shrinkable columns are cut with an ellipsis.
 *
 * @param width columns of the terminal
 * @param footer cells of the rows below the second rule, by column
 */
export function renderFittedTable<Row>(
  columns: readonly FittedColumn<Row>[],
  rows: readonly Row[],
  style: Style,
  footer: readonly (readonly (FittedCell | string)[])[] = [],
): string {
  const natural = columns.map((column, index): PlacedColumn => {
    const entries = [...rows.map((row) => column.cell(row)), ...footer.map((cells) => cells[index] ?? "")];
    const cells = entries.map((entry) => typeof entry === "string" ? { text: entry } : entry);
    const widest = cells.reduce((most, cell) => Math.max(most, cellWidth(cell)), widthOf(column.title));
    const { title, align, expendable = 0, shrinkTo = widest, wraps = false } = column;
    return { title, align, expendable, shrinkTo: Math.min(shrinkTo, widest), wraps, cells, width: widest };
  });
  style.tables?.({
    titles: columns.map(({ title }) => title),
    rows: rows.map((_, row) => natural.map(({ cells }) => cells[row] ?? { text: "" })),
  });
  const told = natural.filter(({ cells }) => cells.length === 0 || cells.some(({ text }) => text !== ""));
  const fitted = shrinkColumns(keepColumns(told, style.width), style.width);
  const { placed, bodyLines } = fitted.some(({ wraps }) => wraps)
    ? inLines(fitted, rows.length, rows.length + footer.length)
    : { placed: fitted, bodyLines: rows.length };
  const [header = "", ...lines] = drawnLines(placed, style);
  const rule = style.dim("─".repeat(totalWidth(placed.map((column) => column.width))));
  const below = footer.length === 0 ? [] : [rule, ...lines.slice(bodyLines)];
  return [header, rule, ...lines.slice(0, bodyLines), ...below].join("\n");
}

/** The columns with a cell per line, and the number of lines of the body. */
function inLines(
  columns: readonly PlacedColumn[],
  bodyRows: number,
  allRows: number,
): { readonly placed: readonly PlacedColumn[]; readonly bodyLines: number } {
  const heights = Array.from(
    { length: allRows },
    (_, row) => Math.max(...columns.map((column) => linesOf(column, row).length)),
  );
  const placed = columns.map((column) => ({
    ...column,
    cells: heights.flatMap((height, row) => padded(linesOf(column, row), height)),
  }));
  return { placed, bodyLines: heights.slice(0, bodyRows).reduce((sum, lines) => sum + lines, 0) };
}

/** The line of the titles, then one per cell of a column. */
function drawnLines(columns: readonly PlacedColumn[], style: Style): readonly string[] {
  const drawn = columns.map(({ title, align, width, cells }) => {
    const named = cut(title, width);
    const entries = [
      { text: style.bold(named), width: widthOf(named) },
      ...cells.map((cell) => paintCell(cell, width, style)),
    ];
    return { align, entries, width: entries.reduce((most, entry) => Math.max(most, entry.width), 0) };
  });
  const gutter = " ".repeat(GUTTER);
  return Array.from({ length: drawn[0]?.entries.length ?? 0 }, (_, line) => {
    const cells = drawn.map(({ align, entries, width }) => {
      const entry = entries[line] ?? NOTHING;
      const free = " ".repeat(width - entry.width);
      return align === "left" ? entry.text + free : free + entry.text;
    });
    return cells.join(gutter).trimEnd();
  });
}

interface PlacedColumn extends Required<Omit<FittedColumn<never>, "cell">> {
  readonly cells: readonly FittedCell[];
  readonly width: number;
}

/** The lines of a cell: one, unless its column wraps and it is wider. */
function linesOf({ cells, width, wraps }: PlacedColumn, row: number): readonly FittedCell[] {
  const cell = cells[row] ?? { text: "" };
  if (!wraps || cellWidth(cell) <= width) return [cell];
  return wrapText(cell.text, width).map((text) => ({ ...cell, text }));
}

function padded(lines: readonly FittedCell[], height: number): readonly FittedCell[] {
  return [...lines, ...Array.from({ length: height - lines.length }, () => ({ text: "" }))];
}

function cellWidth({ text, unit }: FittedCell): number {
  return widthOf(text) + (unit === undefined ? 0 : 1 + widthOf(unit));
}

/** Terminal columns of a text. */
function widthOf(text: string): number {
  // Printable ASCII and µ take one each and make up nearly all text of thousands of rows.
  return /^[ -~µ]*$/.test(text) ? text.length : unicodeWidth(text);
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GUTTER * Math.max(0, widths.length - 1);
}

/** The columns that stay, in order; shrinkable columns count with their least width. */
function keepColumns(columns: readonly PlacedColumn[], width: number): readonly PlacedColumn[] {
  let kept = columns;
  while (totalWidth(kept.map((column) => column.shrinkTo)) > width) {
    const most = Math.max(...kept.map((column) => column.expendable));
    if (most <= 0) break;
    const first = kept.findIndex((column) => column.expendable === most);
    kept = kept.filter((_, index) => index !== first);
  }
  return kept;
}

/** Shrinks a table that is too wide, widest columns first. */
function shrinkColumns(columns: readonly PlacedColumn[], width: number): readonly PlacedColumn[] {
  const widths = columns.map((column) => column.width);
  let excess = totalWidth(widths) - width;
  // Wrapping loses no text, so wrapping columns shrink first.
  for (const wraps of [true, false]) {
    const spare = (index: number): number => {
      const column = columns[index];
      return column?.wraps === wraps ? (widths[index] ?? 0) - column.shrinkTo : 0;
    };
    for (; excess > 0; excess--) {
      const [widest] = widths.map((_, index) => index).filter((index) => spare(index) > 0)
        .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
      if (widest === undefined) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? column.width }));
}

/** A cell as printed, and its terminal columns. */
interface PaintedCell {
  readonly text: string;
  readonly width: number;
}

const NOTHING: PaintedCell = { text: "", width: 0 };

function paintCell(cell: FittedCell, width: number, style: Style): PaintedCell {
  const { text, unit, paint } = cell;
  if (text === "") return NOTHING;
  const shown = unit === undefined ? cut(text, width) : text;
  const painted = paint === undefined ? shown : paint(shown);
  return unit === undefined
    ? { text: painted, width: widthOf(shown) }
    : { text: `${painted} ${style.dim(unit)}`, width: cellWidth(cell) };
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let taken = "";
  for (const character of text) {
    if (widthOf(taken + character) > width - 1) break;
    taken += character;
  }
  return `${taken}…`;
}
