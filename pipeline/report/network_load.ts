// SPDX-License-Identifier: Apache-2.0
import { describeLayoutOr } from "../../lib/layout/describe.ts";
import type { Device } from "../../sim/devices/device.ts";
import { type Network, networkOf } from "../../sim/network/network.ts";
import { describeLink, linkCount } from "../../sim/network/noc_route.ts";
import { flowTraffic, type TrafficModel } from "../../sim/network/traffic.ts";
import { stepFlows } from "../../sim/timeline/step_traffic.ts";
import type { FunctionTimeline, StepTimeline } from "../../sim/timeline/timeline.ts";

/** Bytes over the links that leave one node of one network. */
export interface NodeLoad {
  readonly x: number;
  readonly y: number;
  readonly noc: 0 | 1;
  readonly alongX: number;
  readonly alongY: number;
  readonly injected: number;
  readonly ejected: number;
}

/** Load of both networks during one step, at flow level. */
export interface NetworkLoad {
  readonly step: number;
  readonly columns: number;
  readonly rows: number;
  /** Torus coordinates of worker cores; all other nodes are DRAM, Ethernet and the rest. */
  readonly workers: readonly (readonly [number, number])[];
  /** Only nodes with traffic. */
  readonly nodes: readonly NodeLoad[];
  /** Bytes read from and written to each DRAM bank. */
  readonly bankBytes: readonly number[];
  /** Name of the bottleneck. */
  readonly bottleneck: string | undefined;
  /** For how many µs its bytes keep it busy at least, rounded to ns. */
  readonly us: number;
}

/** Number of steps whose traffic is shown. */
const STEPS_SHOWN = 12;

/**
 * Loads of the longest steps, longest first; of equal steps (same op, shapes and layouts) one. Empty if the cores have
 * no known places on the torus.
 */
export function networkLoads(timeline: FunctionTimeline, device: Device): readonly NetworkLoad[] {
  const network = networkOf(device);
  if (network === undefined) return [];
  const traffic = flowTraffic(device, network);
  const loads: NetworkLoad[] = [];
  const seen = new Set<string>();
  const longest = [...timeline.steps].sort((a, b) => b.deviceUs - a.deviceUs || a.index - b.index);
  for (const step of longest) {
    if (loads.length >= STEPS_SHOWN || step.deviceUs <= 0) break;
    const key = trafficKey(step);
    if (seen.has(key)) continue;
    seen.add(key);
    const load = networkLoad(step, device, network, traffic);
    if (load !== undefined) loads.push(load);
  }
  return loads;
}

function networkLoad(
  step: StepTimeline,
  device: Device,
  network: Network,
  traffic: TrafficModel,
): NetworkLoad | undefined {
  const flows = stepFlows(step, device);
  if (flows.length === 0) return undefined;
  const { linkBytes, bankBytes, bottleneck } = traffic.load(flows).use();
  const nodes = new Map<string, { -readonly [Key in keyof NodeLoad]: NodeLoad[Key] }>();
  for (let link = 0; link < linkCount(network); link++) {
    const bytes = linkBytes[link] ?? 0;
    if (bytes <= 0) continue;
    const { noc, x, y, kind } = describeLink(network, link);
    const key = `${noc}:${x}:${y}`;
    const node = nodes.getOrInsert(key, { x, y, noc, alongX: 0, alongY: 0, injected: 0, ejected: 0 });
    node[({ x: "alongX", y: "alongY", inject: "injected", eject: "ejected" } as const)[kind]] = Math.round(
      bytes,
    );
  }
  const microseconds = Math.round((bottleneck?.cycles ?? 0) / device.clock.aiclk * 1000) / 1000;
  const load = {
    step: step.index,
    columns: network.columns,
    rows: network.rows,
    workers: network.nodes.slice(0, network.cores).map((node) =>
      [node % network.columns, Math.floor(node / network.columns)] as const
    ),
    nodes: [...nodes.values()],
    bankBytes: Array.from(bankBytes, Math.round),
    bottleneck: bottleneck?.name,
  };
  // Not a field of the literal: V8 15.0 was seen to let such objects of successive calls share one boxed number once the
  // function is optimized on a busy machine, so that earlier loads took the time of later ones.
  return { ...load, us: microseconds };
}

function trafficKey(step: StepTimeline): string {
  const spell = (layouts: StepTimeline["inputLayouts"]): string =>
    layouts.map((layout) => describeLayoutOr(layout, "")).join();
  return [
    step.name,
    step.shape,
    step.inputShapes.join(";"),
    spell(step.inputLayouts),
    spell(step.outputLayouts),
  ]
    .join("|");
}
