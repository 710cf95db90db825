// SPDX-License-Identifier: Apache-2.0
import { type Mesh, meshChips, meshText } from "../../lib/device/mesh.ts";
import type { SpreadTensor } from "../../lib/dialect/local_shape.ts";
import { functionNamed, type Graph, type GraphFunction } from "../../lib/graph/graph.ts";
import { type FunctionPlan, functionPlans, type Plan } from "../../lib/plan/plan.ts";
import type { RunAudit } from "../../sim/audit/run/audit_run.ts";
import type { Device } from "../../sim/devices/device.ts";
import type { Advice } from "../../sim/timeline/advice.ts";
import { dataflowOf, type FlowTensor } from "../../sim/timeline/dataflow.ts";
import { type AxisLoad, type ChipClass, chipClasses, inferenceLoads } from "../../sim/timeline/mesh_load.ts";
import type { FunctionTimeline, Timeline } from "../../sim/timeline/timeline.ts";
import { type DiffReport, diffSides } from "../diff.ts";
import type { DiffSide } from "../diff_side.ts";
import type { GapReport } from "../explain/gap_report.ts";
import { type OpStory, storyOf } from "../explain/story.ts";
import type { PlanQuestions } from "../explain/alternatives.ts";
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import type { OpRow } from "../op_rows.ts";
import type { PlanSummary } from "../plan_summary.ts";
import { type L1Map, l1Map } from "./l1_map.ts";
import { type MemoryEdge, memoryEdges } from "./memory_edges.ts";
import { type NetworkLoad, networkLoads } from "./network_load.ts";
import { type OpGraph, opGraph } from "./op_graph.ts";

/** The result of one policy, for the comparison table. */
export interface PolicyResult {
  readonly policy: string;
  /** One line about the policy. */
  readonly about: string;
  readonly summary: PlanSummary;
}

export interface FunctionGraph {
  readonly timeline: FunctionTimeline;
  readonly graph: OpGraph;
  /** The same with every layer drawn, if layers are folded. */
  readonly openGraph: OpGraph | undefined;
}

/** One function of an inference. */
export interface FunctionReport extends FunctionGraph {
  readonly name: string;
  readonly rows: readonly OpRow[];
  /** The same function in the other plan; `undefined` if that lacks it, or is known by its rows alone. */
  readonly other: FunctionGraph | undefined;
  readonly l1: L1Map;
  /** Every tensor that a step reads or produces, and every argument. */
  readonly tensors: readonly FlowTensor[];
  readonly edges: readonly MemoryEdge[];
  /** Why each op is as it is, by op id; empty for the layouts as written. */
  readonly stories: ReadonlyMap<number, OpStory>;
  /** Network load of selected steps, longest step first. */
  readonly network: readonly NetworkLoad[];
}

/** Everything that a report page shows. */
export interface Report {
  readonly input: string;
  readonly version: string;
  readonly device: string;
  /** The policy of the page; `as-written` for the layouts of the input. */
  readonly policy: string;
  readonly summary: PlanSummary;
  readonly policies: readonly PolicyResult[];
  readonly functions: readonly FunctionReport[];
  /** Number of functions of the inference that are left out because they take less time. */
  readonly functionsLeftOut: number;
  /** Differences from the baseline, and both sides of them. */
  readonly changes: DiffReport;
  readonly baseline: DiffSide;
  readonly subject: DiffSide;
  /** Advice, by saving. */
  readonly advice: readonly Advice[];
  /** Where the plan loses time against its lower bound; `undefined` if its policy computes none. */
  readonly gap: GapReport | undefined;
  /** A measured run of the same program beside the prediction. */
  readonly measured: RunAudit | undefined;
  /** Load of the links between chips; `undefined` for one chip. */
  readonly mesh: MeshLoad | undefined;
}

/** A program with its plan and its times. */
export interface PlannedProgram {
  readonly graph: Graph;
  /** `undefined` for the layouts as written. */
  readonly plan: Plan | undefined;
  readonly timeline: Timeline;
}

export interface ReportInput
  extends Omit<Report, "device" | "mesh" | "changes" | "functions" | "functionsLeftOut">, PlannedProgram {
  /** The program of the baseline; `undefined` if only its rows are known. */
  readonly other: PlannedProgram | undefined;
  readonly rows: readonly OpRow[];
  readonly device: Device;
  /** Traces of the policy; empty for the layouts as written. */
  readonly views: readonly DecisionTrace[];
  /** Answers about single decisions; `undefined` for the layouts as written. */
  readonly questions: PlanQuestions | undefined;
  /** Axes of the mesh that the program runs on; `[]` for one chip. */
  readonly mesh: Mesh;
  /** Arguments and results whose share per chip the text states. */
  readonly spread: readonly SpreadTensor[];
}

const FUNCTIONS_SHOWN = 4;

/** Collects the contents of the page from a simulated program. */
export function buildReport(input: ReportInput): Report {
  const { graph, plan, timeline, rows, device, other, views, questions, mesh, spread, ...told } = input;
  const inference = timeline.functions
    .filter((fn) => fn.role === "inference" && fn.steps.length > 0)
    .sort((a, b) => b.totalUs - a.totalUs);
  const shown = inference.slice(0, FUNCTIONS_SHOWN);
  return {
    ...told,
    device: device.name,
    changes: diffSides(told.baseline, told.subject),
    mesh: meshLoad(timeline, mesh, spread),
    functionsLeftOut: inference.length - shown.length,
    functions: shown.map((functionTimeline): FunctionReport => {
      const fn = functionNamed(graph, functionTimeline.name);
      const functionPlan = plan?.functions.find((candidate) => candidate.name === fn.name);
      return {
        name: fn.name,
        rows: rows.filter((row) => row.function === fn.name),
        ...graphsOf(fn, functionPlan, functionTimeline),
        other: other && otherGraph(other, fn.name),
        l1: l1Map(fn, functionPlan, functionTimeline),
        tensors: [...dataflowOf(fn, functionPlan, functionTimeline).tensors.values()],
        edges: memoryEdges(fn, functionPlan, functionTimeline, questions),
        stories: storiesOf(views, questions, functionTimeline),
        network: networkLoads(functionTimeline, device),
      };
    }),
  };
}

function otherGraph({ graph, plan, timeline }: PlannedProgram, name: string): FunctionGraph | undefined {
  const functionTimeline = timeline.functions.find((fn) => fn.name === name && fn.steps.length > 0);
  return functionTimeline === undefined
    ? undefined
    : graphsOf(functionNamed(graph, name), functionPlans(plan)(name), functionTimeline);
}

function graphsOf(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  timeline: FunctionTimeline,
): FunctionGraph {
  const graph = opGraph(fn, plan, timeline);
  const isFolded = graph.sections.some(({ nodes }) => nodes.some(({ kind }) => kind === "layers"));
  return { timeline, graph, openGraph: isFolded ? opGraph(fn, plan, timeline, "open") : undefined };
}

/**
 * Number of slowest ops whose alternatives are computed if the policy recorded none, as many as the page lists
 * first; `explain` does so for any op.
 */
const ASKED_OPS = 10;

function storiesOf(
  views: readonly DecisionTrace[],
  questions: PlanQuestions | undefined,
  { name, steps }: FunctionTimeline,
): ReadonlyMap<number, OpStory> {
  const view = views.find((candidate) => candidate.function === name);
  if (view === undefined) return new Map();
  // Equal ops have equal alternatives.
  const ops = steps.filter(({ kind }) => kind === "op");
  const distinct = Map.groupBy(
    ops.toSorted((a, b) => b.deviceUs - a.deviceUs),
    ({ name, shape }) => `${name} ${shape}`,
  );
  const asked = new Set([...distinct.values()].slice(0, ASKED_OPS).map(([slowest]) => slowest?.id));
  const launched = new Map(ops.map(({ id, estimate }) => [id, estimate.programs]));
  return new Map(
    view.ops.map((op) => {
      const told = asked.has(op.op) ? questions?.withAlternatives(name, op) ?? op : op;
      return [op.op, storyOf(view, told, launched.get(op.op))];
    }),
  );
}

/** A mesh with the load of its links in one inference. */
export interface MeshLoad {
  readonly mesh: Mesh;
  /** Axes that collectives use. */
  readonly loads: readonly AxisLoad[];
  /** Classes of chips by their sent and received bytes. */
  readonly classes: readonly ChipClass[];
  /** Arguments and results that are divided among chips. */
  readonly spread: readonly SpreadTensor[];
}

/** The load of a program's mesh; `undefined` for one chip. */
export function meshLoad(
  { functions }: Timeline,
  mesh: Mesh,
  spread: readonly SpreadTensor[],
): MeshLoad | undefined {
  if (meshChips(mesh.map(({ chips }) => chips)) < 2) return undefined;
  const loads = inferenceLoads(functions, mesh);
  const parts = spread.filter(({ whole, shape }) => meshText(whole) !== meshText(shape));
  return { mesh, loads, classes: chipClasses(loads, mesh), spread: parts };
}
