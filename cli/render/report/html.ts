// SPDX-License-Identifier: Apache-2.0

/** Text as HTML or attribute text. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    '"',
    "&quot;",
  );
}

/** A value inside `<script type="application/json">`. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** A number for an attribute, without the last digits of sums. */
export function attributeNumber(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** A table cell: what is read, and what it is sorted by where that differs. */
export interface HtmlCell {
  readonly html: string;
  readonly sort?: number;
  readonly isNumber?: boolean;
}

/** A table whose columns can be sorted by their head buttons. */
export function htmlTable(
  id: string,
  caption: string,
  columns: readonly { readonly title: string; readonly isNumber?: boolean }[],
  rows: readonly { readonly attributes?: string; readonly cells: readonly HtmlCell[] }[],
): string {
  const head = columns.map(({ title, isNumber }) =>
    `<th scope="col"${isNumber === true ? ' class="n"' : ""}><button type="button">${
      escapeHtml(title)
    }</button></th>`
  ).join("");
  const body = rows.map(({ attributes, cells }) =>
    `<tr${attributes === undefined ? "" : ` ${attributes}`}>${
      cells.map(({ html, sort, isNumber }) =>
        `<td${isNumber === true ? ' class="n"' : ""}${
          sort === undefined ? "" : ` data-s="${attributeNumber(sort)}"`
        }>${html}</td>`
      ).join("")
    }</tr>`
  ).join("\n");
  return `<table id="${id}"><caption>${
    escapeHtml(caption)
  }</caption><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>`;
}
