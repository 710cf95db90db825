// SPDX-License-Identifier: Apache-2.0

import { Cell, type CellType, type Direction } from "./cell.ts";
import type { ColumnOptions, RowType, TableSettings } from "./table.ts";
import { naturalWidth, textWidth, wrap } from "./text.ts";

/** One cell, settled: its text, place and options. */
interface Block {
  readonly text: string;
  readonly start: number;
  readonly span: number;
  readonly align: Direction;
}

/** The geometry that all rows share. */
interface Grid {
  readonly columns: number;
  readonly width: readonly number[];
  readonly padding: readonly number[];
}

/** The blocks of one row; spanning cells push those after them to the right, short rows are filled up. */
function settleRow(row: RowType, isHeader: boolean, columns: number, settings: TableSettings): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  const add = (value: CellType): void => {
    const column: ColumnOptions = isHeader ? {} : settings.columns[start] ?? {};
    const cell = Cell.from(value).align(column.align ?? settings.align ?? "left", false);
    const span = cell.getColSpan();
    blocks.push({ text: cell.toString(), start, span, align: cell.getAlign() });
    start += span;
  };
  for (const value of row) add(value);
  while (start < columns) add("");
  return blocks;
}

/** How many columns a row takes. */
function columnCount(row: RowType): number {
  return row.reduce<number>((sum, cell) => sum + (cell instanceof Cell ? cell.getColSpan() : 1), 0);
}

/** A setting that holds for all columns or is given for each. */
function ofColumn(setting: number | readonly number[], column: number, fallback: number): number {
  return typeof setting === "number" ? setting : setting[column] ?? fallback;
}

function measure(rows: readonly Block[][], columns: number, settings: TableSettings): Grid {
  const width: number[] = [];
  const padding: number[] = [];
  for (let c = 0; c < columns; c++) {
    const own = settings.columns[c];
    const min = own?.minWidth ?? ofColumn(settings.minColWidth, c, 0);
    const max = own?.maxWidth ?? ofColumn(settings.maxColWidth, c, Infinity);
    let widest = min;
    for (const row of rows) {
      const block = row.find((b) => b.start === c && b.span === 1);
      if (block) widest = Math.max(widest, naturalWidth(block.text, max));
    }
    width.push(Math.min(max, widest));
    padding.push(own?.padding ?? ofColumn(settings.padding, c, 1));
  }
  return { columns, width, padding };
}

/** Columns of text that a block has, what lies between its columns included. */
function blockWidth(block: Block, grid: Grid): number {
  let sum = 0;
  for (let c = block.start; c < block.start + block.span; c++) {
    sum += grid.width[c] ?? 0;
    if (c > block.start) sum += grid.padding[c] ?? 0;
  }
  return sum;
}

function alignText(text: string, width: number, align: Direction): string {
  const free = Math.max(0, width - textWidth(text));
  const before = align === "left" ? 0 : align === "right" ? free : Math.floor(free / 2);
  return " ".repeat(before) + text + " ".repeat(free - before);
}

function renderRow(row: readonly Block[], grid: Grid, settings: TableSettings): string[] {
  const widths = row.map((block) => blockWidth(block, grid));
  const wrapped = row.map((block, i) => wrap(block.text, widths[i] ?? 0));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  const lines: string[] = [];
  for (let y = 0; y < height; y++) {
    let line = " ".repeat(settings.indent);
    for (const [i, block] of row.entries()) {
      line += alignText(wrapped[i]?.[y] ?? "", widths[i] ?? 0, block.align);
      if (block.start < grid.columns - 1) line += " ".repeat(grid.padding[block.start] ?? 0);
    }
    lines.push(line);
  }
  return lines;
}

/** The text of a table of `body` rows with the given settings. */
export function renderTable(body: readonly RowType[], settings: TableSettings): string {
  const { header } = settings;
  const all = header === undefined ? [...body] : [header, ...body];
  if (all.length === 0) return "";
  const columns = Math.max(...all.map(columnCount));
  const rows = all.map((row, i) => settleRow(row, header !== undefined && i === 0, columns, settings));
  const grid = measure(rows, columns, settings);
  return rows.flatMap((row) => renderRow(row, grid, settings)).join("\n");
}
