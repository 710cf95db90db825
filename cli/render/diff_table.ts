// SPDX-License-Identifier: Apache-2.0
import type { DiffReport, OpChange } from "../../pipeline/diff.ts";
import type { DiffOp, DiffSide } from "../../pipeline/diff_side.ts";
import { conversionText } from "../../pipeline/diff_fields.ts";
import { changeColour, changeText } from "./cells.ts";
import { type Explainable, explainCommand } from "./explain_command.ts";
import {
  type FittedColumn,
  left,
  markdownTable,
  type PlainColumn,
  renderFittedTable,
  right,
} from "./fitted_table.ts";
import { formatBytes, formatCount, formatMicroseconds, formatTime, plural } from "./format.ts";
import type { Style } from "./style.ts";
import { faultLines, paintVerdict, uncheckedLines, verdictText } from "./verdict.ts";

/** One changed field of an op; the first row of an op also shows the op itself. */
interface DiffRow {
  readonly change: OpChange;
  readonly isFirst: boolean;
  readonly field: string;
  readonly a: string;
  readonly b: string;
}

/** Fields of one op that are listed; the others are only counted. */
const FIELDS_SHOWN = 4;

/** The columns of both forms, with plain text cells. */
const COLUMNS: readonly PlainColumn<DiffRow>[] = [
  right("ID", ofOp(({ a, b }) => ids(a, b))),
  left("OP Code", ofOp((change) => opCode(subjectOf(change))), { shrinkTo: 8 }),
  left("Shape", ofOp((change) => subjectOf(change)?.shape ?? ""), { expendable: 2, shrinkTo: 10 }),
  left("Location", ofOp((change) => subjectOf(change)?.location ?? ""), { expendable: 3, shrinkTo: 12 }),
  left("Changed", ({ field }) => field, { shrinkTo: 8, wraps: true }),
  left("A", ({ a }) => a, { shrinkTo: 12, wraps: true }),
  left("B", ({ b }) => b, { shrinkTo: 12, wraps: true }),
  right(
    "Δ µs",
    ofOp(({ deltaUs }) =>
      deltaUs === undefined ? "" : `${deltaUs > 0 ? "+" : ""}${formatMicroseconds(deltaUs)}`
    ),
  ),
];

function ofOp(cell: (change: OpChange) => string): (row: DiffRow) => string {
  return ({ change, isFirst }) => isFirst ? cell(change) : "";
}

function ids(a: DiffOp | undefined, b: DiffOp | undefined): string {
  return [...new Set([a?.id, b?.id])].filter((id) => id !== undefined).join("→");
}

function opCode(op: DiffOp | undefined): string {
  return op?.name.replace(/^ttnn\./, "") ?? "";
}

function rowsOf(change: OpChange, mostFields: number): readonly DiffRow[] {
  const { a, b, fields, kinds, group, aUs, bUs } = change;
  if (group !== undefined) {
    const counts = `${plural(group.a.length, "op")} → ${formatCount(group.b.length)}`;
    const field = `${kinds.join(", ")}: ${counts}`;
    return [{ change, isFirst: true, field, a: groupText(group.a, aUs), b: groupText(group.b, bUs) }];
  }
  if (fields.length === 0) {
    const field = kinds.join().replace("_", " ");
    return [{ change, isFirst: true, field, a: sideText(a), b: sideText(b) }];
  }
  const rows = fields.slice(0, mostFields).map(({ field, a, b }, index): DiffRow => ({
    change,
    isFirst: index === 0,
    field: fieldText(field),
    a: a || "–",
    b: b || "–",
  }));
  const more = fields.length - rows.length;
  return more <= 0 ? rows : [...rows, { change, isFirst: false, field: `… ${more} more`, a: "", b: "" }];
}

/** A field of a config as tt-mlir spells it: `in0_block_w` for `config.programConfig.in0BlockW`. */
export function fieldText(field: string): string {
  if (!field.startsWith("config.")) return field;
  return field.replace(/^config\.(?:.*\.)?/, "").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The cell for an op that only one side has. */
function sideText(op: DiffOp | undefined): string {
  if (op === undefined) return "–";
  return [...op.layouts, conversionText(op.conversions)].filter((text) => text !== "").join("; ");
}

/** The ops of one side of a group by kind, their total time, and the result layouts of the last. */
export function groupText(ops: readonly DiffOp[], us: number | undefined): string {
  const names = [...Map.groupBy(ops, opCode)].map(([name, { length }]) =>
    length === 1 ? name : `${formatCount(length)} ${name}`
  );
  const time = us === undefined ? "" : ` ${formatMicroseconds(us)} µs`;
  return [`${names.join(" + ")}${time}`, ...ops.at(-1)?.layouts ?? []].join("; ");
}

/**
 * Every op that lost its sharding, of a group of ops the last; after it the same op of B, or the last of its
 * replacements, if there is one.
 */
export function lostOps(
  { changes }: DiffReport,
): readonly { readonly before: DiffOp; readonly after: DiffOp | undefined }[] {
  return changes.flatMap(({ sharding, a, b }) =>
    sharding === "lost" && a !== undefined ? [{ before: a, after: b }] : []
  );
}

function lostLines(
  report: DiffReport,
  explained: Explainable | undefined,
  code: (text: string) => string,
): readonly string[] {
  return lostOps(report).map(({ before, after }) => {
    const layouts = `${before.layouts.join(", ")} → ${after?.layouts.join(", ") ?? "gone"}`;
    const op = `op ${ids(before, after)} ${opCode(before)}${
      before.location === "" ? "" : ` ${before.location}`
    }: ${layouts}`;
    return explained === undefined || after === undefined
      ? op
      : `${op}; why: ${code(explainCommand(explained, after))}`;
  });
}

/**
 * Report of a comparison as terminal text. `top` limits the rows.
 *
 * @param explained the decision of side B, for `explain` commands
 */
export function renderDiff(report: DiffReport, style: Style, top: number, explained?: Explainable): string {
  if (report.changes.length === 0) {
    return [
      `No difference: ${plural(report.matched, "op")} matched.`,
      sides(report),
      ...memoryLines(report, style),
      "",
    ].join("\n");
  }
  const shown = report.changes.slice(0, top);
  const isCsv = style.tables !== undefined;
  const columns = COLUMNS.map((column): FittedColumn<DiffRow> => {
    const { cell } = column;
    // Rows of CSV are read alone, so each names its op; the time of an op is in one of them.
    if (column.title !== "Δ µs") {
      return isCsv ? { ...column, cell: (row) => cell({ ...row, isFirst: true }) } : column;
    }
    return {
      ...column,
      cell: (row) => {
        const { change: { deltaUs }, isFirst } = row;
        const painted = { text: cell(row), paint: changeColour(deltaUs ?? 0, style) };
        return isFirst && deltaUs !== undefined ? { ...painted, value: deltaUs } : painted;
      },
    };
  });
  const more = report.changes.length - shown.length;
  // Commands are not wrapped, so that they can be copied.
  const lost = lostLines(report, explained, (text) => text);
  return [
    sides(report),
    "",
    renderFittedTable(
      columns,
      shown.flatMap((change) => rowsOf(change, isCsv ? Infinity : FIELDS_SHOWN)),
      style,
    ),
    ...(more > 0 ? [style.dim(`… and ${formatCount(more)} more; --top 0 lists all`)] : []),
    "",
    ...summaryLines(report, style),
    ...lost.length === 0 ? [] : ["", style.bold("Lost sharding"), "", ...lost],
    "",
  ].join("\n");
}

/** Report of a comparison as Markdown, for a comment on a pull request. */
export function renderDiffMarkdown(report: DiffReport, top: number, explained?: Explainable): string {
  const plain = (lines: readonly string[]): string[] => lines.map((line) => `- ${line}`);
  const rows = report.changes.slice(0, top).flatMap((change) => rowsOf(change, FIELDS_SHOWN));
  return [
    `**${report.a.label}** vs. **${report.b.label}**`,
    "",
    ...plain(summaryLines(report, undefined)),
    ...plain(lostLines(report, explained, (text) => `\`${text}\``).map((line) => `lost sharding: ${line}`)),
    "",
    ...rows.length === 0 ? ["No difference."] : markdownTable(COLUMNS, rows),
    "",
  ].join("\n");
}

/** The op of a change; of a group the one on the side with fewer ops. */
function subjectOf({ kinds, a, b }: OpChange): DiffOp | undefined {
  return kinds.includes("split") ? a : b ?? a;
}

function sides({ a, b }: DiffReport): string {
  const line = (side: DiffSide): string =>
    side.device === "" ? side.label : `${side.label} on ${side.device}`;
  return `A: ${line(a)}\nB: ${line(b)}`;
}

function summaryLines(report: DiffReport, style: Style | undefined): readonly string[] {
  const lines = [
    `${formatCount(report.matched)} ops matched${
      report.reordered === 0 ? "" : `, ${formatCount(report.reordered)} of them in another order`
    }; ${plural(report.changes.length, "difference")}`,
    shardingLine(report),
    `reshards ${counts(report, "reshards")}, spills ${counts(report, "spills")}`,
  ];
  const l1 = (side: DiffSide): string =>
    side.peakL1Bytes === undefined ? "unknown" : formatBytes(side.peakL1Bytes);
  lines.push(`peak L1 ${l1(report.a)} → ${l1(report.b)} per core`);
  lines.push(...memoryLines(report, style));
  for (const [letter, side] of [["A", report.a], ["B", report.b]] as const) {
    const counted = Object.entries(side.counters).map(([name, count]) => `${formatCount(count)} ${name}`);
    if (counted.length > 0) lines.push(`${letter} counted ${counted.join(", ")}`);
  }
  const { relativeDelta, a, b } = report;
  if (
    relativeDelta !== undefined && a.totalUs !== undefined && b.totalUs !== undefined
  ) {
    lines.push(
      `predicted ${formatTime(a.totalUs)} → ${formatTime(b.totalUs)}: ${
        report.matched === 0
          ? "of two programs that have no op in common, so that neither is the faster"
          : changeText(relativeDelta, report.comparison, style)
      }`,
    );
  }
  return lines;
}

function shardingLine({ a, b, changes }: DiffReport): string {
  const of = (sharding: OpChange["sharding"]): number =>
    changes.filter((change) => change.sharding === sharding).length;
  return `sharded ${formatCount(a.shardedOps)} → ${formatCount(b.shardedOps)}, in L1 ${
    formatCount(a.l1ResidentOps)
  } → ${formatCount(b.l1ResidentOps)}; ${plural(of("lost"), "op")} lost sharding, ${of("gained")} gained it`;
}

/** For each side that does not fit or has unchecked ops: the ops and the reasons. */
function memoryLines({ a, b }: DiffReport, style: Style | undefined): readonly string[] {
  return ([["A", a], ["B", b]] as const).flatMap(([letter, { memory }]) => {
    if (memory === undefined || memory.status === "fits") return [];
    return [
      style === undefined ? verdictText(memory) : paintVerdict(memory, style),
      ...faultLines(memory),
      ...uncheckedLines(memory),
    ].map((line) => `${letter}: ${line}`);
  });
}

function counts({ a, b }: DiffReport, key: "reshards" | "spills"): string {
  return `${formatCount(a[key])} → ${formatCount(b[key])}`;
}
