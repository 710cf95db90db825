// SPDX-License-Identifier: Apache-2.0

import type { CellType, Direction } from "./cell.ts";
import { renderTable } from "./render.ts";

/** The cells of one row. */
export type RowType = readonly CellType[];

/** Options of one column. */
export interface ColumnOptions {
  /** Alignment of the body cells. */
  align?: Direction;
  /** Smallest width. */
  minWidth?: number;
  /** Largest width; longer text is wrapped. */
  maxWidth?: number;
  /** Space to the next column. */
  padding?: number;
}

/** All settings of a table. */
export interface TableSettings {
  header: RowType | undefined;
  columns: ColumnOptions[];
  indent: number;
  align: Direction | undefined;
  minColWidth: number | number[];
  maxColWidth: number | number[];
  padding: number | number[];
}

/** `Array` without its static side, whose `from` and `of` make no tables. */
const Rows: new <T>() => T[] = Array;

/** A table of text: the rows are its elements, the options are set by chained calls. */
export class Table<Row extends RowType = RowType> extends Rows<Row> {
  /** What the chained calls have set so far. */
  protected options: TableSettings = {
    header: undefined,
    columns: [],
    indent: 0,
    align: undefined,
    minColWidth: 0,
    maxColWidth: Infinity,
    padding: 1,
  };

  /** Arrays made from a table, such as those of `map`, are plain arrays. */
  static get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** A table of `rows`; of a table, a copy with its options. */
  static from<Row extends RowType>(rows: Iterable<Row>): Table<Row> {
    const table = new this<Row>();
    table.push(...rows);
    if (rows instanceof Table) table.options = copyOptions(rows.options);
    return table;
  }

  /** The first row, set off from the body. */
  header(header: RowType): this {
    this.options.header = header;
    return this;
  }

  /** Replace all rows but the header. */
  body(rows: Iterable<Row>): this {
    this.length = 0;
    this.push(...rows);
    return this;
  }

  /** Options of all columns. */
  columns(columns: ColumnOptions[]): this {
    this.options.columns = columns.map((column) => ({ ...column }));
    return this;
  }

  /** Options of one column. */
  column(index: number, column: ColumnOptions): this {
    this.options.columns[index] = { ...this.options.columns[index], ...column };
    return this;
  }

  /** Alignment of every cell that says nothing itself. */
  align(direction: Direction): this {
    this.options.align = direction;
    return this;
  }

  /** Spaces before every line. */
  indent(width: number): this {
    this.options.indent = width;
    return this;
  }

  /** Smallest width of all columns or of each. */
  minColWidth(width: number | number[]): this {
    this.options.minColWidth = width;
    return this;
  }

  /** Largest width of all columns or of each; longer text is wrapped. */
  maxColWidth(width: number | number[]): this {
    this.options.maxColWidth = width;
    return this;
  }

  /** Space between columns: of all or of each. */
  padding(padding: number | number[]): this {
    this.options.padding = padding;
    return this;
  }

  /** A copy with the same rows and options. */
  clone(): Table<Row> {
    return Table.from<Row>(this);
  }

  /** The text of the table, without a newline at its end. */
  override toString(): string {
    return renderTable(this, this.options);
  }

  /** Print the table. */
  render(): this {
    console.log(this.toString());
    return this;
  }
}

function copyOptions(options: TableSettings): TableSettings {
  return { ...options, columns: options.columns.map((column) => ({ ...column })) };
}
