// SPDX-License-Identifier: Apache-2.0
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import { type ConversionRow, type OpRow, RETURN } from "../../pipeline/op_rows.ts";
import type { GraphChangeCount } from "../../pipeline/graph_changes.ts";
import type { PlanDocument } from "../../pipeline/plan_document.ts";
import type { PlanSummary } from "../../pipeline/plan_summary.ts";
import {
  assumptionLines,
  backendAdviceTexts,
  familyColour,
  freeAdviceTexts,
  gapText,
  mergedLines,
  microsecondsCell,
  verdictChange,
} from "./cells.ts";
import { type FittedCell, type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import {
  bandText,
  capitalised,
  extrapolatedText,
  formatBytes,
  formatCount,
  formatTime,
  plural,
  timeChange,
} from "./format.ts";
import {
  ALL_ROWS,
  type CountedRows,
  type Grouping,
  groupRows,
  NOTHING_RUNS,
  type RowSelection,
  selectRows,
  withMemories,
} from "./row_selection.ts";
import type { Style } from "./style.ts";
import { comparedPrograms, paintOfVerdict, paintVerdict, timeWithUnknown, UNKNOWN_TIME } from "./verdict.ts";
import { wrapItem, wrapText } from "./wrap_text.ts";

type PlanCells = Readonly<
  Record<
    "function" | "id" | "share" | "bound" | "code" | "shape" | "before" | "after" | "cores" | "time",
    FittedCell | string
  >
>;

const COLUMNS: readonly FittedColumn<PlanCells>[] = [
  left("Function", (cells) => cells.function, { shrinkTo: 12 }),
  right("ID", ({ id }) => id),
  right("Total %", ({ share }) => share, { expendable: 3 }),
  left("Bound", ({ bound }) => bound, { expendable: 2 }),
  left("OP Code", ({ code }) => code, { shrinkTo: 12 }),
  left("Shape", ({ shape }) => shape, { expendable: 4, shrinkTo: 12 }),
  left("Before", ({ before }) => before, { expendable: 5 }),
  left("Layout", ({ after }) => after, { shrinkTo: 20 }),
  right("Cores", ({ cores }) => cores, { expendable: 1 }),
  right("Time", ({ time }) => time),
];

/**
 * The per-op table of `optimize`: one row per op in execution order, inserted copies indented above the op
 * that reads them, totals against the `dram` baseline at the end. If several functions have rows, the first
 * row of each names it.
 */
export function renderPlan(document: PlanDocument, style: Style, selection: RowSelection = ALL_ROWS): string {
  const { summary } = document;
  const total = summary.predictedUs;
  const selected = selectedRows(document, selection);
  const severalFunctions = new Set(selected.map((row) => row.function)).size > 1;
  const rows = selected.flatMap((row, index) => {
    const cells = [
      ...row.conversions.map((conversion) => conversionCells(conversion, total, style)),
      opCells(row, total, style, selection.minPercentage / 100),
    ];
    const isEvery = style.tables !== undefined;
    const label = isEvery || severalFunctions && row.function !== selected[index - 1]?.function
      ? `@${row.function}`
      : "";
    return cells.map((cell, line) => line === 0 || isEvery ? { ...cell, function: label } : cell);
  });
  return [
    `${style.bold(document.input)} on ${document.device}, policy ${document.policy}`,
    "",
    rows.length === 0
      ? wrapText(NOTHING_RUNS, style.width).join("\n")
      : selection.groupBy === undefined
      ? renderFittedTable(COLUMNS, rows, style)
      : renderGroups(selected, selection.groupBy, total, style),
    "",
    (graphLine(document.graphChanges) + renderSummary(summary, style)).split("\n")
      .flatMap((line) => wrapItem(line, style.width)).join("\n"),
  ].join("\n");
}

/** The ops with a row: calls of const-eval results move nothing and are not decided. */
export function shownOps({ ops }: PlanDocument): readonly OpRow[] {
  return ops.filter(({ name, conversions }) => !name.startsWith("ttcore.") || conversions.length > 0);
}

/** Changes by graph passes before layouts were decided. */
function graphLine(changes: readonly GraphChangeCount[]): string {
  if (changes.length === 0) return "";
  const counts = new Map<string, number>();
  for (const { pass, count } of changes) counts.set(pass, (counts.get(pass) ?? 0) + count);
  const notes = changes.flatMap(({ notes: told = [] }) => told.map((note) => `Signature  ${note}\n`)).join(
    "",
  );
  return `Graph      ${[...counts].map(([pass, count]) => `${formatCount(count)} ${pass}`).join(", ")}\n${
    mergedLines(changes).map((line) => `${line}\n`).join("")
  }${notes}`;
}

/** The figures of a plan in a few lines. */
export function renderSummary(summary: PlanSummary, style: Style): string {
  const predicted = `${formatTime(summary.predictedUs)} ${
    style.dim(
      `(${bandText(summary.predictedBand, summary.predictedUs)}${
        extrapolatedText(summary.extrapolatedUs, summary.predictedUs)
      })`,
    )
  }`;
  return [
    `Predicted  ${timeWithUnknown(summary.predictedUs, predicted, summary.unknownTimes ?? []) ?? predicted}`,
    ...comparedPrograms(summary).map(({ name, what, us, unknownTimes, against, why, status }) => {
      const known = formatTime(us);
      const note = why === undefined ? "" : ` ${paintOfVerdict(status ?? "fits", style)(`(which ${why})`)}`;
      return `${capitalised(name).padEnd(10)} ${timeWithUnknown(us, known, unknownTimes) ?? known}${
        style.dim(what)
      }${note}: ${
        us === summary.predictedUs
          ? "the same"
          : verdictChange(timeChange(summary.predictedUs, us), against, style)
      }${unknownTimes.length === 0 ? "" : ", of what is known"}`;
    }),
    `L1         peak ${formatBytes(summary.peakL1Bytes)} of ${formatBytes(summary.l1BudgetBytes)} per core, ${
      paintVerdict(summary.verdict, style)
    }`,
    `Decisions  ${formatCount(summary.l1ResidentOps)} of ${formatCount(summary.ops)} ops in L1, ` +
    `${formatCount(summary.shardedOps)} sharded; ${plural(summary.reshards, "reshard")}, ${
      plural(summary.spills, "spill")
    }`,
    ...(summary.loadUs === 0 ? [] : [`At load    ${formatTime(summary.loadUs)}${style.dim(", once")}`]),
    ...assumptionLines(summary.assumptions),
    ...(summary.certificate === undefined
      ? []
      : [`Gap        ${gapText(summary)} (certificate: ${summary.certificate})`]),
    ...(summary.reasons ?? []).map((text, index) => `${index === 0 ? "Because" : ""}`.padEnd(11) + text),
    ...freeAdviceTexts(summary.advice ?? [], summary.predictedUs)
      .map((text, index) => `${index === 0 ? "Could save" : ""}`.padEnd(11) + text),
    ...backendAdviceTexts(summary.backendAdvice ?? [], summary.predictedUs)
      .map((text, index) => `${index === 0 ? "TTNN lacks" : ""}`.padEnd(11) + text),
    ...Object.keys(summary.counters).length === 0 ? [] : [
      `Policy     ${
        Object.entries(summary.counters).map(([name, count]) => `${formatCount(count)} ${name}`).join(", ")
      }`,
    ],
    "",
  ].join("\n");
}

/** Time of an op with its copies, in µs. */
function timeOfRow({ us, conversions }: OpRow): number {
  return conversions.reduce((sum, conversion) => sum + conversion.us, us);
}

/** The rows of a selection; copies count with the time of their reader. */
export function selectedRows(document: PlanDocument, selection: RowSelection): readonly OpRow[] {
  return selectRows(shownOps(document), selection, ({ id }) => id, timeOfRow);
}

/** Groups of ops with their copies; `return` and its copies are no op. */
export function planGroups(rows: readonly OpRow[], by: Grouping): readonly CountedRows<OpRow>[] {
  return groupRows(rows.filter(({ name }) => name !== RETURN), (row) => groupName(row, by), timeOfRow);
}

/** Groups of ops: their number and time including copies; largest first. */
function renderGroups(rows: readonly OpRow[], by: Grouping, total: number, style: Style): string {
  const columns: readonly FittedColumn<CountedRows<OpRow>>[] = [
    right("Total %", ({ us }) => ({ text: (total === 0 ? 0 : us / total * 100).toFixed(1), unit: "%" })),
    left("Group", ({ name }) => name, { shrinkTo: 12, wraps: true }),
    right("Ops", ({ rows: members }) => formatCount(members.length)),
    right("Time", ({ us }) => microsecondsCell(us)),
  ];
  return renderFittedTable(columns, planGroups(rows, by), style);
}

function groupName({ name, bound, inputs }: OpRow, by: Grouping): string {
  if (by === "bound") return bound;
  if (by === "category") return COST_CLASSES[definitionOf(name).costClass].category;
  const op = name.replace(/^ttnn\./, "");
  return by === "op" ? op : withMemories(op, inputs);
}

function opCells(row: OpRow, total: number, style: Style, dimmedShare: number): PlanCells {
  const share = total === 0 ? 0 : row.us / total;
  const paint = share < dimmedShare ? style.dim : undefined;
  const isUnknown = row.unknownTime !== undefined;
  const before = row.before[0] ?? "";
  const after = row.after[0] ?? "";
  return {
    function: "",
    id: { text: String(row.id), paint },
    share: isUnknown ? "" : { text: (share * 100).toFixed(1), unit: "%", paint },
    bound: { text: row.us === 0 ? "" : row.bound, paint },
    code: { text: row.name.replace(/^ttnn\./, ""), paint: familyColour(row.name, style) },
    shape: { text: row.shape.replaceAll(" ", ""), paint },
    before: { text: before === after ? "" : before, paint },
    after: { text: after, paint: before === after ? style.dim : paint },
    cores: { text: row.us === 0 ? "" : String(row.cores), paint },
    time: isUnknown
      ? UNKNOWN_TIME
      : row.us === 0
      ? { text: "–", paint: style.dim }
      : { ...microsecondsCell(row.us), paint },
  };
}

function conversionCells(row: ConversionRow, total: number, style: Style): PlanCells {
  const share = total === 0 ? 0 : row.us / total;
  return {
    function: "",
    id: "",
    share: { text: (share * 100).toFixed(1), unit: "%" },
    bound: "",
    code: { text: `↳ ${row.reason}`, paint: row.reason === "spill" ? style.red : style.yellow },
    shape: row.value,
    before: row.from,
    after: row.to,
    cores: "",
    time: microsecondsCell(row.us),
  };
}
