// SPDX-License-Identifier: Apache-2.0
import { roleOf } from "../../lib/graph/function_role.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import type { Optimized } from "../optimize.ts";
import { type TraceView, viewOfPlan, viewOfTrace } from "./trace_view.ts";

/**
 * The explanation of a decided program: for each function of an inference the trace of its policy, or the
 * reasons in the plan if there is none.
 */
export function viewsOf(
  { graph, plan }: Pick<Optimized, "graph" | "plan">,
  traces: readonly DecisionTrace[],
): readonly TraceView[] {
  // Policies that try several plans record several traces; the last belongs to the plan.
  const last = new Map(traces.map((trace) => [trace.function, trace]));
  return graph.functions.filter((fn) => roleOf(fn.kind) === "inference").flatMap((fn): TraceView[] => {
    const trace = last.get(fn.name);
    if (trace !== undefined) return [viewOfTrace(trace, fn)];
    const functionPlan = plan.functions.find((candidate) => candidate.name === fn.name);
    return functionPlan === undefined ? [] : [viewOfPlan(fn, functionPlan, plan.policy)];
  });
}

/** Device programs of an op of a function; empty if it does not run. */
export function programsOf(timeline: Timeline, functionName: string, op: number): readonly DeviceProgram[] {
  const fn = timeline.functions.find(({ name }) => name === functionName);
  const step = fn?.steps.find((candidate) => candidate.kind === "op" && candidate.op === op);
  return step?.estimate.programs ?? [];
}
