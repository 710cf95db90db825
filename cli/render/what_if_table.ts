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

interface ComparedFigure {
  readonly title: string;
  cell(summary: PlanSummary, first: PlanSummary, style: Style, choice: DeviceChoice): FittedCell | string;
}

/** Whether the input's mesh fits. */
const MESH: ComparedFigure = {
  title: "Mesh",
  cell: (_summary, _first, _style, { mesh }) => `${meshText(mesh.map(({ chips }) => chips))} fits`,
};

const FIGURES: readonly ComparedFigure[] = [
  { title: "Predicted", cell: ({ predictedUs }) => microsecondsCell(predictedUs) },
  {
    title: "Band",
    cell: ({ predictedBand, predictedUs }) =>
      predictedUs === 0 ? "–" : `±${formatPercent(bandShare(predictedBand, predictedUs))}`,
  },
  {
    title: "Versus first",
    cell: (summary, first) =>
      summary === first || first.predictedUs === 0
        ? "–"
        : formatChange(summary.predictedUs / first.predictedUs - 1),
  },
  {
    title: "Copies, one per chip",
    cell: (_summary, _first, _style, { parallel }) => formatCount(parallel.copies),
  },
  {
    title: "Inferences a second",
    cell: (_summary, _first, _style, { parallel }) => formatCount(Math.round(parallel.perSecond)),
  },
  {
    title: "As written",
    cell: ({ asWritten }) => asWritten === undefined ? "–" : microsecondsCell(asWritten.us),
  },
  {
    title: "Versus as written",
    cell: ({ predictedUs, asWritten }, _first, style) =>
      asWritten === undefined ? "–" : againstCell(predictedUs, asWritten.us, asWritten.against, style),
  },
  { title: "dram baseline", cell: ({ baselineUs }) => microsecondsCell(baselineUs) },
  {
    title: "Versus baseline",
    cell: ({ predictedUs, baselineUs, againstBaseline }, _first, style) =>
      againstCell(predictedUs, baselineUs, againstBaseline, style),
  },
  { title: "Gap", cell: (summary) => gapCell(summary) },
  { title: "Ops in L1", cell: (summary) => formatCount(summary.l1ResidentOps) },
  { title: "Ops sharded", cell: (summary) => formatCount(summary.shardedOps) },
  { title: "Reshards", cell: (summary) => formatCount(summary.reshards) },
  { title: "Spills", cell: (summary) => formatCount(summary.spills) },
  { title: "Peak L1 per core", cell: (summary) => formatBytes(summary.peakL1Bytes) },
  { title: "L1 budget per core", cell: (summary) => formatBytes(summary.l1BudgetBytes) },
  { title: "Fits by address", cell: ({ verdict }, _first, style) => verdictCell(verdict, style) },
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
    left("", ({ title }) => title, { shrinkTo: 10 }),
    ...choices.map((choice) =>
      right<ComparedFigure>(
        choice.document.device,
        (figure) => figure.cell(choice.document.summary, first.summary, style, choice),
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
