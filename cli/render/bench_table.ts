// SPDX-License-Identifier: Apache-2.0
import type { PlanSummary } from "../../pipeline/plan_document.ts";
import { type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { formatBytes, formatChange, formatCount, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";
import { baselineCell, microsecondsCell, verdictCell } from "./cells.ts";

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
  const rows = results.map((result, index) => ({
    ...result,
    isNew: result.model !== results[index - 1]?.model,
  }));
  const columns: readonly FittedColumn<(typeof rows)[number]>[] = [
    {
      title: "Model",
      shrinkTo: 12,
      cell: ({ model, isNew }) => isNew ? model.replace(/^.*\//, "").replace(/\.mlir$/, "") : "",
    },
    { title: "Policy", cell: ({ policy }) => policy },
    { title: "Fits", cell: ({ summary }) => verdictCell(summary.verdict, style) },
    { title: "Predicted", align: "right", cell: ({ summary }) => microsecondsCell(summary.predictedUs) },
    { title: "Against dram", align: "right", cell: ({ summary }) => baselineCell(summary, style) },
    {
      title: "Reshards",
      align: "right",
      expendable: 2,
      cell: ({ summary }) => formatCount(summary.reshards),
    },
    { title: "Spills", align: "right", expendable: 2, cell: ({ summary }) => formatCount(summary.spills) },
    {
      title: "In L1",
      align: "right",
      expendable: 1,
      cell: ({ summary: { ops, l1ResidentOps } }) => ops === 0 ? "" : formatPercent(l1ResidentOps / ops),
    },
    {
      title: "Peak L1",
      align: "right",
      expendable: 4,
      cell: ({ summary }) => formatBytes(summary.peakL1Bytes),
    },
    {
      title: "Queries",
      align: "right",
      expendable: 3,
      cell: ({ summary }) => formatCount(summary.opModelQueries),
    },
    {
      title: "Wall",
      align: "right",
      expendable: 5,
      cell: ({ summary }) => ({ text: formatCount(summary.wallMs), unit: "ms" }),
    },
  ];
  const footer = means.map(({ policy, timeAgainstFirst }, index) => [
    index === 0 ? "geometric mean" : "",
    policy,
    "",
    "",
    formatChange(timeAgainstFirst - 1),
  ]);
  const [first] = results;
  const title = `${style.bold("Policies")} on ${first?.device ?? ""} ${
    style.dim("(simulated, nothing was measured)")
  }`;
  return `${title}\n\n${renderFittedTable(columns, rows, style, width, footer)}\n`;
}
