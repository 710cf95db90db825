// SPDX-License-Identifier: Apache-2.0
import type { ExecutionRole } from "../../lib/graph/function_role.ts";
import type { Advice } from "../../sim/timeline/advice.ts";
import { COST_CLASSES, OP_CATEGORIES } from "../../lib/ops/cost_class.ts";
import type {
  FunctionTimeline,
  StepTimeline,
  Timeline,
  TimelineTotals,
} from "../../sim/timeline/timeline.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { formatBytes, formatCount, formatMicroseconds, formatPercent } from "./format.ts";
import { sparkline } from "./sparkline.ts";
import { boundColour, opCode, plural, renderStepTable, type StepTableOptions } from "./step_table.ts";
import type { Style } from "./style.ts";
import { misfitLines, paintVerdict } from "./verdict.ts";

/** How steps are grouped (`--group-by`). */
export type Grouping = "op" | "category" | "bound";

/** What the report of a simulation shows. */
export interface SimulationReportOptions extends StepTableOptions {
  readonly input: string;
  /** Groups instead of single ops. */
  readonly groupBy: Grouping | undefined;
  /** Advice to print, `undefined` for none (`--no-advice`). */
  readonly advice: readonly Advice[] | undefined;
  /** Show this function in full instead of those of an inference (`--function`). */
  readonly functionName: string | undefined;
}

/** Items of advice that the terminal shows; all of them are in the JSON. */
const ADVICE_SHOWN = 8;

/** The report of `simulate`: tables of the functions of an inference, the other functions in short, totals, advice. */
export function renderSimulation(timeline: Timeline, style: Style, options: SimulationReportOptions): string {
  const chosen = timeline.functions.filter((fn) =>
    options.functionName === undefined
      ? fn.role === "inference" && fn.steps.length > 0
      : fn.name === options.functionName
  );
  const others = timeline.functions.filter((fn) => !chosen.includes(fn) && fn.steps.length > 0);
  const parts = [
    `${style.bold(options.input)} on ${timeline.device}, ${timeline.traced ? "traced" : "untraced"} ${
      style.dim("(simulated, nothing was measured)")
    }`,
    ...chosen.map((fn) => renderFunction(fn, style, options)),
  ];
  if (others.length > 0) parts.push(renderOthers(others, style, options.width));
  parts.push(renderTotals(timeline, style));
  if (options.advice !== undefined && options.advice.length > 0) {
    parts.push(renderAdvice(options.advice, timeline, style));
  }
  return parts.join("\n\n") + "\n";
}

function renderFunction(fn: FunctionTimeline, style: Style, options: SimulationReportOptions): string {
  const table = options.groupBy === undefined
    ? renderStepTable(fn, style, options)
    : renderGroups(fn, options.groupBy, style, options.width);
  return [
    `${style.bold(`@${fn.name}`)} ${style.dim(`(${fn.kind})`)}`,
    table,
    renderL1(fn, style, options.width),
  ]
    .join("\n");
}

/** L1 over the schedule: how full, how broken up, and whether everything fits. */
function renderL1(fn: FunctionTimeline, style: Style, width: number): string {
  const label = "L1  ";
  const steps = fn.steps.filter((step) => step.deviceUs + step.gapUs > 0 || lacksL1(step));
  const line = sparkline(
    steps.map((step) => step.l1.fullnessPercent),
    100,
    Math.max(8, width - label.length),
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
  lines.push(...misfitLines(fn.verdict).map((line) => `    ${style.red(line)}`));
  return lines.join("\n");
}

function lacksL1({ shortage }: StepTimeline): boolean {
  return shortage?.memory === "l1";
}

const GROUP_COLUMNS: readonly FittedColumn[] = [
  { title: "Total %", align: "right", expendable: 0 },
  { title: "Group", align: "left", expendable: 0, shrinkTo: 12 },
  { title: "Ops", align: "right", expendable: 0 },
  { title: "Device Time", align: "right", expendable: 0 },
  { title: "Op-to-Op Gap", align: "right", expendable: 1 },
  { title: "DRAM %", align: "right", expendable: 2 },
  { title: "FLOPs %", align: "right", expendable: 3 },
];

/** Steps by op name, category or bound; largest group first, then by name. */
function renderGroups(fn: FunctionTimeline, by: Grouping, style: Style, width: number): string {
  const groups = new Map<string, StepTimeline[]>();
  for (const step of fn.steps) {
    if (step.deviceUs + step.gapUs === 0) continue;
    const name = groupName(step, by);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [step]);
    else group.push(step);
  }
  const order = (name: string) => by === "category" ? OP_CATEGORIES.findIndex((known) => known === name) : 0;
  const total = (steps: readonly StepTimeline[]) =>
    steps.reduce((sum, step) => sum + step.deviceUs + step.gapUs, 0);
  const sorted = [...groups].sort((a, b) =>
    total(b[1]) - total(a[1]) || order(a[0]) - order(b[0]) || (a[0] < b[0] ? -1 : 1)
  );
  const cells = (name: string, steps: readonly StepTimeline[]): FittedCell[] => {
    const deviceUs = steps.reduce((sum, step) => sum + step.deviceUs, 0);
    const gapUs = steps.reduce((sum, step) => sum + step.gapUs, 0);
    const mean = (pick: (step: StepTimeline) => number) =>
      deviceUs === 0 ? 0 : steps.reduce((sum, step) => sum + pick(step) * step.deviceUs, 0) / deviceUs;
    const [first] = steps;
    return [
      { text: fn.totalUs === 0 ? "" : ((deviceUs + gapUs) / fn.totalUs * 100).toFixed(1), unit: "%" },
      {
        text: name,
        ...(by === "bound" && first !== undefined ? { paint: boundColour(first.bound, style) } : {}),
      },
      { text: formatCount(steps.length) },
      { text: formatMicroseconds(deviceUs), unit: "µs" },
      { text: formatMicroseconds(gapUs), unit: "µs" },
      { text: (mean((step) => step.utilisation.dram) * 100).toFixed(1), unit: "%" },
      { text: (mean((step) => step.utilisation.flops) * 100).toFixed(1), unit: "%" },
    ];
  };
  return renderFittedTable(
    GROUP_COLUMNS,
    {
      body: sorted.map(([name, steps]) => cells(name, steps)),
      footer: [cells("all", [...groups.values()].flat())],
    },
    style,
    width,
  );
}

function groupName(step: StepTimeline, by: Grouping): string {
  if (by === "bound") return step.bound;
  if (by === "category") return COST_CLASSES[step.costClass].category;
  return step.kind === "conversion" ? step.reason ?? "reshard" : step.name.replace(/^ttnn\./, "");
}

const OTHER_COLUMNS: readonly FittedColumn[] = [
  { title: "Execution unit", align: "left", expendable: 0, shrinkTo: 16 },
  { title: "Kind", align: "left", expendable: 1 },
  { title: "Runs", align: "left", expendable: 2 },
  { title: "Ops", align: "right", expendable: 0 },
  { title: "Time", align: "right", expendable: 0 },
  { title: "L1 peak", align: "right", expendable: 3 },
];

/** Functions of one kind from which on they share a row: there can be hundreds. */
const MANY_FUNCTIONS = 4;

/** Functions that are not shown in full, in one row each or, where there are many, in one row per kind. */
function renderOthers(functions: readonly FunctionTimeline[], style: Style, width: number): string {
  const byKind = new Map<string, FunctionTimeline[]>();
  for (const fn of functions) byKind.set(fn.kind, [...byKind.get(fn.kind) ?? [], fn]);
  const body: FittedCell[][] = [];
  for (const [kind, members] of byKind) {
    if (members.length < MANY_FUNCTIONS) {
      for (const fn of members) body.push(otherCells(`@${fn.name}`, kind, [fn], style));
    } else {
      body.push(otherCells(plural(members.length, "function"), kind, members, style));
    }
  }
  return renderFittedTable(OTHER_COLUMNS, { body, footer: [] }, style, width);
}

const RUNS: Readonly<Record<ExecutionRole, string>> = {
  inference: "every inference",
  once: "once, at load",
  host: "on the host",
  wrapper: "calls others",
};

function otherCells(
  name: string,
  kind: string,
  members: readonly FunctionTimeline[],
  style: Style,
): FittedCell[] {
  const sum = (pick: (fn: FunctionTimeline) => number) => members.reduce((total, fn) => total + pick(fn), 0);
  const [first] = members;
  const onDevice = first !== undefined && first.role !== "host";
  return [
    { text: name },
    { text: kind, paint: style.dim },
    { text: first === undefined ? "" : RUNS[first.role] },
    { text: formatCount(sum((fn) => fn.steps.length)) },
    onDevice ? { text: formatMicroseconds(sum((fn) => fn.totalUs)), unit: "µs" } : { text: "not modelled" },
    { text: onDevice ? formatBytes(Math.max(...members.map((fn) => fn.peakL1Bytes))) : "" },
  ];
}

function renderTotals(timeline: Timeline, style: Style): string {
  const { inference, once } = timeline;
  const rate = inference.totalUs === 0 ? 0 : 1e6 / inference.totalUs;
  const lines = [
    `Inference  ${time(inference, style)}${
      rate === 0 ? "" : style.dim(`, ${rate >= 10 ? rate.toFixed(0) : rate.toFixed(2)} per second`)
    }`,
  ];
  if (once.totalUs > 0) lines.push(`At load    ${time(once, style)}`);
  lines.push(
    `Traffic    ${formatBytes(inference.dramBytes)} DRAM, ${formatBytes(inference.nocBytes)} NoC, ${
      (inference.flops / 1e9).toFixed(2)
    } ${style.dim("GFLOP")}`,
    `L1         peak ${formatBytes(timeline.peakL1Bytes)} of ${
      formatBytes(timeline.l1BudgetBytes)
    } per core, ${paintVerdict(timeline.verdict, style)}`,
  );
  return lines.join("\n");
}

function time(totals: TimelineTotals, style: Style): string {
  const { lowerUs, upperUs } = totals.band;
  const error = totals.totalUs === 0 ? 0 : (upperUs - lowerUs) / 2 / totals.totalUs;
  return `${formatMicroseconds(totals.totalUs)} ${style.dim("µs")} ${
    style.dim(
      `(±${formatPercent(error)}: ${formatMicroseconds(lowerUs)} to ${formatMicroseconds(upperUs)} µs)`,
    )
  }`;
}

function renderAdvice(advice: readonly Advice[], timeline: Timeline, style: Style): string {
  const lines = [style.bold("Advice")];
  const shown = [...advice].sort((a, b) => (b.savedUs ?? 0) - (a.savedUs ?? 0)).slice(0, ADVICE_SHOWN);
  let topic = "";
  for (const item of advice.filter((candidate) => shown.includes(candidate))) {
    if (item.topic !== topic) lines.push("", item.topic);
    topic = item.topic;
    const fn = timeline.functions.find((candidate) => candidate.name === item.functionName);
    const steps = item.steps.flatMap((index) => fn?.steps[index] ?? []);
    const [first] = steps;
    if (first !== undefined) {
      const more = steps.length > 1 ? style.dim(` and ${formatCount(steps.length - 1)} more`) : "";
      lines.push(`  op ${first.op} ${opCode(first)}${more}`);
    }
    const share = fn === undefined || fn.totalUs === 0 ? 0 : (item.savedUs ?? 0) / fn.totalUs;
    const saves = item.savedUs === undefined || item.savedUs <= 0
      ? ""
      : `; up to ${formatMicroseconds(item.savedUs)} µs (${formatPercent(share)})`;
    const doubt = item.withinError ? ", inside the error bar" : "";
    const option = item.tryOption === undefined ? "" : style.dim(`, try ${item.tryOption}`);
    lines.push(`  - ${item.message}${saves}${doubt}${option}`);
  }
  const hidden = advice.length - shown.length;
  if (hidden > 0) lines.push("", style.dim(`${formatCount(hidden)} more in --json`));
  return lines.join("\n");
}
