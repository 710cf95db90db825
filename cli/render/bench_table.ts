// SPDX-License-Identifier: Apache-2.0
import type { PlanSummary } from "../../pipeline/plan_document.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
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
    left("Model", ({ model, isNew }) => isNew ? model.replace(/^.*\//, "").replace(/\.mlir$/, "") : "", {
      shrinkTo: 12,
    }),
    left("Policy", ({ policy }) => policy),
    left("Fits", ({ summary }) => verdictCell(summary.verdict, style)),
    right("Predicted", ({ summary }) => microsecondsCell(summary.predictedUs)),
    right("Against dram", ({ summary }) => baselineCell(summary, style)),
    right("Reshards", ({ summary }) => formatCount(summary.reshards), { expendable: 2 }),
    right("Spills", ({ summary }) => formatCount(summary.spills), { expendable: 2 }),
    right(
      "In L1",
      ({ summary: { ops, l1ResidentOps } }) => ops === 0 ? "" : formatPercent(l1ResidentOps / ops),
      { expendable: 1 },
    ),
    right("Peak L1", ({ summary }) => formatBytes(summary.peakL1Bytes), { expendable: 4 }),
    right("Queries", ({ summary }) => formatCount(summary.opModelQueries), { expendable: 3 }),
    right("Wall", ({ summary }) => ({ text: formatCount(summary.wallMs), unit: "ms" }), { expendable: 5 }),
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
