// SPDX-License-Identifier: Apache-2.0
import type { Mesh } from "../../lib/device/mesh.ts";
import type { Graph, OpId } from "../../lib/graph/graph.ts";
import type { Plan } from "../../lib/plan/plan.ts";
import type { RunAudit } from "../../sim/audit/run/audit_run.ts";
import type { Device } from "../../sim/devices/device.ts";
import type { Advice } from "../../sim/timeline/advice.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import type { DiffReport } from "../diff.ts";
import { type OpStory, storyOf } from "../explain/story.ts";
import type { TraceView } from "../explain/trace_view.ts";
import { programsOf } from "../explain/views.ts";
import type { OpRow } from "../op_rows.ts";
import type { PlanSummary } from "../plan_summary.ts";
import { type L1Map, l1Map } from "./l1_map.ts";
import { type MemoryEdge, memoryEdges } from "./memory_edges.ts";
import { type MeshLoad, meshLoad } from "./mesh_load.ts";
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
  /** Why each op is as it is, by op id; empty for the layouts as written. */
  readonly stories: ReadonlyMap<OpId, OpStory>;
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
  /** µs of the predicted time that no measured op speaks for, so that the band is wider. */
  readonly extrapolatedUs: number;
  readonly policies: readonly PolicyResult[];
  readonly functions: readonly FunctionReport[];
  /** Functions of the inference that take less time than those above and are left out. */
  readonly functionsLeftOut: number;
  /** What differs from the baseline. */
  readonly changes: DiffReport;
  /** What is worth trying, by what it saves. */
  readonly advice: readonly Advice[];
  /** A measured run of the same program beside the prediction. */
  readonly measured: RunAudit | undefined;
  /** What the links between chips carry; `undefined` for one chip. */
  readonly mesh: MeshLoad | undefined;
}

/** What a report is made of. */
export interface ReportInput extends
  Pick<
    Report,
    "input" | "version" | "policy" | "summary" | "policies" | "changes" | "advice" | "measured"
  > {
  readonly graph: Graph;
  /** Decisions that the timeline runs with; `undefined` for the layouts as written. */
  readonly plan: Plan | undefined;
  readonly timeline: Timeline;
  readonly rows: readonly OpRow[];
  readonly device: Device;
  /** What the policy left to tell; empty for the layouts as written. */
  readonly views: readonly TraceView[];
  /** Axes of the mesh that the program runs on; `[]` for one chip. */
  readonly mesh: Mesh;
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
    extrapolatedUs: timeline.inference.extrapolatedUs,
    policies: input.policies,
    changes: input.changes,
    advice: input.advice,
    measured: input.measured,
    mesh: meshLoad(timeline, input.mesh),
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
        stories: storiesOf(input.views.find((view) => view.function === fn.name), timeline),
        network: networkLoads(functionTimeline, device),
      }];
    }),
  };
}

function storiesOf(view: TraceView | undefined, timeline: Timeline): ReadonlyMap<OpId, OpStory> {
  const ops = view?.ops ?? [];
  return new Map(
    ops.flatMap((op) =>
      view === undefined
        ? []
        : [[op.op, storyOf(view, op, programsOf(timeline, view.function, op.op))] as const]
    ),
  );
}
