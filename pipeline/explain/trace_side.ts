// SPDX-License-Identifier: Apache-2.0
import type { DiffOp, DiffSide } from "../diff_side.ts";
import type { TraceView } from "./trace_view.ts";

/** A decision trace as one side of a comparison; it predicts no times. */
export function sideOfTrace(label: string, view: TraceView): DiffSide {
  return {
    label,
    device: "",
    ops: view.ops.filter((op) => op.finalLayouts.length > 0).map((op): DiffOp => ({
      id: op.op,
      key: `${op.name}|${op.location}`,
      function: view.function,
      name: op.name,
      shape: "",
      location: op.location,
      layouts: op.finalLayouts,
      config: "",
      us: undefined,
      conversions: view.edges
        .filter((edge) => edge.consumer === op.op && edge.reshard !== undefined)
        .map((edge) => ({ from: `operand ${edge.operand}`, to: edge.reshard ?? "", us: 0 })),
      readers: undefined,
    })),
    shardedOps: countOps(view, (layout) => isInL1(layout) && layout.includes("sharded")),
    l1ResidentOps: countOps(view, isInL1),
    reshards: view.edges.filter((edge) => edge.reshard !== undefined).length,
    spills: view.spills.filter(({ action }) => action === "eviction").length,
    totalUs: undefined,
    band: undefined,
    parts: undefined,
    peakL1Bytes: undefined,
    memory: undefined,
    counters: countSpills(view),
  };
}

function countOps(view: TraceView, test: (layout: string) => boolean): number {
  return view.ops.filter((op) => op.finalLayouts.some(test)).length;
}

function isInL1(layout: string): boolean {
  return /^l1\b/i.test(layout);
}

function countSpills(view: TraceView): Record<string, number> {
  return view.spills.length === 0 ? {} : { "pass 2 events": view.spills.length };
}
