// SPDX-License-Identifier: Apache-2.0
import type { ConversionRow, OpRow } from "../../pipeline/op_rows.ts";
import type { PlanDocument, PlanSummary } from "../../pipeline/plan_document.ts";
import { familyColour } from "./family_colour.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { formatBytes, formatChange, formatCount, formatMicroseconds, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";
import { paintVerdict } from "./verdict.ts";

/** Rows below this share of the total are dimmed, as tt-perf-report does (`--min-percentage`). */
const DIMMED_SHARE = 0.005;

const COLUMNS: readonly FittedColumn[] = [
  { title: "ID", align: "right", expendable: 0 },
  { title: "Total %", align: "right", expendable: 3 },
  { title: "Bound", align: "left", expendable: 2 },
  { title: "OP Code", align: "left", expendable: 0, shrinkTo: 12 },
  { title: "Shape", align: "left", expendable: 4, shrinkTo: 12 },
  { title: "Before", align: "left", expendable: 5 },
  { title: "Layout", align: "left", expendable: 0, shrinkTo: 20 },
  { title: "Cores", align: "right", expendable: 1 },
  { title: "Device Time", align: "right", expendable: 0 },
];

/**
 * The per-op table of `optimize`: one row per op in execution order, inserted copies indented above the op they are made
 * for, totals against the `dram` baseline at the end.
 *
 * @param width columns of the terminal
 */
export function renderPlan(document: PlanDocument, style: Style, width: number): string {
  const { summary } = document;
  const total = summary.predictedUs;
  const body = document.ops.flatMap((row) => [
    ...row.conversions.map((conversion) => conversionCells(conversion, total, style)),
    opCells(row, total, style),
  ]);
  return [
    `${style.bold(document.input)} on ${document.device}, policy ${document.policy}`,
    "",
    renderFittedTable(COLUMNS, { body, footer: [] }, style, width),
    "",
    renderSummary(summary, style),
  ].join("\n");
}

/** The figures of a plan in a few lines. */
export function renderSummary(summary: PlanSummary, style: Style): string {
  const halfBand = (summary.predictedBand.upperUs - summary.predictedBand.lowerUs) / 2;
  const error = summary.predictedUs === 0 ? 0 : halfBand / summary.predictedUs;
  const change = summary.baselineUs === 0 ? 0 : summary.predictedUs / summary.baselineUs - 1;
  const colour = change < 0 ? style.green : change > 0 ? style.red : (text: string) => text;
  return [
    `Predicted  ${formatMicroseconds(summary.predictedUs)} ${style.dim("µs")} ${
      style.dim(`(±${formatPercent(error)})`)
    }, dram baseline ${formatMicroseconds(summary.baselineUs)} ${style.dim("µs")}: ${
      colour(formatChange(change))
    }`,
    `L1         peak ${formatBytes(summary.peakL1Bytes)} of ${formatBytes(summary.l1BudgetBytes)} per core, ${
      paintVerdict(summary.verdict, style)
    }`,
    `Decisions  ${formatCount(summary.l1ResidentOps)} of ${formatCount(summary.ops)} ops in L1, ` +
    `${formatCount(summary.shardedOps)} sharded; ${plural(summary.reshards, "reshard")}, ${
      plural(summary.spills, "spill")
    }`,
    ...gapLines(summary),
    ...Object.keys(summary.counters).length === 0 ? [] : [
      `Policy     ${
        Object.entries(summary.counters).map(([name, count]) => `${formatCount(count)} ${name}`).join(", ")
      }`,
    ],
    "",
  ].join("\n");
}

function gapLines({ gap, boundStatus }: PlanSummary): readonly string[] {
  if (gap === undefined || boundStatus === undefined) return [];
  return [
    `Gap        at most ${formatPercent(gap)} above the best assignment of the explored layouts ` +
    `(${boundStatus}, L1 capacity ignored)`,
  ];
}

function opCells(row: OpRow, total: number, style: Style): FittedCell[] {
  const share = total === 0 ? 0 : row.us / total;
  const dim = share < DIMMED_SHARE ? { paint: style.dim } : {};
  const before = row.before[0] ?? "";
  const after = row.after[0] ?? "";
  return [
    { text: String(row.id), ...dim },
    { text: (share * 100).toFixed(1), unit: "%", ...dim },
    { text: row.us === 0 ? "" : row.bound, ...dim },
    { text: row.name.replace(/^ttnn\./, ""), paint: familyColour(row.name, style) },
    { text: row.shape, ...dim },
    { text: before === after ? "" : before, ...dim },
    { text: after, ...(before === after ? { paint: style.dim } : dim) },
    { text: row.us === 0 ? "" : String(row.cores), ...dim },
    row.us === 0 ? { text: "–", paint: style.dim } : { text: formatMicroseconds(row.us), unit: "µs", ...dim },
  ];
}

function conversionCells(row: ConversionRow, total: number, style: Style): FittedCell[] {
  const share = total === 0 ? 0 : row.us / total;
  return [
    { text: "" },
    { text: (share * 100).toFixed(1), unit: "%" },
    { text: "" },
    { text: `↳ ${row.reason}`, paint: row.reason === "spill" ? style.red : style.yellow },
    { text: row.value },
    { text: row.from },
    { text: row.to },
    { text: "" },
    { text: formatMicroseconds(row.us), unit: "µs" },
  ];
}

function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
