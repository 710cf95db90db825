// SPDX-License-Identifier: Apache-2.0
import type { PlanSummary } from "../../pipeline/plan_document.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { formatBytes, formatChange, formatCount, formatMicroseconds, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";
import { verdictCell } from "./verdict.ts";

const COLUMNS: readonly FittedColumn[] = [
  { title: "Model", align: "left", expendable: 0, shrinkTo: 12 },
  { title: "Policy", align: "left", expendable: 0 },
  { title: "Fits", align: "left", expendable: 0 },
  { title: "Predicted", align: "right", expendable: 0 },
  { title: "Against dram", align: "right", expendable: 0 },
  { title: "Reshards", align: "right", expendable: 2 },
  { title: "Spills", align: "right", expendable: 2 },
  { title: "In L1", align: "right", expendable: 1 },
  { title: "Peak L1", align: "right", expendable: 4 },
  { title: "Queries", align: "right", expendable: 3 },
  { title: "Wall", align: "right", expendable: 5 },
];

/** One model decided with one policy. */
export interface BenchResult {
  readonly model: string;
  readonly policy: string;
  readonly device: string;
  readonly summary: PlanSummary;
}

/** Geometric mean over the models of a policy's predicted time over that of the first policy. */
export interface PolicyMean {
  readonly policy: string;
  readonly timeAgainstFirst: number;
}

/** The quality table: models by policies, the geometric mean of every policy below. */
export function renderBench(
  results: readonly BenchResult[],
  means: readonly PolicyMean[],
  style: Style,
  width: number,
): string {
  let previous = "";
  const body = results.map(({ model, policy, summary }): FittedCell[] => {
    const change = summary.baselineUs === 0 ? 0 : summary.predictedUs / summary.baselineUs - 1;
    const isNew = model !== previous;
    previous = model;
    return [
      { text: isNew ? model.replace(/^.*\//, "").replace(/\.mlir$/, "") : "" },
      { text: policy },
      verdictCell(summary.verdict, style),
      { text: formatMicroseconds(summary.predictedUs), unit: "µs" },
      {
        text: formatChange(change),
        ...(change === 0 ? {} : { paint: change < 0 ? style.green : style.red }),
      },
      { text: formatCount(summary.reshards) },
      { text: formatCount(summary.spills) },
      { text: summary.ops === 0 ? "" : formatPercent(summary.l1ResidentOps / summary.ops) },
      { text: formatBytes(summary.peakL1Bytes) },
      { text: formatCount(summary.opModelQueries) },
      { text: formatCount(summary.wallMs), unit: "ms" },
    ];
  });
  const footer = means.map(({ policy, timeAgainstFirst }, index): FittedCell[] => [
    { text: index === 0 ? "geometric mean" : "" },
    { text: policy },
    { text: "" },
    { text: "" },
    { text: formatChange(timeAgainstFirst - 1) },
  ]);
  const [first] = results;
  const title = `${style.bold("Policies")} on ${first?.device ?? ""} ${
    style.dim("(simulated, nothing was measured)")
  }`;
  return `${title}\n\n${renderFittedTable(COLUMNS, { body, footer }, style, width)}\n`;
}
