// SPDX-License-Identifier: Apache-2.0
import type { CostModelAudit, GroupReport } from "../../sim/audit/audit_cost_model.ts";
import { BASELINES } from "../../sim/audit/baselines.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import type { Style } from "./style.ts";

const COLUMNS: readonly FittedColumn[] = [
  { title: "Group", align: "left", expendable: 0 },
  { title: "Device", align: "left", expendable: 0 },
  { title: "Rows", align: "right", expendable: 0 },
  { title: "Covered", align: "right", expendable: 0 },
  { title: "Target", align: "right", expendable: 2 },
  { title: "MAPE", align: "right", expendable: 0 },
  { title: "Held out", align: "right", expendable: 0 },
  { title: "New table", align: "right", expendable: 3 },
  { title: "Median", align: "right", expendable: 4 },
  { title: "p90", align: "right", expendable: 1 },
  { title: "Bias", align: "right", expendable: 1 },
  ...BASELINES.map(({ name }): FittedColumn => ({ title: name, align: "right", expendable: 5 })),
];

/** Errors per group and device, targets and public models beside them; then what was left out and why. */
export function renderCostModelAudit(audit: CostModelAudit, style: Style, width: number): string {
  const body = audit.groups.map((report): FittedCell[] => [
    { text: report.group, ...(report.device === "all" ? { paint: style.bold } : {}) },
    { text: report.device },
    { text: String(report.rows) },
    { text: String(report.covered) },
    { text: percent(report.target) },
    error(report, report.mape, style),
    error(report, report.heldOut?.configurations?.mape ?? null, style),
    error(report, report.heldOut?.tables?.mape ?? null, style),
    { text: percent(report.medianApe) },
    { text: percent(report.p90) },
    { text: percent(report.bias) },
    ...BASELINES.map(({ name }): FittedCell => ({
      text: percent(report.baselines[name]?.mape),
      paint: style.dim,
    })),
  ]);
  const table = renderFittedTable(COLUMNS, { body, footer: [] }, style, width);
  const excluded = audit.groups.filter((report) => report.device !== "all").flatMap((report) =>
    report.excluded.map(({ reason, rows }) => `  ${report.group} ${report.device}: ${rows} rows, ${reason}`)
  );
  return excluded.length === 0
    ? `${table}\n`
    : `${table}\n\n${style.bold("Left out")}\n${excluded.join("\n")}\n`;
}

/** An error, painted by whether it keeps the target. */
function error(report: GroupReport, ratio: number | null, style: Style): FittedCell {
  if (ratio === null || report.target === null) return { text: percent(ratio) };
  return { text: percent(ratio), paint: ratio <= report.target ? style.green : style.yellow };
}

function percent(ratio: number | null | undefined): string {
  return ratio === null || ratio === undefined ? "-" : `${(ratio * 100).toFixed(1)} %`;
}
