// SPDX-License-Identifier: Apache-2.0
import type { Agreement, AuditMiss, AuditReport } from "../../lib/opmodel/audit/audit.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import type { Style } from "./style.ts";

const FAMILY_COLUMNS: readonly FittedColumn[] = [
  { title: "Family", align: "left", expendable: 0 },
  { title: "Rows", align: "right", expendable: 0 },
  { title: "Valid", align: "right", expendable: 0 },
  { title: "CB bytes", align: "right", expendable: 0 },
  { title: "L1 peak", align: "right", expendable: 0 },
  { title: "Output", align: "right", expendable: 0 },
];

const MISS_COLUMNS: readonly FittedColumn[] = [
  { title: "Op", align: "left", expendable: 0 },
  { title: "Figure", align: "left", expendable: 0 },
  { title: "Backend", align: "right", expendable: 0 },
  { title: "Op model", align: "right", expendable: 0 },
  { title: "Row", align: "left", expendable: 1, shrinkTo: 24 },
  { title: "Reason", align: "left", expendable: 2, shrinkTo: 20 },
];

/** Agreement per op family, totals, and every miss. Counts are exact matches of rows that have the figure. */
export function renderOpModelAudit(report: AuditReport, style: Style, width: number): string {
  const body = report.families.map((family): FittedCell[] => [
    { text: family.family },
    { text: String(family.rows) },
    share({ exact: family.validAgree, rows: family.rows }, style),
    share(family.cb, style),
    share(family.l1Peak, style),
    share(family.output, style),
  ]);
  const footer: FittedCell[][] = [[
    { text: "total", paint: style.bold },
    { text: String(report.rows), paint: style.bold },
    percentage({ exact: report.validAgree, rows: report.rows }),
    percentage(report.cb),
    percentage(report.l1Peak),
    percentage(report.output),
  ]];
  const table = renderFittedTable(FAMILY_COLUMNS, { body, footer }, style, width);
  if (report.misses.length === 0) return `${table}\n\nNo misses.\n`;
  const misses = renderFittedTable(
    MISS_COLUMNS,
    { body: report.misses.map((miss) => missCells(miss, style)), footer: [] },
    style,
    width,
  );
  return `${table}\n\n${
    style.bold(`${report.misses.length} ${report.misses.length === 1 ? "miss" : "misses"}`)
  }\n\n${misses}\n`;
}

function share({ exact, rows }: Agreement, style: Style): FittedCell {
  if (rows === 0) return { text: "-", paint: style.dim };
  return { text: `${exact}/${rows}`, ...(exact === rows ? {} : { paint: style.yellow }) };
}

function percentage({ exact, rows }: Agreement): FittedCell {
  return { text: rows === 0 ? "-" : `${exact}/${rows} ${(100 * exact / rows).toFixed(1)} %` };
}

function missCells(miss: AuditMiss, style: Style): FittedCell[] {
  return [
    { text: miss.op },
    { text: miss.figure },
    { text: String(miss.expected) },
    { text: miss.actual === undefined ? "refused" : String(miss.actual) },
    { text: miss.source, paint: style.dim },
    { text: miss.reason ?? "", paint: style.dim },
  ];
}
