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
  readonly border: boolean;
}

/** The geometry that all rows share. */
interface Grid {
  readonly columns: number;
  readonly width: readonly number[];
  readonly padding: readonly number[];
  readonly bordered: boolean;
}

/** The blocks of one row; spanning cells push those after them to the right, short rows are filled up. */
function settleRow(row: RowType, isHeader: boolean, columns: number, settings: TableSettings): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  const add = (value: CellType): void => {
    const column: ColumnOptions = isHeader ? {} : settings.columns[start] ?? {};
    const cell = Cell.from(value)
      .border(column.border ?? settings.border, false)
      .align(column.align ?? settings.align ?? "left", false);
    const span = cell.getColSpan();
    blocks.push({ text: cell.toString(), start, span, align: cell.getAlign(), border: cell.getBorder() });
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
  const bordered = settings.border || rows.some((row) => row.some((block) => block.border));
  return { columns, width, padding, bordered };
}

/** Columns of text that a block has, what lies between its columns included. */
function blockWidth(block: Block, grid: Grid): number {
  let sum = 0;
  for (let c = block.start; c < block.start + block.span; c++) {
    sum += grid.width[c] ?? 0;
    if (c > block.start) sum += (grid.padding[c] ?? 0) * (grid.bordered ? 2 : 1) + (grid.bordered ? 1 : 0);
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
      const isLast = i === row.length - 1;
      const space = " ".repeat(grid.padding[block.start] ?? 0);
      const text = alignText(wrapped[i]?.[y] ?? "", widths[i] ?? 0, block.align);
      if (grid.bordered) {
        const drawn = block.border || (row[i - 1]?.border ?? false);
        line += (drawn ? (i === 0 ? settings.chars.left : settings.chars.middle) : " ") + space + text +
          space;
        if (isLast) line += block.border ? settings.chars.right : " ";
      } else line += block.start === grid.columns - 1 ? text : text + space;
    }
    lines.push(line);
  }
  return lines;
}

/** Which vertical lines a row has, by boundary; none beside the table. */
function verticals(row: readonly Block[] | undefined, columns: number): boolean[] {
  const drawn = new Array<boolean>(columns + 1).fill(false);
  for (const block of row ?? []) {
    if (!block.border) continue;
    drawn[block.start] = true;
    drawn[block.start + block.span] = true;
  }
  return drawn;
}

/** Which columns of a row ask for horizontal lines. */
function horizontals(row: readonly Block[] | undefined, columns: number): boolean[] {
  const drawn = new Array<boolean>(columns).fill(false);
  for (const block of row ?? []) drawn.fill(block.border, block.start, block.start + block.span);
  return drawn;
}

/** The character where lines meet, by which of the four arms are there. */
function joint(
  up: boolean,
  down: boolean,
  left: boolean,
  right: boolean,
  chars: TableSettings["chars"],
): string {
  if (up && down) {
    if (left && right) return chars.midMid;
    if (right) return chars.leftMid;
    return left ? chars.rightMid : chars.left;
  }
  if (down) return left && right ? chars.topMid : right ? chars.topLeft : chars.topRight;
  if (up) return left && right ? chars.bottomMid : right ? chars.bottomLeft : chars.bottomRight;
  return left || right ? chars.mid : " ";
}

/** The line between two rows, or at an end of the table where one of them is missing. */
function renderRule(
  above: readonly Block[] | undefined,
  below: readonly Block[] | undefined,
  grid: Grid,
  settings: TableSettings,
): string {
  const { chars } = settings;
  const up = verticals(above, grid.columns);
  const down = verticals(below, grid.columns);
  const wantedAbove = horizontals(above, grid.columns);
  const wantedBelow = horizontals(below, grid.columns);
  const drawn = wantedAbove.map((wanted, c) => wanted || wantedBelow[c] === true);
  const flat = above === undefined ? chars.top : below === undefined ? chars.bottom : chars.mid;
  let line = " ".repeat(settings.indent);
  for (let c = 0; c <= grid.columns; c++) {
    const meeting = joint(up[c] === true, down[c] === true, drawn[c - 1] === true, drawn[c] === true, chars);
    line += meeting === chars.mid ? flat : meeting;
    if (c < grid.columns) {
      line += (drawn[c] ? flat : " ").repeat((grid.width[c] ?? 0) + 2 * (grid.padding[c] ?? 0));
    }
  }
  return line;
}

/** The text of a table of `body` rows with the given settings. */
export function renderTable(body: readonly RowType[], settings: TableSettings): string {
  const { header } = settings;
  const all = header === undefined ? [...body] : [header, ...body];
  if (all.length === 0) return "";
  const columns = Math.max(...all.map(columnCount));
  const rows = all.map((row, i) => settleRow(row, header !== undefined && i === 0, columns, settings));
  const grid = measure(rows, columns, settings);
  const hasBorder = (row: readonly Block[] | undefined): boolean =>
    row?.some((block) => block.border) ?? false;
  const headerBorder = header !== undefined && hasBorder(rows[0]);
  const bodyBorder = settings.border || rows.slice(header === undefined ? 0 : 1).some(hasBorder);
  const lines: string[] = [];
  for (const [i, row] of rows.entries()) {
    const next = rows[i + 1];
    if (i === 0 && hasBorder(row)) lines.push(renderRule(undefined, row, grid, settings));
    lines.push(...renderRow(row, grid, settings));
    if (next !== undefined && (bodyBorder || (i === 0 && headerBorder))) {
      lines.push(renderRule(row, next, grid, settings));
    }
    if (next === undefined && hasBorder(row)) lines.push(renderRule(row, undefined, grid, settings));
  }
  return lines.join("\n");
}
