// SPDX-License-Identifier: Apache-2.0
import { describeOp } from "../../../lib/graph/describe_op.ts";
import { describeLayoutOr } from "../../../lib/layout/describe.ts";
import type { OpRow } from "../../../pipeline/op_rows.ts";
import type { MemoryEdge } from "../../../pipeline/report/memory_edges.ts";
import type { FunctionReport } from "../../../pipeline/report/report.ts";
import type { RunAudit, RunOp } from "../../../sim/audit/run/audit_run.ts";
import { type StepTimeline, stepUs } from "../../../sim/timeline/timeline.ts";
import { formatBytes, formatChange, formatCount, formatMicroseconds, formatPercent } from "../format.ts";
import { gigabytesPerSecond, measuredSteps, precision, teraflops } from "../step_table.ts";
import { UNKNOWN_TIME } from "../verdict.ts";
import {
  escapeHtml,
  figures,
  type HtmlCell,
  type HtmlColumn,
  htmlTable,
  proseHtml,
  tableBox,
  words,
  wrappingHtml,
} from "./html.ts";

/** Every op of a function with its copies, and its measurement if there is one. */
export function opTable(
  { rows, timeline }: FunctionReport,
  index: number,
  audit: RunAudit | undefined,
): string {
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  // Views and calls take no time; they have no figures.
  const timed = (html: (value: number) => string) => (value: number, step: StepTimeline): string =>
    stepUs(step) === 0 ? "" : html(value);
  const columns: readonly HtmlColumn<StepTimeline>[] = [
    figures("ID", ({ index }) => index, (_, { op }) => String(op)),
    words(
      "Op",
      (step) =>
        step.kind === "op"
          ? { html: wrappingHtml(escapeHtml(opName(step.name))) }
          : `↳ ${step.reason ?? "reshard"}`,
    ),
    words("Shape", ({ shape }) => ({ html: wrappingHtml(escapeHtml(shape)) })),
    words("Layout", (step) => ({ html: wrappingHtml(layoutHtml(step, rowOf.get(step.id))) })),
    figures("Cores", ({ estimate }) => estimate.cores, timed(String)),
    figures(
      "µs",
      (step) => stepUs(step),
      (us, step) => step.estimate.unknown === undefined ? timed(formatMicroseconds)(us, step) : UNKNOWN_TIME,
    ),
    figures(
      "Total %",
      (step) => timeline.totalUs === 0 ? 0 : stepUs(step) / timeline.totalUs,
      timed(formatPercent),
    ),
    ...measuredColumns(measuredSteps(audit, timeline.name)),
    words("Bound", (step) => stepUs(step) === 0 ? "" : step.bound),
    figures("DRAM %", ({ utilisation }) => utilisation.dram, timed(formatPercent)),
    figures(
      "FLOPs %",
      ({ utilisation }) => utilisation.flops,
      (flops) => flops === 0 ? "" : formatPercent(flops),
    ),
    figures(
      "L1 peak",
      ({ l1 }) => l1.peakBytes,
      (bytes, { shortage }) =>
        shortage?.memory === "l1" ? `<span class="bad">${formatBytes(bytes)}</span>` : formatBytes(bytes),
    ),
    figures("GB/s", gigabytesPerSecond, (value) => value === 0 ? "" : value.toFixed(0)),
    figures("TFLOP/s", teraflops, (value) => value === 0 ? "" : value.toFixed(1)),
    words("Formats", (step) => ({ html: wrappingHtml(escapeHtml(precision(step))) })),
  ];
  const caption = "In execution order; arrow keys move, Enter chooses";
  const attributesOf = ({ index: step, kind }: StepTimeline, position: number) =>
    ` data-step="${step}" tabindex="${position === 0 ? 0 : -1}"${
      kind === "conversion" ? ' class="sub"' : ""
    }`;
  // Ops that run nothing, such as loads of const-eval results, are left out.
  const shown = timeline.steps.filter(({ name }) => name.startsWith("ttnn."));
  return htmlTable(`ops-${index}`, caption, columns, shown, attributesOf);
}

/** Predicted and measured kernel times; no columns without a run. */
function measuredColumns(measured: ReadonlyMap<number, RunOp>): readonly HtmlColumn<StepTimeline>[] {
  if (measured.size === 0) return [];
  const column = (title: string, value: (op: RunOp) => number, text: (value: number) => string) =>
    figures<StepTimeline>(title, ({ index }) => {
      const op = measured.get(index);
      return op === undefined ? -Infinity : value(op);
    }, (found, { index }) => measured.has(index) ? text(found) : "");
  return [
    column("Kernel µs", ({ predictedUs }) => predictedUs, formatMicroseconds),
    column("Measured µs", ({ measuredUs }) => measuredUs, formatMicroseconds),
    column("Error", ({ error }) => error, formatChange),
  ];
}

/** Name of an op without its dialect. */
export function opName(name: string): string {
  return name.replace(/^ttnn\./, "");
}

function layoutHtml(step: StepTimeline, row: OpRow | undefined): string {
  const after = describeLayoutOr(step.outputLayouts[0], "–");
  const was = step.kind === "conversion"
    ? describeLayoutOr(step.inputLayouts[0], "–")
    : row?.before[0] ?? after;
  return was === after || was === "" ? escapeHtml(after) : `${escapeHtml(was)} → <b>${escapeHtml(after)}</b>`;
}

function lines(...texts: readonly string[]): HtmlCell {
  return { html: wrappingHtml(texts.map(escapeHtml).join("<br>")) };
}

/** Every layout change of a function. */
export function edgeTable({ edges, timeline }: FunctionReport, index: number): string {
  const nameOf = (step: number | undefined, fallback: string): string => {
    const found = step === undefined ? undefined : timeline.steps[step];
    return found === undefined ? fallback : describeOp(opName(found.name), found.op);
  };
  const columns: readonly HtmlColumn<MemoryEdge>[] = [
    figures("Before op", ({ step }) => step, (step) => String(timeline.steps[step]?.op ?? "")),
    words("Kind", ({ reason }) => reason),
    words("Value", ({ value }) => value),
    words("Layouts", ({ from, to }) => lines(`${from} →`, to)),
    words(
      "Between",
      ({ producer, consumer }) => lines(`${nameOf(producer, "argument")} →`, nameOf(consumer, "return")),
    ),
    figures("µs", ({ us }) => us, formatMicroseconds),
    words("Why", ({ why }) => ({ html: proseHtml(escapeHtml(why)) })),
  ];
  const total = edges.reduce((sum, edge) => sum + edge.us, 0);
  const caption = `${formatCount(edges.length)} layout changes, ${formatMicroseconds(total)} µs together`;
  const attributesOf = ({ step }: MemoryEdge) => ` data-step="${step}" tabindex="-1"`;
  return tableBox("Layout changes", `edges-${index}`, caption, columns, edges, attributesOf);
}
