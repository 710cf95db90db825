// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../../lib/graph/graph.ts";
import { describeLayoutOr } from "../../lib/layout/describe.ts";
import type { L1Region } from "../../lib/memory/l1_schedule.ts";
import type { Network } from "../../sim/network/network.ts";
import { describeLink } from "../../sim/network/noc_route.ts";
import type { StepTimeline } from "../../sim/timeline/timeline.ts";
import type { TrafficCost } from "../../sim/network/traffic.ts";
import { type AddressRange, addressRanges, rangeWords } from "./address_map.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatBytes, formatCount, formatMicroseconds, formatPercent } from "./format.ts";
import { opCode } from "./step_table.ts";
import type { Style } from "./style.ts";

/** Data for showing one step. */
export interface StepDetail {
  readonly step: StepTimeline;
  readonly fn: GraphFunction;
  readonly region: L1Region;
  /** Network load of the step; `undefined` if it moves nothing or cannot be placed. */
  readonly traffic: { readonly cost: TrafficCost; readonly network: Network } | undefined;
  /** AICLK in MHz. */
  readonly aiclk: number;
}

/** A buffer in L1 while the step runs. */
type ResidentBuffer = StepTimeline["l1"]["placements"][number];

const LINKS_SHOWN = 5;

/**
 * One step in detail: layouts, terms of its time, L1 address by address, the busiest links of the network.
 */
export function renderStepDetail(detail: StepDetail, style: Style): string {
  const { step } = detail;
  const { launch, read, compute, write } = step.estimate.terms;
  const spell = (layouts: StepTimeline["inputLayouts"]) =>
    layouts.map((layout) => describeLayoutOr(layout, "–")).join(", ");
  const times = [["launch", launch], ["read", read], ["compute", compute], ["write", write]] as const;
  const title = `op ${step.op} ${opCode(step)}`;
  const location = step.location.slice(0, Math.max(0, style.width - title.length - 1));
  return [
    `${style.bold(title)} ${style.dim(location)}`.trimEnd(),
    `  inputs   ${spell(step.inputLayouts)}`,
    `  outputs  ${spell(step.outputLayouts)}`,
    `  time     ${formatMicroseconds(step.deviceUs)} ${
      style.dim("µs")
    } on ${step.estimate.cores} cores, ${step.bound}; ${
      times.map(([name, value]) => `${name} ${formatMicroseconds(value)}`).join(", ")
    } ${style.dim(`(±${formatPercent(step.estimate.relativeError)})`)}`,
    ...(step.estimate.extrapolated === undefined ? [] : [`  remark   ${step.estimate.extrapolated}`]),
    "",
    renderAddressMap(detail, style),
    ...(detail.traffic === undefined ? [] : ["", renderNetwork(detail.traffic, detail.aiclk, style)]),
  ].join("\n");
}

/** L1 of one core from the top down: tensors, holes, circular buffers. */
function renderAddressMap({ step, fn, region }: StepDetail, style: Style): string {
  const size = region.top - region.base;
  const placements = [...step.l1.placements].sort((a, b) => b.address - a.address);
  const nameOf = ({ tensor }: ResidentBuffer): string =>
    tensor < 0 ? "intermediate of this op" : fn.values[tensor]?.name ?? "inserted copy";
  const columns: readonly FittedColumn<AddressRange<ResidentBuffer>>[] = [
    right("From", ({ from }) => formatCount(from)),
    right("To", ({ to }) => formatCount(to)),
    right("Bytes", ({ from, to }) => formatBytes(to - from)),
    right(
      "Share",
      ({ from, to }) => ({ text: size === 0 ? "" : ((to - from) / size * 100).toFixed(1), unit: "%" }),
      { expendable: 1 },
    ),
    left("What", (range) => rangeWords(range, nameOf, style), { shrinkTo: 16 }),
  ];
  const ranges = addressRanges(region, placements, region.base + step.l1.circularBufferBytes);
  return renderFittedTable(columns, ranges, style);
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
    `${style.bold("Traffic alone")} ${style.dim("(all flows at once)")}: ${
      formatMicroseconds(cost.cycles / aiclk)
    } ${style.dim("µs")}` + (cost.bottleneck === undefined ? "" : `, limited by ${cost.bottleneck.name}`),
  ];
  for (const { bytes, link } of busiest) {
    const { noc, x, y, kind } = describeLink(network, link);
    const direction = kind === "inject" || kind === "eject" ? kind : `${noc === 0 ? "+" : "-"}${kind}`;
    lines.push(`  NoC${noc} (${x}, ${y}) ${direction.padEnd(6)}  ${formatBytes(Math.round(bytes))}`);
  }
  return lines.join("\n");
}
