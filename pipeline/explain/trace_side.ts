// SPDX-License-Identifier: Apache-2.0
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import type { DiffOp, DiffSide } from "../diff_side.ts";

/** Actions of a trace of version 3 by which a tensor leaves L1: of a victim, and of the op's own result. */
const SPILLS: ReadonlySet<string> = new Set(["eviction", "self_spill"]);

/** A decision trace that was read as one side of a comparison; it predicts no times. */
export function sideOfTrace(label: string, trace: DecisionTrace): DiffSide {
  return {
    label,
    device: "",
    ops: trace.ops.filter((op) => op.finalLayouts.length > 0).map((op): DiffOp => ({
      id: op.op,
      key: `${op.name}|${op.location}`,
      function: trace.function,
      name: op.name,
      shape: "",
      location: op.location,
      layouts: op.finalLayouts,
      config: "",
      us: undefined,
      conversions: trace.edges
        .filter((edge) => edge.consumer === op.op && edge.reshard !== undefined)
        .map((edge) => ({ from: "", to: edge.reshard ?? "", us: 0, operand: edge.operand })),
      readers: undefined,
    })),
    shardedOps: countOps(trace, (layout) => isInL1(layout) && layout.includes("sharded")),
    l1ResidentOps: countOps(trace, isInL1),
    reshards: trace.edges.filter((edge) => edge.reshard !== undefined).length,
    spills: trace.spills.filter(({ action }) => SPILLS.has(action)).length,
    totalUs: undefined,
    band: undefined,
    extrapolatedUs: undefined,
    parts: undefined,
    peakL1Bytes: undefined,
    memory: undefined,
    counters: trace.spills.length === 0 ? {} : { "pass 2 events": trace.spills.length },
  };
}

function countOps(trace: DecisionTrace, test: (layout: string) => boolean): number {
  return trace.ops.filter((op) => op.finalLayouts.some(test)).length;
}

function isInL1(layout: string): boolean {
  return /^l1\b/i.test(layout);
}
