// SPDX-License-Identifier: Apache-2.0
import type { ConfidenceBin, DecisionAudit, DecisionShares } from "../../sim/audit/audit_decisions.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatPercent } from "./format.ts";
import type { Style } from "./style.ts";

/** Shares of right and wrong orders per family and overall, then how reliable claims are. */
export function renderDecisionAudit(audit: DecisionAudit, style: Style, width: number): string {
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
  const families = renderFittedTable(
    columns,
    [...audit.families, { name: "all", ...audit.summary }],
    style,
    width,
  );
  return `${families}\n\n${renderFittedTable(claims, audit.calibration, style, width)}\n`;
}
