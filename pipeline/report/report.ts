// SPDX-License-Identifier: Apache-2.0
import type { Graph } from "../../lib/graph/graph.ts";
import type { Plan } from "../../lib/plan/plan.ts";
import type { Device } from "../../sim/devices/device.ts";
import type { Advice } from "../../sim/timeline/advice.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import type { DiffReport } from "../diff.ts";
import type { OpRow } from "../op_rows.ts";
import type { PlanSummary } from "../plan_summary.ts";
import { type L1Map, l1Map } from "./l1_map.ts";
import { type MemoryEdge, memoryEdges } from "./memory_edges.ts";
import { type NetworkLoad, networkLoads } from "./network_load.ts";
import { type OpGraph, opGraph } from "./op_graph.ts";

/** One way to decide the program, for the table that compares them. */
export interface PolicyResult {
  readonly policy: string;
  /** One line about the policy. */
  readonly about: string;
  readonly summary: PlanSummary;
}

/** One function of an inference. */
export interface FunctionReport {
  readonly name: string;
  readonly timeline: Timeline["functions"][number];
  readonly rows: readonly OpRow[];
  readonly graph: OpGraph;
  readonly l1: L1Map;
  readonly edges: readonly MemoryEdge[];
  /** Load of the network per step that is worth a look, longest step first. */
  readonly network: readonly NetworkLoad[];
}

/** Everything that a report page shows. */
export interface Report {
  readonly input: string;
  readonly version: string;
  readonly device: string;
  /** The policy that the page is about; `as written` for the layouts of the input. */
  readonly policy: string;
  readonly summary: PlanSummary;
  readonly policies: readonly PolicyResult[];
  readonly functions: readonly FunctionReport[];
  /** Functions of the inference that take less time than those above and are left out. */
  readonly functionsLeftOut: number;
  /** What differs from the baseline. */
  readonly changes: DiffReport;
  /** What is worth trying, by what it saves. */
  readonly advice: readonly Advice[];
}

/** What a report is made of. */
export interface ReportInput
  extends Pick<Report, "input" | "version" | "policy" | "summary" | "policies" | "changes" | "advice"> {
  readonly graph: Graph;
  /** Decisions that the timeline runs with; `undefined` for the layouts as written. */
  readonly plan: Plan | undefined;
  readonly timeline: Timeline;
  readonly rows: readonly OpRow[];
  readonly device: Device;
}

/** Functions that are shown in full. */
const FUNCTIONS_SHOWN = 4;

/** Gathers what the page shows from a simulated program. */
export function buildReport(input: ReportInput): Report {
  const { graph, plan, timeline, rows, device } = input;
  const inference = timeline.functions
    .filter((fn) => fn.role === "inference" && fn.steps.length > 0)
    .sort((a, b) => b.totalUs - a.totalUs);
  const shown = inference.slice(0, FUNCTIONS_SHOWN);
  return {
    input: input.input,
    version: input.version,
    device: device.name,
    policy: input.policy,
    summary: input.summary,
    policies: input.policies,
    changes: input.changes,
    advice: input.advice,
    functionsLeftOut: inference.length - shown.length,
    functions: shown.flatMap((functionTimeline): FunctionReport[] => {
      const fn = graph.functions.find((candidate) => candidate.name === functionTimeline.name);
      if (fn === undefined) return [];
      const functionPlan = plan?.functions.find((candidate) => candidate.name === fn.name);
      return [{
        name: fn.name,
        timeline: functionTimeline,
        rows: rows.filter((row) => row.function === fn.name),
        graph: opGraph(fn, functionPlan, functionTimeline),
        l1: l1Map(fn, functionPlan, functionTimeline),
        edges: memoryEdges(fn, functionPlan, functionTimeline),
        network: networkLoads(functionTimeline, device),
      }];
    }),
  };
}
