// SPDX-License-Identifier: Apache-2.0
import type { AuditMiss, AuditReport, ExactMatches } from "../../lib/opmodel/audit/audit.ts";
import { type FittedCell, type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import type { Style } from "./style.ts";

/**
 * Agreement per op family, totals, and every miss. Cells are `exact matches/rows`: under `Valid` all rows count,
 * under the figures in bytes only rows that are valid on record and have the figure.
 */
export function renderOpModelAudit(report: AuditReport, style: Style): string {
  const families: readonly FittedColumn<AuditReport["families"][number]>[] = [
    left("Family", ({ family }) => family),
    right("Rows", ({ rows }) => String(rows)),
    right("Valid", ({ validAgree, rows }) => share({ exact: validAgree, rows }, style)),
    right("CB bytes", ({ cb }) => share(cb, style)),
    right("L1 peak", ({ l1Peak }) => share(l1Peak, style)),
    right("Output", ({ output }) => share(output, style)),
  ];
  const total = [
    { text: "total", paint: style.bold },
    { text: String(report.rows), paint: style.bold },
    percentage({ exact: report.validAgree, rows: report.rows }),
    percentage(report.cb),
    percentage(report.l1Peak),
    percentage(report.output),
  ];
  const table = renderFittedTable(families, report.families, style, [total]);
  if (report.misses.length === 0) return `${table}\n\nNo misses.\n`;
  const missed: readonly FittedColumn<AuditMiss>[] = [
    left("Op", ({ op }) => op),
    left("Figure", ({ figure }) => figure),
    right("Backend", ({ expected }) => String(expected)),
    right("Op model", ({ actual }) => actual === undefined ? "refused" : String(actual)),
    left("Row", ({ source }) => ({ text: source, paint: style.dim }), { expendable: 1, shrinkTo: 24 }),
    left("Reason", ({ reason = "" }) => ({ text: reason, paint: style.dim }), {
      expendable: 2,
      shrinkTo: 20,
    }),
  ];
  const misses = renderFittedTable(missed, report.misses, style);
  return `${table}\n\n${
    style.bold(`${report.misses.length} ${report.misses.length === 1 ? "miss" : "misses"}`)
  }\n\n${misses}\n`;
}

function share({ exact, rows }: ExactMatches, style: Style): FittedCell {
  if (rows === 0) return { text: "-", paint: style.dim };
  return { text: `${exact}/${rows}`, ...(exact === rows ? {} : { paint: style.yellow }) };
}

function percentage({ exact, rows }: ExactMatches): string {
  return rows === 0 ? "-" : `${exact}/${rows} ${(100 * exact / rows).toFixed(1)} %`;
}
