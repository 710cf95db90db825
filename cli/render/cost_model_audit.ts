// SPDX-License-Identifier: Apache-2.0
import type { CostModelAudit, GroupReport } from "../../sim/audit/audit_cost_model.ts";
import type { ConfidenceBin, DecisionAudit, DecisionShares } from "../../sim/audit/audit_decisions.ts";
import { BASELINES } from "../../sim/audit/baselines.ts";
import type { LayerAudit, LayerClass, LayerReport } from "../../sim/audit/profiles/audit_layers.ts";
import { kernelTimeCell } from "./cells.ts";
import { type FittedCell, type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatChange, formatMicroseconds, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";

/** Errors per group and device, with targets and public models; then the omissions with their reasons. */
export function renderCostModelAudit(audit: CostModelAudit, style: Style): string {
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
    ...BASELINES.map(({ name }) => {
      const mape = ({ baselines }: GroupReport) => ({
        text: percent(baselines[name]?.mape),
        paint: style.dim,
      });
      return right(name, mape, { expendable: 5 });
    }),
  ];
  const table = renderFittedTable(columns, audit.groups, style);
  const excluded = audit.groups.filter((report) => report.device !== "all").flatMap((report) =>
    report.excluded.map(({ reason, rows }) => `  ${report.group} ${report.device}: ${rows} rows, ${reason}`)
  );
  return excluded.length === 0
    ? `${table}\n`
    : `${table}\n\n${style.bold("Left out")}\n${excluded.join("\n")}\n`;
}

/** An error, coloured by whether it meets the target. */
function error(report: GroupReport, ratio: number | null, style: Style): FittedCell {
  if (ratio === null || report.target === null) return { text: percent(ratio) };
  return { text: percent(ratio), paint: ratio <= report.target ? style.green : style.yellow };
}

function percent(ratio: number | null | undefined): string {
  return ratio === null || ratio === undefined ? "-" : formatPercent(ratio);
}

/** Shares of right and wrong orders per family and overall, then the reliability of claims. */
export function renderDecisionAudit(audit: DecisionAudit, style: Style): string {
  type Row = DecisionShares & { readonly name: string };
  const share = (title: string, pick: (row: Row) => number): FittedColumn<Row> =>
    right(title, (row) => row.pairs === 0 ? "-" : formatPercent(pick(row)));
  const columns: readonly FittedColumn<Row>[] = [
    left("Family", ({ name }) => name === "all" ? { text: name, paint: style.bold } : name),
    right("Pairs", ({ pairs }) => String(pairs)),
    share("Right", ({ right }) => right),
    share("Too close", ({ tooClose }) => tooClose),
    share("Confidently wrong", ({ confidentlyWrong }) => confidentlyWrong),
    share("Ratio error", ({ medianRatioError }) => medianRatioError),
  ];
  const claims: readonly FittedColumn<ConfidenceBin>[] = [
    left("Claimed", ({ from, to }) => `${formatPercent(from)} to ${formatPercent(to)}`),
    right("Pairs", ({ pairs }) => String(pairs)),
    right("Mean claim", ({ claimed, pairs }) => pairs === 0 ? "-" : formatPercent(claimed)),
    right("Right", ({ right, pairs }) => pairs === 0 ? "-" : formatPercent(right)),
    right(
      "Families alike",
      ({ familiesAlike }) =>
        familiesAlike === null
          ? "-"
          : `${formatPercent(familiesAlike.right)} of ${formatPercent(familiesAlike.claimed)}`,
    ),
  ];
  const families = renderFittedTable(columns, [...audit.families, { name: "all", ...audit.summary }], style);
  const leftOut = audit.leftOut.map(({ family, device, reason }) => `  ${family} ${device}: ${reason}\n`);
  return [
    `${families}\n\n${renderFittedTable(claims, audit.calibration, style)}\n`,
    ...(leftOut.length === 0 ? [] : [`\n${style.bold("Left out")}\n`, ...leftOut]),
  ].join("");
}

/** Each profile in total, then its classes, and ops without a prediction. */
export function renderLayerAudit(audit: LayerAudit, style: Style): string {
  const totals: readonly FittedColumn<LayerReport>[] = [
    left("Profile", ({ name }) => ({ text: name, paint: style.bold })),
    left("Device", ({ device }) => device),
    right("Ops", ({ ops }) => String(ops.length)),
    right("Measured", ({ measuredUs }) => kernelTimeCell(measuredUs)),
    right("Predicted", ({ predictedUs }) => kernelTimeCell(predictedUs)),
    right("Error", ({ measuredUs, predictedUs }) => formatChange(predictedUs / measuredUs - 1)),
    right("Ops' error", ({ opError }) => opError === null ? "-" : formatPercent(opError)),
    right("Covered", ({ coveredShare }) => formatPercent(coveredShare)),
    right("Gaps", ({ measuredGapUs }) => kernelTimeCell(measuredGapUs), { expendable: 2 }),
    right("Predicted gaps", ({ predictedGapUs }) => kernelTimeCell(predictedGapUs), { expendable: 2 }),
  ];
  const classes: readonly FittedColumn<LayerClass>[] = [
    left("Class", ({ name }) => name),
    right("Ops", ({ ops }) => String(ops)),
    right("Measured", ({ measuredUs }) => kernelTimeCell(measuredUs)),
    right("Predicted", ({ predictedUs, mape }) => mape === null ? "-" : kernelTimeCell(predictedUs)),
    right(
      "Error",
      ({ predictedUs, coveredUs }) => coveredUs === 0 ? "-" : formatChange(predictedUs / coveredUs - 1),
    ),
    right("Mean op error", ({ mape }) => mape === null ? "-" : formatPercent(mape)),
  ];
  const parts = [renderFittedTable(totals, audit.layers, style)];
  for (const layer of audit.layers) {
    parts.push(`${style.bold(layer.name)}\n${renderFittedTable(classes, layer.classes, style)}`);
    const untold = layer.ops.filter(({ predictedUs }) => predictedUs === null);
    if (untold.length > 0) {
      parts.push(
        untold.map(({ order, op, measuredUs }) =>
          `  op ${order}, ${op}: ${formatMicroseconds(measuredUs)} µs, not predicted`
        ).join("\n"),
      );
    }
  }
  for (const name of audit.unknown) parts.push(`${name}: no bundled device is like its chip`);
  return `${parts.join("\n\n")}\n`;
}
