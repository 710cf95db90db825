// SPDX-License-Identifier: Apache-2.0
import type { Agreement, AuditMiss, AuditReport } from "../../lib/opmodel/audit/audit.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import type { Style } from "./style.ts";

/** Agreement per op family, totals, and every miss. Counts are exact matches of rows that have the figure. */
export function renderOpModelAudit(report: AuditReport, style: Style, width: number): string {
  const families: readonly FittedColumn<AuditReport["families"][number]>[] = [
    { title: "Family", cell: ({ family }) => family },
    { title: "Rows", align: "right", cell: ({ rows }) => String(rows) },
    {
      title: "Valid",
      align: "right",
      cell: ({ validAgree, rows }) => share({ exact: validAgree, rows }, style),
    },
    { title: "CB bytes", align: "right", cell: ({ cb }) => share(cb, style) },
    { title: "L1 peak", align: "right", cell: ({ l1Peak }) => share(l1Peak, style) },
    { title: "Output", align: "right", cell: ({ output }) => share(output, style) },
  ];
  const total = [
    { text: "total", paint: style.bold },
    { text: String(report.rows), paint: style.bold },
    percentage({ exact: report.validAgree, rows: report.rows }),
    percentage(report.cb),
    percentage(report.l1Peak),
    percentage(report.output),
  ];
  const table = renderFittedTable(families, report.families, style, width, [total]);
  if (report.misses.length === 0) return `${table}\n\nNo misses.\n`;
  const missed: readonly FittedColumn<AuditMiss>[] = [
    { title: "Op", cell: ({ op }) => op },
    { title: "Figure", cell: ({ figure }) => figure },
    { title: "Backend", align: "right", cell: ({ expected }) => String(expected) },
    {
      title: "Op model",
      align: "right",
      cell: ({ actual }) => actual === undefined ? "refused" : String(actual),
    },
    { title: "Row", expendable: 1, shrinkTo: 24, cell: ({ source }) => ({ text: source, paint: style.dim }) },
    {
      title: "Reason",
      expendable: 2,
      shrinkTo: 20,
      cell: ({ reason = "" }) => ({ text: reason, paint: style.dim }),
    },
  ];
  const misses = renderFittedTable(missed, report.misses, style, width);
  return `${table}\n\n${
    style.bold(`${report.misses.length} ${report.misses.length === 1 ? "miss" : "misses"}`)
  }\n\n${misses}\n`;
}

function share({ exact, rows }: Agreement, style: Style): FittedCell {
  if (rows === 0) return { text: "-", paint: style.dim };
  return { text: `${exact}/${rows}`, ...(exact === rows ? {} : { paint: style.yellow }) };
}

function percentage({ exact, rows }: Agreement): string {
  return rows === 0 ? "-" : `${exact}/${rows} ${(100 * exact / rows).toFixed(1)} %`;
}
