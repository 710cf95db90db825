// SPDX-License-Identifier: Apache-2.0
import { describeLayoutOr } from "../../../lib/layout/describe.ts";
import type { Report } from "../../../pipeline/report/report.ts";
import { type StepTimeline, stepUs } from "../../../sim/timeline/timeline.ts";
import { formatCount, formatMicroseconds, formatPercent } from "../format.ts";
import type { CountedRows, Grouping } from "../row_selection.ts";
import { stepGroups } from "../simulation.ts";
import { gigabytesPerSecond, opCode, precision, teraflops } from "../step_table.ts";
import {
  attributeNumber,
  escapeHtml,
  figures,
  type HtmlColumn,
  tableBox,
  words,
  wrappingHtml,
} from "./html.ts";

/** Number of slowest steps listed. */
const SLOWEST = 10;

/** A step with the function that runs it, and how many steps of the function are equal to it. */
interface PlacedStep {
  readonly function: string;
  readonly step: StepTimeline;
  readonly count: number;
}

/** Times by kind of op and by bottleneck, and the slowest ops and copies; empty if nothing runs. */
export function timeSection({ functions, summary }: Report): string {
  const steps = functions.flatMap(({ timeline }) => timeline.steps.filter((step) => stepUs(step) > 0));
  if (steps.length === 0) return "";
  const slowest = functions.flatMap(({ name, timeline }) => {
    const equal = Map.groupBy(timeline.steps.filter((step) => stepUs(step) > 0), facts);
    return [...equal.values()].flatMap((group): PlacedStep[] =>
      group.slice(0, 1).map((step) => ({ function: name, step, count: group.length }))
    );
  }).sort((a, b) => stepUs(b.step) - stepUs(a.step)).slice(0, SLOWEST);
  const share = (us: number): number => summary.predictedUs === 0 ? 0 : us / summary.predictedUs;
  const columns: readonly HtmlColumn<PlacedStep>[] = [
    ...functions.length > 1 ? [words<PlacedStep>("Function", (row) => `@${row.function}`)] : [],
    figures("ID", ({ step: { index } }) => index, (_, { step: { op } }) => String(op)),
    wrapping("Op", opCode),
    wrapping("Layout", layoutOf),
    figures("µs", ({ step }) => stepUs(step), formatMicroseconds),
    figures("Ops", ({ count }) => count, formatCount),
    figures("Total %", ({ step, count }) => share(stepUs(step) * count), shareHtml),
    words("Bound", ({ step }) => step.bound),
    figures("GB/s", ({ step }) => gigabytesPerSecond(step), (value) => value === 0 ? "" : value.toFixed(0)),
    figures("TFLOP/s", ({ step }) => teraflops(step), (value) => value === 0 ? "" : value.toFixed(1)),
    words("Formats", ({ step }) => precision(step)),
  ];
  const caption = `The ${slowest.length} slowest ops and copies; equal ones share a row`;
  return `<h2 id="time">Where the time goes</h2>
<div class="sides">${groupTable(steps, "op", "By kind of op", share)}${
    groupTable(steps, "bound", "By what limits it", share)
  }</div>
${tableBox("Slowest ops", "slowest", caption, columns, slowest)}`;
}

function wrapping(title: string, text: (step: StepTimeline) => string): HtmlColumn<PlacedStep> {
  return words(title, ({ step }) => ({ html: wrappingHtml(escapeHtml(text(step))) }));
}

function layoutOf({ outputLayouts: [layout] }: StepTimeline): string {
  return describeLayoutOr(layout, "–");
}

/** Facts about a step for the list of slowest steps. */
function facts(step: StepTimeline): string {
  return [opCode(step), layoutOf(step), formatMicroseconds(stepUs(step)), step.bound, precision(step)].join(
    "|",
  );
}

function groupTable(
  steps: readonly StepTimeline[],
  by: Grouping,
  caption: string,
  share: (us: number) => number,
): string {
  const columns: readonly HtmlColumn<CountedRows<StepTimeline>>[] = [
    words(by === "bound" ? "Bound" : "Op", ({ name }) => name),
    figures("Ops", ({ rows }) => rows.length, formatCount),
    figures("µs", ({ us }) => us, formatMicroseconds),
    figures("Total %", ({ us }) => share(us), shareHtml),
  ];
  return tableBox(caption, `time-${by}`, caption, columns, stepGroups(steps, by));
}

/** A share in figures, over a bar of its length. */
function shareHtml(share: number): string {
  return `<span class="share" style="--share:${attributeNumber(Math.min(1, share))}">${
    escapeHtml(formatPercent(share))
  }</span>`;
}
