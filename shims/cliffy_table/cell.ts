// SPDX-License-Identifier: Apache-2.0

/** Where a text stands in its column. */
export type Direction = "left" | "right" | "center";

/** What a cell can show. */
export type CellValue = string | number;

/** A cell, or what it shows. */
export type CellType = CellValue | Cell;

/** A cell with options of its own. */
export class Cell {
  #value: CellValue;
  #colSpan = 1;
  #align: Direction | undefined;

  /** @param value What the cell shows. */
  constructor(value: CellValue) {
    this.#value = value;
  }

  /** A new cell, with the options of `value` if that is a cell. */
  static from(value: CellType): Cell {
    if (!(value instanceof Cell)) return new Cell(value);
    const copy = new Cell(value.#value);
    copy.#colSpan = value.#colSpan;
    copy.#align = value.#align;
    return copy;
  }

  /** Let the cell reach over `span` columns. */
  colSpan(span: number): this {
    this.#colSpan = span;
    return this;
  }

  /** Set the alignment; with `override` false only if none was set. */
  align(direction: Direction, override: boolean = true): this {
    if (override || this.#align === undefined) this.#align = direction;
    return this;
  }

  /** Over how many columns the cell reaches. */
  getColSpan(): number {
    return this.#colSpan > 0 ? this.#colSpan : 1;
  }

  /** The alignment, left if none was set. */
  getAlign(): Direction {
    return this.#align ?? "left";
  }

  /** What the cell shows, as text. */
  toString(): string {
    return String(this.#value);
  }
}
