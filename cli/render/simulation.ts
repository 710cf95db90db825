// SPDX-License-Identifier: Apache-2.0
import type { ExecutionRole } from "../../lib/graph/function_role.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import type { RunAudit } from "../../sim/audit/run/audit_run.ts";
import type { Advice } from "../../sim/timeline/advice.ts";
import {
  type FunctionTimeline,
  type StepTimeline,
  stepUs,
  type Timeline,
  type TimelineTotals,
} from "../../sim/timeline/timeline.ts";
import { assumptionLines, mergedLines, microsecondsCell } from "./cells.ts";
import type { GraphChangeCount } from "../../pipeline/graph_changes.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import {
  bandText,
  extrapolatedText,
  formatBytes,
  formatCount,
  formatPercent,
  formatTime,
  plural,
} from "./format.ts";
import { type CountedRows, type Grouping, groupRows, NOTHING_RUNS, withMemories } from "./row_selection.ts";
import { runTotals } from "./run_audit.ts";
import { boundColour, opCode, renderStepTable, selectSteps, type StepTableOptions } from "./step_table.ts";
import type { Style } from "./style.ts";
import { faultLines, paintVerdict, timeWithUnknown } from "./verdict.ts";
import { wrapItem, wrapText } from "./wrap_text.ts";

/** Parts of a simulation's report. */
export interface SimulationReportOptions extends StepTableOptions {
  readonly input: string;
  /** Grouping of rows; `undefined` for single ops. */
  readonly groupBy: Grouping | undefined;
  readonly advice: readonly Advice[] | undefined;
  /** Changes of the graph before it was simulated. */
  readonly graphChanges?: readonly GraphChangeCount[];
  /** Function to show in full instead of those of an inference (`--function`). */
  readonly functionName: string | undefined;
}

/** Number of items of advice on the terminal; the JSON contains all. */
const ADVICE_SHOWN = 8;

/** The report of `simulate`: tables of the functions of an inference, the other functions in short, totals, advice. */
export function renderSimulation(timeline: Timeline, style: Style, options: SimulationReportOptions): string {
  const chosen = shownFunctions(timeline, options.functionName);
  const others = timeline.functions.filter((fn) => !chosen.includes(fn) && fn.steps.length > 0);
  const parts = [
    `${style.bold(options.input)} on ${timeline.device}, ${timeline.traced ? "traced" : "untraced"} ${
      style.dim(
        options.measured === undefined
          ? "(simulated, nothing was measured)"
          : "(simulated, beside a measured run)",
      )
    }`,
    ...(chosen.length === 0
      ? [wrapText(NOTHING_RUNS, style.width).join("\n")]
      : chosen.map((fn) => renderFunction(fn, style, options))),
  ];
  if (others.length > 0) parts.push(renderOthers(others, style));
  parts.push(
    [renderTotals(timeline, style), ...mergedLines(options.graphChanges ?? [])].join("\n").split("\n")
      .flatMap((line) => wrapItem(line, style.width)).join("\n"),
  );
  if (options.measured !== undefined) parts.push(renderMeasured(options.measured, style.width));
  if (options.advice !== undefined && options.advice.length > 0) {
    parts.push(renderAdvice(options.advice, timeline, style));
  }
  return parts.join("\n\n") + "\n";
}

/**
 * The functions that {@linkcode renderSimulation} shows in full: the requested one, or those of an inference.
 */
export function shownFunctions(
  timeline: Timeline,
  functionName: string | undefined,
): readonly FunctionTimeline[] {
  return timeline.functions.filter((fn) =>
    functionName === undefined ? fn.role === "inference" && fn.steps.length > 0 : fn.name === functionName
  );
}

/** Most ops of one side alone that are named. */
const MOST_NAMED = 3;

/** The prediction compared with the run, and a hint on ops that only one side has. */
function renderMeasured(audit: RunAudit, width: number): string {
  const told = (ops: RunAudit["extra"], how: string) => {
    if (ops.length === 0) return [];
    const named = ops.slice(0, MOST_NAMED).map(({ op, us, at }) => `${op}, ${us.toFixed(1)} µs, ${at}`);
    return [
      `${plural(ops.length, "op")} ${how} (${named.join("; ")}${ops.length > MOST_NAMED ? "; …" : ""})`,
    ];
  };
  const lone = [
    ...told(audit.extra, "measured, but not predicted"),
    ...told(audit.missing, "predicted, but not measured"),
  ];
  const hint = lone.length === 0 ? [] : [`${lone.join(", ")}: 'diff MODEL PROFILE' lists them`];
  return [...runTotals(audit), ...hint].flatMap((line) => wrapText(line, width)).join("\n");
}

function renderFunction(fn: FunctionTimeline, style: Style, options: SimulationReportOptions): string {
  const table = options.groupBy === undefined
    ? renderStepTable(fn, style, options)
    : renderGroups(fn, options.groupBy, style, options);
  return [`${style.bold(`@${fn.name}`)} ${style.dim(`(${fn.kind})`)}`, table, renderL1(fn, style)]
    .join("\n");
}

/** Most glyphs of L1 over the schedule; one per op would be as long as the program. */
const SPARKLINE_COLUMNS = 120;

/** L1 over the schedule: usage, fragmentation, and whether everything fits. */
function renderL1(fn: FunctionTimeline, style: Style): string {
  const label = "L1  ";
  const steps = fn.steps.filter((step) => stepUs(step) > 0 || lacksL1(step));
  const line = sparkline(
    steps.map((step) => step.l1.fullnessPercent),
    100,
    Math.min(SPARKLINE_COLUMNS, Math.max(8, style.width - label.length)),
    (glyph, from, to) => steps.slice(from, to).some(lacksL1) ? style.red(glyph) : glyph,
  );
  const worst = fn.steps.reduce<StepTimeline | undefined>(
    (most, step) => most === undefined || step.l1.peakBytes > most.l1.peakBytes ? step : most,
    undefined,
  );
  const lines = [`${style.dim(label)}${line}`.trimEnd()];
  if (worst !== undefined && worst.l1.peakBytes > 0) {
    const { fullnessPercent, freeSegments, largestFreeBytes } = worst.l1;
    lines.push(
      `    peak ${formatBytes(fn.peakL1Bytes)} of ${
        formatBytes(fn.l1BudgetBytes)
      } per core at op ${worst.op} ` +
        style.dim(
          `(${fullnessPercent.toFixed(1)} % full, ${plural(freeSegments, "free segment")}, largest ${
            formatBytes(largestFreeBytes)
          })`,
        ),
    );
  }
  lines.push(...faultLines(fn.verdict).map((line) => `    ${style.red(line)}`));
  return lines.join("\n");
}

function lacksL1({ shortage }: StepTimeline): boolean {
  return shortage?.memory === "l1";
}

/** The device time and the gaps of steps, in µs. */
function partsOf(steps: readonly StepTimeline[]): { readonly deviceUs: number; readonly gapUs: number } {
  const sum = (key: "deviceUs" | "gapUs") => steps.reduce((total, step) => total + step[key], 0);
  return { deviceUs: sum("deviceUs"), gapUs: sum("gapUs") };
}

/** Steps by op name, by name and operands' memories, by category, or by bound; largest group first, then by name. */
export function stepGroups(
  steps: readonly StepTimeline[],
  by: Grouping,
): readonly CountedRows<StepTimeline>[] {
  return groupRows(steps, (step) => groupName(step, by), stepUs);
}

type StepGroup = CountedRows<StepTimeline> & ReturnType<typeof partsOf>;

function renderGroups(
  fn: FunctionTimeline,
  by: Grouping,
  style: Style,
  options: SimulationReportOptions,
): string {
  const groups = stepGroups(selectSteps(fn, options), by).map((group): StepGroup => ({
    ...group,
    ...partsOf(group.rows),
  }));
  const utilisation = ({ rows: steps, deviceUs }: StepGroup, peak: "dram" | "flops") => {
    const busy = steps.reduce((sum, step) => sum + step.utilisation[peak] * step.deviceUs, 0);
    return { text: (deviceUs === 0 ? 0 : busy / deviceUs * 100).toFixed(1), unit: "%" };
  };
  const columns: readonly FittedColumn<StepGroup>[] = [
    right("Total %", ({ deviceUs, gapUs }) => ({
      text: fn.totalUs === 0 ? "" : ((deviceUs + gapUs) / fn.totalUs * 100).toFixed(1),
      unit: "%",
    })),
    left("Group", ({ name, rows: [first] }) => ({
      text: name,
      paint: by === "bound" && first !== undefined ? boundColour(first.bound, style) : undefined,
    }), { shrinkTo: 12, wraps: true }),
    right("Ops", ({ rows }) => formatCount(rows.length)),
    right("Device Time", ({ deviceUs }) => microsecondsCell(deviceUs)),
    right("Op-to-Op Gap", ({ gapUs }) => microsecondsCell(gapUs), { expendable: 1 }),
    right("DRAM %", (group) => utilisation(group, "dram"), { expendable: 2 }),
    right("FLOPs %", (group) => utilisation(group, "flops"), { expendable: 3 }),
  ];
  const rows = groups.flatMap((group) => group.rows);
  const all = { name: "all", rows, us: 0, ...partsOf(rows) };
  return renderFittedTable(columns, groups, style, [columns.map((column) => column.cell(all))]);
}

function groupName(step: StepTimeline, by: Grouping): string {
  if (by === "bound") return step.bound;
  if (by === "category") return COST_CLASSES[step.costClass].category;
  const name = step.kind === "conversion" ? step.reason ?? "reshard" : step.name.replace(/^ttnn\./, "");
  if (by === "op") return name;
  return withMemories(
    name,
    step.inputLayouts.map((layout) => layout === undefined ? "" : describeLayout(layout)),
  );
}

/** Number of functions of one kind that share a row: there can be hundreds. */
const MANY_FUNCTIONS = 4;

/** The other functions, in one row each or, if there are many, in one row per kind. */
function renderOthers(functions: readonly FunctionTimeline[], style: Style): string {
  const rows = [...Map.groupBy(functions, (fn) => fn.kind).values()].flatMap((members) =>
    members.length < MANY_FUNCTIONS ? members.map((fn) => [fn]) : [members]
  );
  const sum = (members: FunctionRow, pick: (fn: FunctionTimeline) => number) =>
    members.reduce((total, fn) => total + pick(fn), 0);
  const isOnHost = ([first]: FunctionRow) => first?.role === "host";
  const columns: readonly FittedColumn<FunctionRow>[] = [
    left(
      "Execution unit",
      (members) => members.length === 1 ? `@${members[0]?.name ?? ""}` : plural(members.length, "function"),
      { shrinkTo: 16 },
    ),
    left("Kind", ([first]) => ({ text: first?.kind ?? "", paint: style.dim }), { expendable: 1 }),
    left("Runs", ([first]) => first === undefined ? "" : RUNS[first.role], { expendable: 2 }),
    right("Ops", (members) => formatCount(sum(members, (fn) => fn.steps.length))),
    right(
      "Time",
      (members) => isOnHost(members) ? "not modelled" : microsecondsCell(sum(members, (fn) => fn.totalUs)),
    ),
    right(
      "L1 peak",
      (members) => isOnHost(members) ? "" : formatBytes(Math.max(...members.map((fn) => fn.peakL1Bytes))),
      { expendable: 3 },
    ),
  ];
  return renderFittedTable(columns, rows, style);
}

/** Functions of one kind in one row. */
type FunctionRow = readonly FunctionTimeline[];

const RUNS: Readonly<Record<ExecutionRole, string>> = {
  inference: "every inference",
  once: "once, at load",
  host: "on the host",
  wrapper: "calls others",
};

function renderTotals(timeline: Timeline, style: Style): string {
  const { inference, once } = timeline;
  const rate = inference.totalUs === 0 ? 0 : 1e6 / inference.totalUs;
  const missing = [...new Set(timeline.unpriced.map(({ name }) => name))];
  const perSecond = rate === 0
    ? ""
    : style.dim(`, ${rate >= 10 ? formatCount(Math.round(rate)) : rate.toFixed(2)} per second`);
  const parts = timeline.functions.filter(({ role }) => role === "inference").length;
  const each = parts < 2 ? "" : style.dim(`, ${formatCount(parts)} functions one after the other`);
  const lines = [
    `Inference  ${
      timeWithUnknown(inference.totalUs, time(inference, style), missing) ??
        `${time(inference, style)}${perSecond}`
    }${each}`,
  ];
  if (once.totalUs > 0) lines.push(`At load    ${time(once, style)}`);
  lines.push(
    `Traffic    ${formatBytes(inference.dramBytes)} DRAM, ${formatBytes(inference.nocBytes)} NoC, ${
      (inference.flops / (inference.flops < 1e12 ? 1e9 : 1e12)).toFixed(2)
    } ${style.dim(inference.flops < 1e12 ? "GFLOP" : "TFLOP")}`,
    `L1         peak ${formatBytes(timeline.peakL1Bytes)} of ${
      formatBytes(timeline.l1BudgetBytes)
    } per core, ${paintVerdict(timeline.verdict, style)}`,
  );
  lines.push(...assumptionLines(timeline.assumptions));
  return lines.join("\n");
}

function time(totals: TimelineTotals, style: Style): string {
  const extrapolated = extrapolatedText(totals.extrapolatedUs, totals.totalUs);
  return `${formatTime(totals.totalUs)} ${
    style.dim(`(${bandText(totals.band, totals.totalUs)}${extrapolated})`)
  }`;
}

/** Advice by saving; shares are of one inference, as in the totals. */
function renderAdvice(advice: readonly Advice[], timeline: Timeline, style: Style): string {
  const lines = [style.bold("Advice")];
  const shown = advice.slice(0, ADVICE_SHOWN);
  for (const item of shown) {
    const fn = timeline.functions.find((candidate) => candidate.name === item.functionName);
    const steps = item.steps.flatMap((index) => fn?.steps[index] ?? []);
    const [first] = steps;
    const more = steps.length > 1 ? style.dim(` and ${formatCount(steps.length - 1)} more`) : "";
    const about = first === undefined ? "" : `: op ${first.op} ${opCode(first)}${more}`;
    const share = timeline.inference.totalUs === 0 ? 0 : (item.savedUs ?? 0) / timeline.inference.totalUs;
    const doubt = item.withinError ? " inside the error bar" : "";
    const saves = item.savedUs === undefined || item.savedUs <= 0
      ? ""
      : `; saves up to ${formatTime(item.savedUs)} (${formatPercent(share)})${doubt}`;
    const option = item.tryCommand === undefined ? "" : `; try ${item.tryCommand}`;
    lines.push(
      "",
      `${item.topic}${about}`,
      ...wrapText(`${item.message}${saves}${option}`, style.width - 4).map((line, index) =>
        `${index === 0 ? "  - " : "    "}${line}`
      ),
    );
  }
  const hidden = advice.length - shown.length;
  if (hidden > 0) lines.push("", style.dim(`${formatCount(hidden)} more in --json`));
  return lines.join("\n");
}

const GLYPHS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/**
 * Values as one line of block glyphs. With more values than columns, each column shows the largest of its
 * values; zero is a blank.
 *
 * @param values in order, from 0 to `top`
 * @param top value of a full block; larger ones are full as well
 * @param width most columns
 * @param paint decorates the glyph of a column, given its range of values `[from, to)`
 */
export function sparkline(
  values: readonly number[],
  top: number,
  width: number,
  paint: (glyph: string, from: number, to: number) => string,
): string {
  const columns = Math.min(width, values.length);
  let line = "";
  for (let column = 0; column < columns; column++) {
    const from = Math.floor(column * values.length / columns);
    const to = Math.floor((column + 1) * values.length / columns);
    const value = Math.max(...values.slice(from, to));
    const level = top <= 0 || value <= 0
      ? -1
      : Math.min(GLYPHS.length - 1, Math.floor(value / top * GLYPHS.length));
    line += paint(GLYPHS[level] ?? " ", from, to);
  }
  return line;
}
