// SPDX-License-Identifier: Apache-2.0
import { stringify } from "@std/csv/stringify";
import type { CsvCell, DrawnTable } from "./style.ts";

/**
 * Tables as CSV, a blank line between them. Units are in the titles; figures have neither units nor thousands
 * separators.
 */
export function csvOf(tables: readonly DrawnTable[]): string {
  return tables.map(withUnits).map(({ titles, rows }) => {
    const heads = titles.map((title, column) => {
      const cells = rows.map((row) => row[column] ?? { text: "" });
      const units = new Set(cells.flatMap(({ unit, value }) => value !== undefined ? ["µs"] : unit ?? []));
      const [unit] = units;
      return unit === undefined || units.size > 1 || title.endsWith(unit) ? title : `${title} [${unit}]`;
    });
    const isMixed = titles.map((_, column) => {
      const cells = rows.flatMap((row) => row[column] ?? []).filter(({ text }) => text !== "");
      return new Set(cells.map(({ unit }) => unit)).size > 1;
    });
    const cells = rows.map((row) =>
      row.map(({ text, unit, value }, column) =>
        value !== undefined
          ? String(Number(value.toFixed(6)))
          : isMixed[column] && unit !== undefined
          ? `${text} ${unit}`
          : text.replace(/^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/, (figure) => figure.replaceAll(",", ""))
      )
    );
    return stringify([heads, ...cells], { headers: false }).replaceAll("\r\n", "\n");
  }).join("\n");
}

/** Bytes per unit of sizes. */
const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** The table with columns of only shares or only sizes as figures in % or KiB; dashes become empty cells. */
function withUnits({ titles, rows: drawn }: DrawnTable): DrawnTable {
  const rows = drawn.map((row) => row.map((cell) => cell.text === "–" ? { text: "" } : cell));
  const columns = titles.map((_, column) => {
    const texts = rows.map((row) => row[column]?.text ?? "");
    const figures = texts.map((text) => text === "" ? { text } : figureOf(text));
    const [unit, ...others] = new Set(figures.flatMap((figure) => figure?.unit ?? []));
    return unit === undefined || others.length > 0 || figures.includes(undefined) ? undefined : figures;
  });
  return {
    titles,
    rows: rows.map((row, index) => row.map((cell, column) => columns[column]?.[index] ?? cell)),
  };
}

/** `12.3 %` in %, `1.24 MiB` in KiB; `undefined` for other texts. */
function figureOf(text: string): CsvCell | undefined {
  const [, digits = "", unit = ""] = /^([+-]?[\d,]*\.?\d+) (%|B|KiB|MiB|GiB)$/.exec(text) ?? [];
  const figure = digits.replaceAll(",", "").replace(/^\+/, "");
  if (unit === "" || unit === "%") return unit === "" ? undefined : { text: figure, unit };
  return { text: String(Number((Number(figure) * (BYTES[unit] ?? NaN) / 1024).toPrecision(5))), unit: "KiB" };
}
