// SPDX-License-Identifier: Apache-2.0

import { unicodeWidth } from "../std_cli/unicode_width.ts";

/** What a cell can show. */
export type CellValue = string | number;

/** A cell, or what it shows. */
export type CellType = CellValue | Cell;

/** The cells of one row. */
export type RowType = readonly CellType[];

/** A cell that may reach over several columns. */
export class Cell {
  readonly #value: CellValue;
  #colSpan = 1;

  /** @param value What the cell shows. */
  constructor(value: CellValue) {
    this.#value = value;
  }

  /** Let the cell reach over `span` columns. */
  colSpan(span: number): this {
    this.#colSpan = span;
    return this;
  }

  /** Over how many columns the cell reaches. */
  getColSpan(): number {
    return this.#colSpan;
  }

  /** What the cell shows, as text. */
  toString(): string {
    return String(this.#value);
  }
}

/** Options of one column. */
export interface ColumnOptions {
  /** Smallest width. */
  minWidth?: number;
  /** Largest width; longer text is wrapped. */
  maxWidth?: number;
}

/** A table of text: the rows are its elements, the options are set by chained calls. */
export class Table<Row extends RowType = RowType> extends Array<Row> {
  #columns: readonly ColumnOptions[] = [];
  #indent = 0;
  #padding = 1;

  /** Options of all columns. */
  columns(columns: ColumnOptions[]): this {
    this.#columns = columns;
    return this;
  }

  /** Spaces before every line. */
  indent(width: number): this {
    this.#indent = width;
    return this;
  }

  /** Space between columns. */
  padding(padding: number): this {
    this.#padding = padding;
    return this;
  }

  /** The text of the table, without a newline at its end. */
  override toString(): string {
    const rows = [...this].map((row) => row.map((cell) => cell instanceof Cell ? cell : new Cell(cell)));
    const count = Math.max(0, ...rows.map((row) => row.reduce((sum, cell) => sum + cell.getColSpan(), 0)));
    const widths = Array.from({ length: count }, (_, column) => this.#widthOf(column, rows));
    return rows.flatMap((row) => this.#lines(row, widths)).join("\n");
  }

  #widthOf(column: number, rows: readonly (readonly Cell[])[]): number {
    const { minWidth = 0, maxWidth = Infinity } = this.#columns[column] ?? {};
    const natural = rows.flatMap((row) => {
      const cell = row.find((_, index) => startOf(row, index) === column);
      if (cell === undefined || cell.getColSpan() > 1) return [];
      return cell.toString().split("\n").map((line) => unicodeWidth(takeWords(maxWidth, line)));
    });
    return Math.min(maxWidth, Math.max(minWidth, ...natural));
  }

  #lines(row: readonly Cell[], widths: readonly number[]): string[] {
    const filled = [...row];
    while (startOf(filled, filled.length) < widths.length) filled.push(new Cell(""));
    const blocks = filled.map((cell, index) => {
      const start = startOf(filled, index);
      const covered = widths.slice(start, start + cell.getColSpan());
      const width = covered.reduce((sum, own) => sum + own, (covered.length - 1) * this.#padding);
      return { width, lines: wrap(cell.toString(), width) };
    });
    const height = Math.max(1, ...blocks.map(({ lines }) => lines.length));
    return Array.from({ length: height }, (_, at) => {
      const texts = blocks.map(({ width, lines }) => {
        const text = lines[at] ?? "";
        return text + " ".repeat(Math.max(0, width - unicodeWidth(text)));
      });
      // A cell that reaches over the first columns is followed by padding too, as in the original.
      const behind = filled.map((_, index) => startOf(filled, index) < widths.length - 1);
      return " ".repeat(this.#indent) +
        texts.map((text, index) => behind[index] ? text + " ".repeat(this.#padding) : text).join("");
    });
  }
}

/** The column in which a cell of a row starts. */
function startOf(row: readonly Cell[], index: number): number {
  return row.slice(0, index).reduce((sum, cell) => sum + cell.getColSpan(), 0);
}

/** The words of a line that fit in `width`; always at least the first one. */
function takeWords(width: number, line: string): string {
  let taken = "";
  for (const [index, word] of line.split(" ").entries()) {
    if (taken !== "" && unicodeWidth(taken) + unicodeWidth(word) >= width) break;
    taken += index > 0 ? ` ${word}` : word;
  }
  return taken;
}

/** The characters of a word that fit in `width`; always at least one. */
function takeCharacters(width: number, word: string): string {
  let taken = "";
  for (const character of word) {
    if (taken !== "" && unicodeWidth(taken + character) > width) break;
    taken += character;
  }
  return taken;
}

/** Breaks `text` into lines of at most `width` columns: at newlines, then between words, then inside a word. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  do {
    const words = takeWords(Math.min(width, unicodeWidth(rest)), rest.split("\n", 1)[0] ?? "");
    const isBroken = unicodeWidth(words) > width;
    const line = isBroken ? takeCharacters(width, words) : words;
    lines.push(line);
    rest = rest.slice(line.length + (isBroken ? 0 : 1));
  } while (rest !== "");
  return lines;
}
