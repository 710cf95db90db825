// SPDX-License-Identifier: Apache-2.0
import type { ConversionCounts, DiffReport, OpChange } from "../../pipeline/diff.ts";
import type { DiffOp, DiffSide } from "../../pipeline/diff_side.ts";
import { changeColour } from "./cells.ts";
import { type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { comparisonText, formatBytes, formatChange, formatCount, formatMicroseconds } from "./format.ts";
import type { Style } from "./style.ts";
import { misfitLines, paintVerdict, uncheckedLines, verdictText } from "./verdict.ts";

/** The columns that both forms have: what is said of a change as plain text. */
const COLUMNS: readonly (Omit<FittedColumn<OpChange>, "cell"> & { cell(change: OpChange): string })[] = [
  {
    title: "OP Code",
    align: "left",
    shrinkTo: 10,
    cell: (change) => subjectOf(change)?.name.replace(/^ttnn\./, "") ?? "",
  },
  {
    title: "Shape",
    align: "left",
    expendable: 2,
    shrinkTo: 10,
    cell: (change) => subjectOf(change)?.shape ?? "",
  },
  {
    title: "Change",
    align: "left",
    expendable: 3,
    cell: ({ kinds }) => kinds.map((kind) => kind.replace("_", " ")).join(", "),
  },
  { title: "A", align: "left", shrinkTo: 18, cell: (change) => sideText(change, change.a) },
  { title: "B", align: "left", shrinkTo: 18, cell: (change) => sideText(change, change.b) },
  {
    title: "Δ µs",
    align: "right",
    cell: ({ deltaUs }) =>
      deltaUs === undefined ? "" : `${deltaUs > 0 ? "+" : ""}${formatMicroseconds(deltaUs)}`,
  },
];

/** Report of a comparison as terminal text. `top` limits the rows, 0 lists all. */
export function renderDiff(report: DiffReport, style: Style, top: number, width: number): string {
  if (report.changes.length === 0) {
    return [
      `No difference: ${formatCount(report.matched)} ops decided alike.`,
      sides(report),
      ...memoryLines(report, style),
      "",
    ].join("\n");
  }
  const shown = top === 0 ? report.changes : report.changes.slice(0, top);
  const columns = COLUMNS.map((column): FittedColumn<OpChange> =>
    column.title !== "Δ µs" ? column : {
      ...column,
      cell: (change) => ({ text: column.cell(change), paint: changeColour(change.deltaUs ?? 0, style) }),
    }
  );
  const more = report.changes.length - shown.length;
  return [
    sides(report),
    "",
    renderFittedTable(columns, shown, style, width),
    ...(more > 0 ? [style.dim(`… and ${formatCount(more)} more; --top 0 lists all`)] : []),
    "",
    ...summaryLines(report, style),
    "",
  ].join("\n");
}

/** Report of a comparison as Markdown, for a comment on a pull request. */
export function renderDiffMarkdown(report: DiffReport, top: number): string {
  const plain = (lines: readonly string[]): string[] => lines.map((line) => `- ${line}`);
  const shown = top === 0 ? report.changes : report.changes.slice(0, top);
  const escape = (text: string): string => text.replaceAll("|", "\\|");
  const rows = shown.map((change) =>
    `| ${COLUMNS.map((column) => escape(column.cell(change))).join(" | ")} |`
  );
  const table = rows.length === 0 ? ["No difference."] : [
    "| op | shape | change | A | B | Δ µs |",
    "| --- | --- | --- | --- | --- | ---: |",
    ...rows,
  ];
  return [
    `**${report.a.label}** against **${report.b.label}**`,
    "",
    ...plain(summaryLines(report, undefined)),
    "",
    ...table,
    "",
  ]
    .join("\n");
}

/** The op that a change is about. */
function subjectOf({ kinds, a, b }: OpChange): DiffOp | undefined {
  return kinds.includes("fused") ? a : b ?? a;
}

function sides({ a, b }: DiffReport): string {
  const line = (side: DiffSide): string =>
    side.device === "" ? side.label : `${side.label} on ${side.device}`;
  return `A: ${line(a)}\nB: ${line(b)}`;
}

/** Only what differs: layouts where layouts do, the count of memory ops where those do. */
function sideText(change: OpChange, op: DiffOp | undefined): string {
  if (op === undefined) return "–";
  if (op !== subjectOf(change) && (change.kinds.includes("fused") || change.kinds.includes("split"))) {
    return `in ${op.name.replace(/^ttnn\./, "")}`;
  }
  const parts: string[] = [];
  if (change.kinds.includes("layout") || change.kinds.length === 0) parts.push(op.layouts.join(" ") || "–");
  if (change.kinds.includes("conversions")) {
    parts.push(
      op.conversions.length === 0
        ? "no memory ops"
        : op.conversions.map((entry) => `${entry.from}→${entry.to}`).join(" "),
    );
  }
  if (parts.length === 0) parts.push(op.layouts.join(" "));
  return parts.join("; ");
}

function summaryLines(report: DiffReport, style: Style | undefined): readonly string[] {
  const lines = [
    `${formatCount(report.matched)} ops alike in meaning${
      report.reordered === 0 ? "" : `, ${formatCount(report.reordered)} of them in another order`
    }; ${formatCount(report.changes.length)} decided differently`,
    `reshards ${counts(report, "reshards")}, moves to DRAM ${counts(report, "toDram")}`,
  ];
  const l1 = (side: DiffSide): string =>
    side.peakL1Bytes === undefined ? "unknown" : formatBytes(side.peakL1Bytes);
  lines.push(`peak L1 ${l1(report.a)} → ${l1(report.b)} per core`);
  lines.push(...memoryLines(report, style));
  for (const [letter, side] of [["A", report.a], ["B", report.b]] as const) {
    const counted = Object.entries(side.counters).map(([name, count]) => `${formatCount(count)} ${name}`);
    if (counted.length > 0) lines.push(`${letter} counted ${counted.join(", ")}`);
  }
  const { deltaUs, relativeDelta, a, b } = report;
  if (
    deltaUs !== undefined && relativeDelta !== undefined && a.totalUs !== undefined && b.totalUs !== undefined
  ) {
    const verdict = comparisonText(report.comparison);
    const change = `${formatChange(relativeDelta)}`;
    const colour = style === undefined ? (text: string) => text : deltaUs < 0 ? style.green : style.red;
    lines.push(
      `predicted ${formatMicroseconds(a.totalUs)} µs → ${formatMicroseconds(b.totalUs)} µs: ${
        colour(change)
      }, ${verdict}`,
    );
  }
  return lines;
}

/** Of each side that does not fit or has unchecked ops: which, and why. */
function memoryLines({ a, b }: DiffReport, style: Style | undefined): readonly string[] {
  return ([["A", a], ["B", b]] as const).flatMap(([letter, { memory }]) => {
    if (memory === undefined || memory.status === "fits") return [];
    return [
      style === undefined ? verdictText(memory) : paintVerdict(memory, style),
      ...misfitLines(memory),
      ...uncheckedLines(memory),
    ].map((line) => `${letter}: ${line}`);
  });
}

function counts(report: DiffReport, key: keyof ConversionCounts): string {
  return `${formatCount(report.conversionsA[key])} → ${formatCount(report.conversionsB[key])}`;
}
