// SPDX-License-Identifier: Apache-2.0
import type { MemoryEdge } from "../../../pipeline/report/memory_edges.ts";
import type { FunctionTimeline } from "../../../sim/timeline/timeline.ts";
import { formatMicroseconds } from "../format.ts";
import { opCode } from "../step_table.ts";
import { attributeNumber, escapeHtml } from "./html.ts";

/** Heights in the units of the picture: arcs above, steps below. */
const ARCS = 40;
const STEPS = 30;

/** Steps over time, coloured by bottleneck; arcs lead from producers over layout changes to readers. */
export function timelineSvg(timeline: FunctionTimeline, edges: readonly MemoryEdge[], label: string): string {
  const total = Math.max(timeline.totalUs, 1e-6);
  const steps = timeline.steps.filter((step) => step.deviceUs + step.gapUs > 0).map((step) => {
    const gap = step.gapUs <= 0
      ? ""
      : `<rect class="gap" x="${attributeNumber(step.startUs - step.gapUs)}" y="${
        ARCS + STEPS * 0.35
      }" width="${attributeNumber(step.gapUs)}" height="${STEPS * 0.3}"/>`;
    return `${gap}<rect class="b-${step.bound}" x="${attributeNumber(step.startUs)}" y="${ARCS}" width="${
      attributeNumber(step.deviceUs)
    }" height="${STEPS}" data-step="${step.index}"><title>${
      escapeHtml(
        `op ${step.op} ${opCode(step)}: ${formatMicroseconds(step.deviceUs)} µs, ${step.bound}, ` +
          `gap ${formatMicroseconds(step.gapUs)} µs before it`,
      )
    }</title></rect>`;
  }).join("\n");
  const at = (index: number | undefined, fallback: number): number => {
    const step = index === undefined ? undefined : timeline.steps[index];
    return step === undefined ? fallback : step.startUs + step.deviceUs / 2;
  };
  const arcs = edges.map((edge) => {
    const from = at(edge.producer, 0);
    const to = at(edge.consumer, total);
    const middle = at(edge.step, (from + to) / 2);
    const spill = edge.reason === "spill" || edge.reason === "to dram" ? " spill" : "";
    return `<path class="arc${spill}" d="M${attributeNumber(from)} ${ARCS} Q${
      attributeNumber((from + middle) / 2)
    } 0 ${attributeNumber(middle)} ${ARCS} Q${attributeNumber((middle + to) / 2)} 0 ${
      attributeNumber(to)
    } ${ARCS}" data-step="${edge.step}"><title>${
      escapeHtml(
        `${edge.reason} of ${edge.value}: ${edge.from} to ${edge.to}, ${formatMicroseconds(edge.us)} µs`,
      )
    }</title></path>`;
  }).join("\n");
  return `<svg class="time" viewBox="0 0 ${attributeNumber(total)} ${
    ARCS + STEPS
  }" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(label)}">
${arcs}
${steps}
<rect class="cursor" x="0" y="0" width="0" height="${ARCS + STEPS}"/>
</svg>`;
}
