// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../../lib/graph/graph.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { L1Region } from "../../lib/memory/l1_timeline.ts";
import type { Network } from "../../sim/network/network.ts";
import { describeLink } from "../../sim/network/noc_route.ts";
import type { StepTimeline } from "../../sim/timeline/timeline.ts";
import type { TrafficCost } from "../../sim/network/traffic.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { formatBytes, formatMicroseconds, formatPercent } from "./format.ts";
import { opCode } from "./step_table.ts";
import type { Style } from "./style.ts";

/** What a step is looked at with. */
export interface StepDetail {
  readonly step: StepTimeline;
  readonly fn: GraphFunction;
  readonly region: L1Region;
  /** Load of the network while the step runs, `undefined` when it moves nothing or cannot be placed. */
  readonly traffic: { readonly cost: TrafficCost; readonly network: Network } | undefined;
  /** AICLK in MHz. */
  readonly aiclk: number;
}

const MAP_COLUMNS: readonly FittedColumn[] = [
  { title: "From", align: "right", expendable: 0 },
  { title: "To", align: "right", expendable: 0 },
  { title: "Bytes", align: "right", expendable: 0 },
  { title: "Share", align: "right", expendable: 1 },
  { title: "What", align: "left", expendable: 0, shrinkTo: 16 },
];

/** Links that are listed. */
const LINKS_SHOWN = 5;

/** One step close up: layouts, parts of its time, L1 address by address, the busiest parts of the network. */
export function renderStepDetail(detail: StepDetail, style: Style, width: number): string {
  const { step } = detail;
  const { launch, read, compute, write } = step.estimate.terms;
  const spell = (layouts: StepTimeline["inputLayouts"]) =>
    layouts.map((layout) => layout === undefined ? "–" : describeLayout(layout)).join(", ");
  const times = [["launch", launch], ["read", read], ["compute", compute], ["write", write]] as const;
  const title = `op ${step.op} ${opCode(step)}`;
  const location = step.location.slice(0, Math.max(0, width - title.length - 1));
  return [
    `${style.bold(title)} ${style.dim(location)}`.trimEnd(),
    `  inputs   ${spell(step.inputLayouts)}`,
    `  outputs  ${spell(step.outputLayouts)}`,
    `  time     ${formatMicroseconds(step.deviceUs)} ${
      style.dim("µs")
    } on ${step.estimate.cores} cores, ${step.bound}; ${
      times.map(([name, value]) => `${name} ${formatMicroseconds(value)}`).join(", ")
    } ${style.dim(`(±${formatPercent(step.estimate.relativeError)})`)}`,
    "",
    renderAddressMap(detail, style, width),
    ...(detail.traffic === undefined ? [] : ["", renderNetwork(detail.traffic, detail.aiclk, style)]),
  ].join("\n");
}

/** L1 of one core from the top down: tensors, what is free, circular buffers. */
function renderAddressMap({ step, fn, region }: StepDetail, style: Style, width: number): string {
  const size = region.top - region.base;
  const row = (from: number, to: number, what: string, paint?: (text: string) => string): FittedCell[] => [
    { text: from.toLocaleString("en-US") },
    { text: to.toLocaleString("en-US") },
    { text: formatBytes(to - from) },
    { text: size === 0 ? "" : ((to - from) / size * 100).toFixed(1), unit: "%" },
    { text: what, ...(paint === undefined ? {} : { paint }) },
  ];
  const body: FittedCell[][] = [];
  let above = region.top;
  const placements = [...step.l1.placements].sort((a, b) => b.address - a.address);
  for (const { tensor, address, bytes } of placements) {
    if (address + bytes < above) body.push(row(address + bytes, above, "free", style.dim));
    const name = tensor < 0 ? "intermediate of this op" : fn.values[tensor]?.name ?? "inserted copy";
    body.push(row(address, address + bytes, name));
    above = address;
  }
  const buffersEnd = region.base + step.l1.circularBufferBytes;
  if (buffersEnd < above) body.push(row(buffersEnd, above, "free", style.dim));
  if (buffersEnd > region.base) {
    const clash = buffersEnd > above;
    body.push(
      row(
        region.base,
        buffersEnd,
        clash ? "circular buffers, reaching a tensor" : "circular buffers",
        clash ? style.red : style.cyan,
      ),
    );
  }
  return renderFittedTable(MAP_COLUMNS, { body, footer: [] }, style, width);
}

function renderNetwork(
  { cost, network }: NonNullable<StepDetail["traffic"]>,
  aiclk: number,
  style: Style,
): string {
  const busiest = [...cost.linkBytes].map((bytes, link) => ({ bytes, link }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes || a.link - b.link)
    .slice(0, LINKS_SHOWN);
  const lines = [
    `${style.bold("Network")} ${style.dim("at flow level")}: ${formatMicroseconds(cost.cycles / aiclk)} ${
      style.dim("µs")
    }` + (cost.bottleneck === undefined ? "" : `, limited by ${cost.bottleneck.name}`),
  ];
  for (const { bytes, link } of busiest) {
    const { noc, x, y, kind } = describeLink(network, link);
    const direction = kind === "inject" || kind === "eject" ? kind : `${noc === 0 ? "+" : "-"}${kind}`;
    lines.push(`  NoC${noc} (${x}, ${y}) ${direction.padEnd(6)}  ${formatBytes(Math.round(bytes))}`);
  }
  return lines.join("\n");
}
