// SPDX-License-Identifier: Apache-2.0
import { stringify } from "@std/csv/stringify";
import type { DrawnTable } from "./style.ts";

/**
 * Tables as CSV, a blank line between them. Units are in the titles; figures have neither units nor thousands
 * separators.
 */
export function csvOf(tables: readonly DrawnTable[]): string {
  return tables.map(({ titles, rows }) => {
    const heads = titles.map((title, column) => {
      const cells = rows.map((row) => row[column] ?? { text: "" });
      const units = new Set(cells.flatMap(({ unit, value }) => value !== undefined ? ["µs"] : unit ?? []));
      const [unit] = units;
      return unit === undefined || units.size > 1 || title.endsWith(unit) ? title : `${title} [${unit}]`;
    });
    const isMixed = titles.map((_, column) => new Set(rows.map((row) => row[column]?.unit)).size > 1);
    const cells = rows.map((row) =>
      row.map(({ text, unit, value }, column) =>
        value !== undefined
          ? String(Number(value.toFixed(6)))
          : isMixed[column] && unit !== undefined
          ? `${text} ${unit}`
          : plain(text)
      )
    );
    return stringify([heads, ...cells], { headers: false }).replaceAll("\r\n", "\n");
  }).join("\n");
}

/** A figure without decoration for human readers. */
function plain(text: string): string {
  return /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
}
