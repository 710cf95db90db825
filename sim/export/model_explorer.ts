// SPDX-License-Identifier: Apache-2.0
import type { Graph, GraphFunction, GraphOp } from "../../lib/graph/graph.ts";
import {
  describeLayout,
  describeLayoutOr,
  type LayoutPlace,
  layoutPlace,
} from "../../lib/layout/describe.ts";
import type { FunctionPlan, Plan } from "../../lib/plan/plan.ts";
import type { InstanceId } from "../../lib/plan/steps.ts";
import {
  type Dataflow,
  dataflowOf,
  type FlowTensor,
  layerRuns,
  opGroups,
  type OpWithMoves,
  stepAt,
} from "../timeline/dataflow.ts";
import { type FunctionTimeline, type StepTimeline, stepUs, type Timeline } from "../timeline/timeline.ts";

/** A name with its text (model-explorer:input-graph). */
export interface ExplorerAttribute {
  readonly key: string;
  readonly value: string;
}

/** A tensor that arrives at a node. */
export interface ExplorerEdge {
  readonly sourceNodeId: string;
  /** Result of the source, from `"0"`. */
  readonly sourceNodeOutputId: string;
  /** Operand of the node, from `"0"`. */
  readonly targetNodeInputId: string;
}

/** Attributes of one result. */
export interface ExplorerOutput {
  /** As {@linkcode ExplorerEdge.sourceNodeOutputId}. */
  readonly id: string;
  /** Model Explorer gives `__tensor_tag` and `tensor_shape` a meaning. */
  readonly attrs: readonly ExplorerAttribute[];
}

/** A node: an op, a copy that the plan inserts, an argument, or what the function returns. */
export interface ExplorerNode {
  readonly id: string;
  readonly label: string;
  /** Path of groups that can be opened, `""` for none. */
  readonly namespace: string;
  /** Graphs that the node runs: the const-eval function behind a `load_cached`. */
  readonly subgraphIds?: readonly string[];
  readonly attrs: readonly ExplorerAttribute[];
  readonly incomingEdges: readonly ExplorerEdge[];
  readonly outputsMetadata: readonly ExplorerOutput[];
  readonly style: { readonly backgroundColor: string; readonly borderColor: string };
}

/** One function. */
export interface ExplorerGraph {
  /** Its name. */
  readonly id: string;
  readonly nodes: readonly ExplorerNode[];
}

/** A file that Model Explorer opens (model-explorer:input-graph). */
export interface ExplorerDocument {
  readonly label: string;
  readonly graphs: readonly ExplorerGraph[];
}

/** Background and border of nodes by the memory of the first result. */
const COLOURS: Readonly<Record<LayoutPlace, readonly [string, string]>> = {
  dram: ["#e3e7ec", "#5d6b7a"],
  dram_sharded: ["#d5d0ea", "#5b4b9a"],
  l1_interleaved: ["#d3e6f8", "#1f6fb5"],
  l1_height_sharded: ["#d5eeda", "#1f7a3a"],
  l1_width_sharded: ["#fbe6c6", "#a86400"],
  l1_block_sharded: ["#f3d6ec", "#9a2f83"],
  other: ["#ffffff", "#8b929a"],
};

/** Background and border of spills, and of steps that do not fit. */
const SPILL: readonly [string, string] = ["#fbd5d1", "#b3261e"];

/** Further attributes of an op. */
export type TellOp = (fn: GraphFunction, op: GraphOp) => readonly ExplorerAttribute[];

/**
 * A simulated program as Google's Model Explorer reads it: a graph per function with steps, those of an inference first; repeated
 * layers and the loading of const-eval results are groups that open.
 *
 * @param plan what the timeline runs with; `undefined` for the layouts as written
 * @param tell further attributes of an op, after those of the simulation
 * @throws {RangeError} if the timeline is of another graph
 */
export function modelExplorer(
  graph: Graph,
  plan: Plan | undefined,
  timeline: Timeline,
  label: string,
  tell: TellOp = () => [],
): ExplorerDocument {
  const isOnce = ({ role }: FunctionTimeline): number => role === "inference" ? 0 : 1;
  const functions = timeline.functions.filter(({ steps }) => steps.length > 0)
    .sort((a, b) => isOnce(a) - isOnce(b));
  const names = new Set(functions.map(({ name }) => name));
  return {
    label,
    graphs: functions.map((simulated) => {
      const fn = graph.functions.find(({ name }) => name === simulated.name);
      if (fn === undefined) throw new RangeError(`Cannot find ${simulated.name} in the graph`);
      const functionPlan = plan?.functions.find(({ name }) => name === fn.name);
      return { id: fn.name, nodes: functionNodes(fn, functionPlan, simulated, names, tell) };
    }),
  };
}

function functionNodes(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  timeline: FunctionTimeline,
  graphs: ReadonlySet<string>,
  tell: TellOp,
): readonly ExplorerNode[] {
  const flow = dataflowOf(fn, plan, timeline);
  const layers = layerOfSteps(timeline.steps);
  const incoming = (ids: readonly InstanceId[]): readonly ExplorerEdge[] =>
    ids.flatMap((id, operand): ExplorerEdge[] => {
      const tensor = flow.tensors.get(id);
      if (tensor === undefined) return [];
      const { source } = tensor;
      return [{
        sourceNodeId: source.kind === "argument" ? argumentId(tensor) : stepId(timeline, source.step),
        sourceNodeOutputId: source.kind === "argument" ? "0" : String(source.output),
        targetNodeInputId: String(operand),
      }];
    });
  const [returnGround, returnBorder] = COLOURS.other;
  return [
    ...[...flow.tensors.values()].flatMap((tensor) => argumentNode(tensor)),
    ...timeline.steps.map((step): ExplorerNode => {
      const op = step.kind === "op" ? fn.ops[step.id] : undefined;
      const callee = op?.attributes.get("callee");
      const subgraph = callee?.kind === "symbol" && graphs.has(callee.name) ? [callee.name] : [];
      const layer = layers.get(step.index);
      return {
        id: stepId(timeline, step.index),
        label: step.reason ?? step.name,
        namespace: layer ?? (subgraph.length > 0 ? "const-eval" : ""),
        ...(subgraph.length === 0 ? {} : { subgraphIds: subgraph }),
        attrs: [...stepAttributes(step), ...(op === undefined ? [] : tell(fn, op))],
        incomingEdges: incoming(step.reads),
        outputsMetadata: step.makes.flatMap((id, index) => outputOf(flow, id, index)),
        style: styleOf(step),
      };
    }),
    {
      id: "return",
      label: "return",
      namespace: "",
      attrs: [],
      incomingEdges: incoming(flow.results),
      outputsMetadata: [],
      style: { backgroundColor: returnGround, borderColor: returnBorder },
    },
  ];
}

/** Name of the layer that each step belongs to, for steps of repeated layers. */
function layerOfSteps(steps: readonly StepTimeline[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const groups = opGroups(steps);
  layerRuns(groups, steps).forEach(({ start, period, count }, run, { length }) => {
    groups.slice(start, start + period * count).forEach(({ moves, op }: OpWithMoves, position) => {
      const layer = `layer ${Math.floor(position / period) + 1}`;
      const name = length === 1 ? layer : `stack ${run + 1}/${layer}`;
      for (const index of op === undefined ? moves : [...moves, op]) names.set(index, name);
    });
  });
  return names;
}

function argumentNode(tensor: FlowTensor): readonly ExplorerNode[] {
  if (tensor.source.kind !== "argument") return [];
  const [backgroundColor, borderColor] = COLOURS[layoutPlace(tensor.layout)];
  return [{
    id: argumentId(tensor),
    label: tensor.name,
    namespace: tensor.source.argumentType === "input" ? "" : `${tensor.source.argumentType}s`,
    attrs: [{ key: "argument type", value: tensor.source.argumentType }],
    incomingEdges: [],
    outputsMetadata: [output(tensor, 0)],
    style: { backgroundColor, borderColor },
  }];
}

function outputOf(flow: Dataflow, id: InstanceId, index: number): readonly ExplorerOutput[] {
  const tensor = flow.tensors.get(id);
  return tensor === undefined ? [] : [output(tensor, index)];
}

function output({ name, tensor, layout }: FlowTensor, index: number): ExplorerOutput {
  return {
    id: String(index),
    attrs: [
      { key: "__tensor_tag", value: name },
      { key: "tensor_shape", value: `${tensor.dataType}[${tensor.shape.join(",")}]` },
      { key: "layout", value: describeLayoutOr(layout, "unknown") },
    ],
  };
}

function stepAttributes(step: StepTimeline): readonly ExplorerAttribute[] {
  const spell = (layouts: StepTimeline["inputLayouts"]): string =>
    layouts.flatMap((layout) => layout === undefined ? [] : [describeLayout(layout)]).join(", ");
  const isTimed = stepUs(step) > 0;
  const entries: readonly (readonly [string, string])[] = [
    ["op", `${step.op}`],
    ["name", step.name],
    ["location", step.location],
    ["inputs", spell(step.inputLayouts)],
    ["outputs", spell(step.outputLayouts)],
    // As everywhere: the kernel alone, then its gap. Views and calls have no figures.
    ["predicted device time [µs]", isTimed ? microseconds(step.deviceUs) : ""],
    ["predicted gap [µs]", isTimed ? microseconds(step.gapUs) : ""],
    ["cores", isTimed ? `${step.estimate.cores}` : ""],
    ["bound", isTimed ? step.bound : ""],
    ["L1 peak [bytes per core]", `${step.l1.peakBytes}`],
    ["does not fit", step.shortage === undefined ? "" : `${step.shortage.memory}: ${step.shortage.kind}`],
  ];
  return entries.filter(([, value]) => value !== "").map(([key, value]) => ({ key, value }));
}

function microseconds(us: number): string {
  return String(Math.round(us * 1000) / 1000);
}

function styleOf(step: StepTimeline): ExplorerNode["style"] {
  const isSpill = step.reason === "spill" || step.shortage !== undefined;
  const [backgroundColor, borderColor] = isSpill ? SPILL : COLOURS[layoutPlace(step.outputLayouts[0])];
  return { backgroundColor, borderColor };
}

function argumentId({ id }: FlowTensor): string {
  return `argument ${id}`;
}

function stepId({ steps }: FunctionTimeline, index: number): string {
  const step = stepAt(steps, index);
  return step.kind === "op" ? `op ${step.id}` : `copy ${step.id}`;
}
