// SPDX-License-Identifier: Apache-2.0
import type { CostModelAudit, GroupReport } from "../../sim/audit/audit_cost_model.ts";
import { BASELINES } from "../../sim/audit/baselines.ts";
import { type FittedCell, type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import type { Style } from "./style.ts";

/** Errors per group and device, targets and public models beside them; then what was left out and why. */
export function renderCostModelAudit(audit: CostModelAudit, style: Style, width: number): string {
  const columns: readonly FittedColumn<GroupReport>[] = [
    left("Group", ({ group, device }) => device === "all" ? { text: group, paint: style.bold } : group),
    left("Device", ({ device }) => device),
    right("Rows", ({ rows }) => String(rows)),
    right("Covered", ({ covered }) => String(covered)),
    right("Target", ({ target }) => percent(target), { expendable: 2 }),
    right("MAPE", (report) => error(report, report.mape, style)),
    right("Held out", (report) => error(report, report.heldOut?.configurations?.mape ?? null, style)),
    right("New table", (report) => error(report, report.heldOut?.tables?.mape ?? null, style), {
      expendable: 3,
    }),
    right("Median", ({ medianApe }) => percent(medianApe), { expendable: 4 }),
    right("p90", ({ p90 }) => percent(p90), { expendable: 1 }),
    right("Bias", ({ bias }) => percent(bias), { expendable: 1 }),
    ...BASELINES.map((
      { name },
    ): FittedColumn<
      GroupReport
    > => (right(name, ({ baselines }) => ({ text: percent(baselines[name]?.mape), paint: style.dim }), {
      expendable: 5,
    }))),
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
