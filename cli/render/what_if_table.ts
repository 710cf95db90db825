// SPDX-License-Identifier: Apache-2.0
import type { PlanDocument, PlanSummary } from "../../pipeline/plan_document.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { formatBytes, formatChange, formatCount, formatMicroseconds, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";
import { verdictCell } from "./verdict.ts";

/** One line of the comparison. */
interface Figure {
  readonly title: string;
  cell(summary: PlanSummary, first: PlanSummary, style: Style): FittedCell;
}

const FIGURES: readonly Figure[] = [
  { title: "Predicted", cell: (summary) => ({ text: formatMicroseconds(summary.predictedUs), unit: "µs" }) },
  {
    title: "Band",
    cell: ({ predictedBand, predictedUs }) => ({
      text: predictedUs === 0
        ? "–"
        : `±${formatPercent((predictedBand.upperUs - predictedBand.lowerUs) / 2 / predictedUs)}`,
    }),
  },
  {
    title: "Against the first",
    cell: (summary, first) => ({
      text: summary === first || first.predictedUs === 0
        ? "–"
        : formatChange(summary.predictedUs / first.predictedUs - 1),
    }),
  },
  {
    title: "dram baseline",
    cell: (summary) => ({ text: formatMicroseconds(summary.baselineUs), unit: "µs" }),
  },
  {
    title: "Against the baseline",
    cell: (summary, _first, style) => {
      const change = summary.baselineUs === 0 ? 0 : summary.predictedUs / summary.baselineUs - 1;
      return {
        text: formatChange(change),
        ...(change === 0 ? {} : { paint: change < 0 ? style.green : style.red }),
      };
    },
  },
  { title: "Ops in L1", cell: (summary) => ({ text: formatCount(summary.l1ResidentOps) }) },
  { title: "Ops sharded", cell: (summary) => ({ text: formatCount(summary.shardedOps) }) },
  { title: "Reshards", cell: (summary) => ({ text: formatCount(summary.reshards) }) },
  { title: "Spills", cell: (summary) => ({ text: formatCount(summary.spills) }) },
  { title: "Peak L1 per core", cell: (summary) => ({ text: formatBytes(summary.peakL1Bytes) }) },
  { title: "L1 budget per core", cell: (summary) => ({ text: formatBytes(summary.l1BudgetBytes) }) },
  {
    title: "Fits by address",
    cell: ({ verdict }, _first, style) => verdictCell(verdict, style),
  },
];

/** The same input decided for several devices: one column per device. */
export function renderWhatIf(documents: readonly PlanDocument[], style: Style, width: number): string {
  const [first] = documents;
  if (first === undefined) return "";
  const columns: readonly FittedColumn[] = [
    { title: "", align: "left", expendable: 0, shrinkTo: 10 },
    ...documents.map(({ device }): FittedColumn => ({ title: device, align: "right", expendable: 0 })),
  ];
  const body = FIGURES.map((figure) => [
    { text: figure.title },
    ...documents.map(({ summary }) => figure.cell(summary, first.summary, style)),
  ]);
  const title = `${style.bold(first.input)}, policy ${first.policy}`;
  return `${title}\n\n${renderFittedTable(columns, { body, footer: [] }, style, width)}\n`;
}
