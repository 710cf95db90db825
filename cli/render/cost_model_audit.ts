// SPDX-License-Identifier: Apache-2.0
import type { CostModelAudit, GroupReport } from "../../sim/audit/audit_cost_model.ts";
import { BASELINES } from "../../sim/audit/baselines.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import type { Style } from "./style.ts";

/** Errors per group and device, targets and public models beside them; then what was left out and why. */
export function renderCostModelAudit(audit: CostModelAudit, style: Style, width: number): string {
  const columns: readonly FittedColumn<GroupReport>[] = [
    {
      title: "Group",
      cell: ({ group, device }) => device === "all" ? { text: group, paint: style.bold } : group,
    },
    { title: "Device", cell: ({ device }) => device },
    { title: "Rows", align: "right", cell: ({ rows }) => String(rows) },
    { title: "Covered", align: "right", cell: ({ covered }) => String(covered) },
    { title: "Target", align: "right", expendable: 2, cell: ({ target }) => percent(target) },
    { title: "MAPE", align: "right", cell: (report) => error(report, report.mape, style) },
    {
      title: "Held out",
      align: "right",
      cell: (report) => error(report, report.heldOut?.configurations?.mape ?? null, style),
    },
    {
      title: "New table",
      align: "right",
      expendable: 3,
      cell: (report) => error(report, report.heldOut?.tables?.mape ?? null, style),
    },
    { title: "Median", align: "right", expendable: 4, cell: ({ medianApe }) => percent(medianApe) },
    { title: "p90", align: "right", expendable: 1, cell: ({ p90 }) => percent(p90) },
    { title: "Bias", align: "right", expendable: 1, cell: ({ bias }) => percent(bias) },
    ...BASELINES.map(({ name }): FittedColumn<GroupReport> => ({
      title: name,
      align: "right",
      expendable: 5,
      cell: ({ baselines }) => ({ text: percent(baselines[name]?.mape), paint: style.dim }),
    })),
  ];
  const table = renderFittedTable(columns, audit.groups, style, width);
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
