// SPDX-License-Identifier: Apache-2.0
import { escapeText } from "../../../lib/layout/render/escape_text.ts";

/** Text as HTML or attribute text. */
export function escapeHtml(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}

/** A number for an attribute, in thousandths. */
export function attributeNumber(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** A table cell: its text, and its sort key if that differs. */
export interface HtmlCell {
  readonly html: string;
  readonly sort?: number;
}

/** One column: its head, and the cell of a row; a plain text is escaped, {@linkcode HtmlCell.html} is not. */
export interface HtmlColumn<Row> {
  readonly title: string;
  readonly isNumber: boolean;
  cell(row: Row): HtmlCell | string;
}

export function words<Row>(title: string, cell: HtmlColumn<Row>["cell"]): HtmlColumn<Row> {
  return { title, isNumber: false, cell };
}

/** A column of figures sorted by value, each shown as HTML. */
export function figures<Row>(
  title: string,
  value: (row: Row) => number,
  html: (value: number, row: Row) => string,
): HtmlColumn<Row> {
  const cell = (row: Row): HtmlCell => ({ html: html(value(row), row), sort: value(row) });
  return { title, isNumber: true, cell };
}

/** HTML that wraps in its cell, as a paragraph with a width of its own. */
export function proseHtml(html: string): string {
  return `<span class="prose">${breakable(html)}</span>`;
}

/** HTML that wraps in its cell only where the table would not fit otherwise. */
export function wrappingHtml(html: string): string {
  return `<span class="wraps">${breakable(html)}</span>`;
}

/** Lines may end behind arrows, slashes, and underscores of long names, but not behind the slash of a memory. */
function breakable(html: string): string {
  return html.replaceAll(/(?<!<|\b(?:l1|dram))\/|→|(?<=\w{12})_/g, "$&<wbr>");
}

/** A table whose columns can be sorted by their head buttons. */
export function htmlTable<Row>(
  id: string,
  caption: string,
  columns: readonly HtmlColumn<Row>[],
  rows: readonly Row[],
  attributesOf: (row: Row, index: number) => string = () => "",
): string {
  const classOf = ({ isNumber }: HtmlColumn<Row>): string => isNumber ? ' class="n"' : "";
  const head = columns.map((column) =>
    `<th scope="col"${classOf(column)}><button type="button">${escapeHtml(column.title)}</button></th>`
  ).join("");
  const cellOf = (column: HtmlColumn<Row>, row: Row): string => {
    const cell = column.cell(row);
    const { html, sort }: HtmlCell = typeof cell === "string" ? { html: escapeHtml(cell) } : cell;
    const sorted = sort === undefined ? "" : ` data-s="${attributeNumber(sort)}"`;
    return `<td${classOf(column)}${sorted}>${html}</td>`;
  };
  const body = rows.map((row, index) =>
    `<tr${attributesOf(row, index)}>${columns.map((column) => cellOf(column, row)).join("")}</tr>`
  ).join("\n");
  return `<table id="${id}"><caption>${
    escapeHtml(caption)
  }</caption><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>`;
}

/** Size in characters above which a browser should lay out a table only when it is visible. */
const LONG_TABLE = 200_000;

/** A table or a picture in a box of its own that scrolls. */
export function scrolled(label: string, content: string): string {
  const long = content.length > LONG_TABLE ? " long" : "";
  return `<div class="scroll${long}" tabindex="0" role="region" aria-label="${
    escapeHtml(label)
  }">${content}</div>`;
}

/** {@linkcode htmlTable} in such a box; the label is for screen readers. */
export function tableBox<Row>(label: string, ...table: Parameters<typeof htmlTable<Row>>): string {
  return scrolled(label, htmlTable(...table));
}
