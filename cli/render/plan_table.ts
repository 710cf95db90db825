// SPDX-License-Identifier: Apache-2.0
import { Cell, Table } from "@cliffy/table";
import type { ConversionRow, OpRow } from "../../pipeline/op_rows.ts";
import type { PlanDocument, PlanSummary } from "../../pipeline/plan_document.ts";
import { familyColour } from "./family_colour.ts";
import { formatBytes, formatChange, formatCount, formatMicroseconds, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";

/** Rows below this share of the total are dimmed, as tt-perf-report does (`--min-percentage`). */
const DIMMED_SHARE = 0.005;

/** Width below which the location-free columns alone are shown. */
const WIDE = 120;

const COLUMNS = [
  { align: "right" },
  { align: "right" },
  { align: "left" },
  { align: "left" },
  { align: "left" },
  { align: "left" },
  { align: "right" },
  { align: "right" },
] as const;

/**
 * The per-op table of `optimize`: one row per op in execution order, inserted copies indented above the op they are made
 * for, totals against the `dram` baseline at the end.
 *
 * @param width columns of the terminal
 */
export function renderPlan(document: PlanDocument, style: Style, width: number): string {
  const { summary } = document;
  const total = summary.predictedUs;
  const rows = document.ops.flatMap((row) => [
    ...row.conversions.map((conversion) => conversionCells(conversion, total, style, width)),
    opCells(row, total, style, width),
  ]);
  const header = ["ID", "Total %", "Bound", "OP Code", "Shape", "Layout", "Cores", "Device Time"];
  const table = new Table()
    .header(header.map((title, index) => new Cell(style.bold(title)).align(COLUMNS[index]?.align ?? "left")))
    .body(rows)
    .columns([...COLUMNS])
    .padding(2);
  return [
    `${style.bold(document.input)} on ${document.device}, policy ${document.policy}`,
    "",
    trimLines(table.toString()),
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
  const fits = summary.fits ? style.green("fits by address") : style.red("DOES NOT FIT");
  return [
    `Predicted  ${formatMicroseconds(summary.predictedUs)} ${style.dim("µs")} ${
      style.dim(`(±${formatPercent(error)})`)
    }, dram baseline ${formatMicroseconds(summary.baselineUs)} ${style.dim("µs")}: ${
      colour(formatChange(change))
    }`,
    `L1         peak ${formatBytes(summary.peakL1Bytes)} of ${
      formatBytes(summary.l1BudgetBytes)
    } per core, ${fits}`,
    `Decisions  ${formatCount(summary.l1ResidentOps)} of ${formatCount(summary.ops)} ops in L1, ` +
    `${formatCount(summary.shardedOps)} sharded; ${plural(summary.reshards, "reshard")}, ${
      plural(summary.spills, "spill")
    }`,
    ...Object.keys(summary.counters).length === 0 ? [] : [
      `Policy     ${
        Object.entries(summary.counters).map(([name, count]) => `${formatCount(count)} ${name}`).join(", ")
      }`,
    ],
    "",
  ].join("\n");
}

function opCells(row: OpRow, total: number, style: Style, width: number): string[] {
  const share = total === 0 ? 0 : row.us / total;
  const paint = share < DIMMED_SHARE ? style.dim : (text: string) => text;
  return [
    String(row.id),
    formatPercent(share),
    row.us === 0 ? "" : row.bound,
    familyColour(row.name, style)(row.name.replace(/^ttnn\./, "")),
    row.shape,
    layoutChange(row, style, width),
    row.us === 0 ? "" : String(row.cores),
    row.us === 0 ? style.dim("–") : `${formatMicroseconds(row.us)} ${style.dim("µs")}`,
  ].map(paint);
}

function conversionCells(row: ConversionRow, total: number, style: Style, width: number): string[] {
  const share = total === 0 ? 0 : row.us / total;
  const mark = row.reason === "spill" ? style.red(row.reason) : style.yellow(row.reason);
  return [
    "",
    formatPercent(share),
    "",
    `↳ ${mark}`,
    row.value,
    arrow(row.from, row.to, width),
    "",
    `${formatMicroseconds(row.us)} ${style.dim("µs")}`,
  ];
}

function layoutChange(row: OpRow, style: Style, width: number): string {
  const before = row.before[0] ?? "";
  const after = row.after[0] ?? "";
  return before === after ? style.dim(after) : arrow(before, after, width);
}

/** On narrow terminals only where it goes. */
function arrow(from: string, to: string, width: number): string {
  return width < WIDE ? `→ ${to}` : `${from} → ${to}`;
}

function trimLines(text: string): string {
  return text.split("\n").map((line) => line.trimEnd()).join("\n");
}

function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
