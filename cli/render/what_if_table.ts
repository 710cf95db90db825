// SPDX-License-Identifier: Apache-2.0
import { type Mesh, meshText } from "../../lib/device/mesh.ts";
import type { DataParallel } from "../../sim/timeline/data_parallel.ts";
import type { PlanDocument } from "../../pipeline/plan_document.ts";
import type { PlanSummary } from "../../pipeline/plan_summary.ts";
import { againstCell, gapCell, microsecondsCell, verdictCell } from "./cells.ts";
import { type FittedCell, type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { bandShare, formatBytes, formatChange, formatCount, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";

/** A device's plan, and the throughput of all of its chips. */
export interface DeviceChoice {
  readonly document: PlanDocument;
  /** Axes of the mesh that the input runs on; `[]` for one chip. */
  readonly mesh: Mesh;
  readonly parallel: DataParallel;
}

/** What a figure is compared with and painted by, beside the summary of its plan. */
interface Beside extends DeviceChoice {
  readonly first: PlanSummary;
  readonly style: Style;
}

type ComparedFigure = readonly [
  title: string,
  cell: (summary: PlanSummary, beside: Beside) => FittedCell | string,
];

/** Whether the input's mesh fits. */
const MESH: ComparedFigure = ["Mesh", (_, { mesh }) => `${meshText(mesh.map(({ chips }) => chips))} fits`];

const FIGURES: readonly ComparedFigure[] = [
  ["Predicted", ({ predictedUs }) => microsecondsCell(predictedUs)],
  [
    "Band",
    ({ predictedBand, predictedUs }) =>
      predictedUs === 0 ? "–" : `±${formatPercent(bandShare(predictedBand, predictedUs))}`,
  ],
  [
    "Versus first",
    (summary, { first }) =>
      summary === first || first.predictedUs === 0
        ? "–"
        : formatChange(summary.predictedUs / first.predictedUs - 1),
  ],
  ["Copies, one per chip", (_, { parallel }) => formatCount(parallel.copies)],
  ["Inferences a second", (_, { parallel }) => formatCount(Math.round(parallel.perSecond))],
  ["As written", ({ asWritten }) => asWritten === undefined ? "–" : microsecondsCell(asWritten.us)],
  [
    "Versus as written",
    ({ predictedUs, asWritten }, { style }) =>
      asWritten === undefined ? "–" : againstCell(predictedUs, asWritten.us, asWritten.against, style),
  ],
  ["dram baseline", ({ baselineUs }) => microsecondsCell(baselineUs)],
  [
    "Versus baseline",
    ({ predictedUs, baselineUs, againstBaseline }, { style }) =>
      againstCell(predictedUs, baselineUs, againstBaseline, style),
  ],
  ["Gap", (summary) => gapCell(summary)],
  ["Ops in L1", (summary) => formatCount(summary.l1ResidentOps)],
  ["Ops sharded", (summary) => formatCount(summary.shardedOps)],
  ["Reshards", (summary) => formatCount(summary.reshards)],
  ["Spills", (summary) => formatCount(summary.spills)],
  ["Peak L1 per core", (summary) => formatBytes(summary.peakL1Bytes)],
  ["L1 budget per core", (summary) => formatBytes(summary.l1BudgetBytes)],
  ["Fits by address", ({ verdict }, { style }) => verdictCell(verdict, style)],
];

/**
 * The same input decided for several devices: one column per device.
 *
 * @param misfits devices that cannot hold the input's mesh
 * @returns `""` if no device holds it
 */
export function renderWhatIf(
  choices: readonly DeviceChoice[],
  misfits: readonly string[],
  style: Style,
): string {
  const first = choices[0]?.document;
  if (first === undefined) return "";
  const columns: readonly FittedColumn<ComparedFigure>[] = [
    left("", ([title]) => title, { shrinkTo: 10 }),
    ...choices.map((choice) =>
      right<ComparedFigure>(
        choice.document.device,
        ([, cell]) => cell(choice.document.summary, { ...choice, first: first.summary, style }),
      )
    ),
    ...misfits.map((device) =>
      right<ComparedFigure>(device, (figure) => figure === MESH ? "does not fit" : "–")
    ),
  ];
  const hasMesh = misfits.length > 0 || choices.some(({ mesh }) => mesh.length > 0);
  const title = `${style.bold(first.input)}, policy ${first.policy}`;
  const table = renderFittedTable(columns, hasMesh ? [MESH, ...FIGURES] : FIGURES, style);
  return `${title}\n\n${table}\n`;
}
