// SPDX-License-Identifier: Apache-2.0
import type { PlanDocument } from "../../pipeline/plan_document.ts";
import type { PlanSummary } from "../../pipeline/plan_summary.ts";
import { baselineCell, gapCell, microsecondsCell, verdictCell } from "./cells.ts";
import { type FittedCell, type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { bandShare, formatBytes, formatChange, formatCount, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";

/** One line of the comparison. */
interface Figure {
  readonly title: string;
  cell(summary: PlanSummary, first: PlanSummary, style: Style): FittedCell | string;
}

const FIGURES: readonly Figure[] = [
  { title: "Predicted", cell: ({ predictedUs }) => microsecondsCell(predictedUs) },
  {
    title: "Band",
    cell: ({ predictedBand, predictedUs }) =>
      predictedUs === 0 ? "–" : `±${formatPercent(bandShare(predictedBand, predictedUs))}`,
  },
  {
    title: "Against the first",
    cell: (summary, first) =>
      summary === first || first.predictedUs === 0
        ? "–"
        : formatChange(summary.predictedUs / first.predictedUs - 1),
  },
  { title: "dram baseline", cell: ({ baselineUs }) => microsecondsCell(baselineUs) },
  { title: "Against the baseline", cell: (summary, _first, style) => baselineCell(summary, style) },
  { title: "Gap", cell: (summary) => gapCell(summary) },
  { title: "Ops in L1", cell: (summary) => formatCount(summary.l1ResidentOps) },
  { title: "Ops sharded", cell: (summary) => formatCount(summary.shardedOps) },
  { title: "Reshards", cell: (summary) => formatCount(summary.reshards) },
  { title: "Spills", cell: (summary) => formatCount(summary.spills) },
  { title: "Peak L1 per core", cell: (summary) => formatBytes(summary.peakL1Bytes) },
  { title: "L1 budget per core", cell: (summary) => formatBytes(summary.l1BudgetBytes) },
  { title: "Fits by address", cell: ({ verdict }, _first, style) => verdictCell(verdict, style) },
];

/** The same input decided for several devices: one column per device. */
export function renderWhatIf(documents: readonly PlanDocument[], style: Style, width: number): string {
  const [first] = documents;
  if (first === undefined) return "";
  const columns: readonly FittedColumn<Figure>[] = [
    left("", ({ title }) => title, { shrinkTo: 10 }),
    ...documents.map(({ device, summary }) =>
      right<Figure>(device, (figure) => figure.cell(summary, first.summary, style))
    ),
  ];
  const title = `${style.bold(first.input)}, policy ${first.policy}`;
  return `${title}\n\n${renderFittedTable(columns, FIGURES, style, width)}\n`;
}
