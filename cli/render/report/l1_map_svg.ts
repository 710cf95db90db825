// SPDX-License-Identifier: Apache-2.0
import type { L1Map, L1Rectangle } from "../../../pipeline/report/l1_map.ts";
import { formatBytes, formatCount } from "../format.ts";
import { escapeHtml } from "./html.ts";

/** Hues that distinguish neighbouring tensors. */
const SHADES = 6;

/** L1 of one core: addresses upwards, the schedule to the right. */
export function l1MapSvg(map: L1Map, label: string): string {
  const height = map.top - map.base;
  const y = (end: number): number => map.top - end;
  const rectangles = map.rectangles.map((rectangle, index) => {
    const shade = rectangle.kind === "tensor" ? ` s${index % SHADES}` : "";
    return `<rect class="${rectangle.kind}${shade}" x="${rectangle.from}" y="${
      y(rectangle.address + rectangle.bytes)
    }" width="${
      rectangle.to - rectangle.from + 1
    }" height="${rectangle.bytes}" data-step="${rectangle.from}"><title>${
      escapeHtml(words(rectangle))
    }</title></rect>`;
  }).join("\n");
  const clashes = map.clashes.map((clash) =>
    `<rect class="clash" x="${clash.step}" y="${y(clash.end)}" width="1" height="${
      Math.max(clash.end - clash.start, height / 200)
    }" data-step="${clash.step}"><title>step ${clash.step} does not fit: ${
      escapeHtml(`${formatBytes(clash.shortBytes)} per core are missing (${clash.kind})`)
    }</title></rect>`
  ).join("\n");
  const budget = y(map.budgetLine);
  // Steps that load const-eval results are skipped: they take no time, and L1 holds nothing else then.
  const from = Math.min(map.firstWork, ...map.clashes.map(({ step }) => step));
  return `<div class="map"><span class="axis">${
    formatCount(map.top)
  }</span><svg class="l1" viewBox="${from} 0 ${Math.max(1, map.steps - from)} ${
    Math.max(1, height)
  }" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(label)}">
${rectangles}
<line class="budget" x1="0" x2="${map.steps}" y1="${budget}" y2="${budget}"><title>budget: tensors and circular buffers of a plan stay within ${
    formatBytes(map.top - map.budgetLine)
  }</title></line>
${clashes}
<rect class="cursor" x="0" y="0" width="1" height="${height}"/>
</svg><span class="axis">${formatCount(map.base)}</span></div>`;
}

function words({ kind, label, madeBy, from, to, address, bytes }: L1Rectangle): string {
  const steps = from === to ? `step ${from}` : `steps ${from} to ${to}`;
  const maker = madeBy === "" ? "" : `, made by ${madeBy}`;
  const what = kind === "circular_buffers" ? `circular buffers of ${madeBy}` : `${label}${maker}`;
  return `${what}: ${formatBytes(bytes)} at ${formatCount(address)} to ${
    formatCount(address + bytes)
  }, ${steps}`;
}
