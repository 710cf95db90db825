// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../../lib/graph/graph.ts";
import { describeLayoutOr, type LayoutPlace, layoutPlace } from "../../lib/layout/describe.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import type { InstanceId } from "../../lib/plan/steps.ts";
import {
  type Dataflow,
  dataflowOf,
  type FlowTensor,
  isMove,
  isTensorOp,
  layerRuns,
  opGroups,
  type OpWithMoves,
  stepAt,
} from "../../sim/timeline/dataflow.ts";
import { type FunctionTimeline, type StepTimeline, stepUs } from "../../sim/timeline/timeline.ts";

/** Layers that equal one drawn in full. */
export interface FoldedLayers {
  /** Numbers of the first and the last one, from 1. */
  readonly first: number;
  readonly last: number;
  /** Number of the drawn layer that they repeat, layouts and copies included. */
  readonly like: number;
  /** The last step of the last one. */
  readonly lastStep: number;
  /** Number of their ops; their time with copies and gaps in µs. */
  readonly ops: number;
  readonly us: number;
}

/** A tensor drawn beside its reader because no drawn node produces it. */
export interface TensorBeside {
  /**
   * `constant`: produced by an op without inputs such as `full`; `elsewhere`: by an op of an earlier section.
   */
  readonly kind: "argument" | "const_eval" | "constant" | "elsewhere";
  readonly tensor: FlowTensor;
  readonly place: LayoutPlace;
  /** Step that produces it, whose story it opens; `undefined` for arguments and const-eval results. */
  readonly step: number | undefined;
}

/** Content of a node of the drawing. */
export type OpGraphNode =
  & {
    /** Unique in its section. */
    readonly id: string;
    /** Memory and sharding of its result. */
    readonly place: LayoutPlace;
    readonly besides: readonly TensorBeside[];
  }
  & (
    /** Spilled: an op whose results had to leave L1, or a move of a tensor out of L1. */
    | { readonly kind: "op" | "move"; readonly step: number; readonly isSpilled: boolean }
    | { readonly kind: "layers"; readonly step: number; readonly layers: FoldedLayers }
    | { readonly kind: "return" }
  );

/** Tensors from one node to another. */
export interface OpGraphEdge {
  readonly from: string;
  readonly to: string;
  /** Memory and sharding of the first of them. */
  readonly place: LayoutPlace;
  /** `%12 l1/height_sharded/8x1`, each once. */
  readonly tensors: readonly string[];
}

/** A layer that is drawn in full. */
export interface DrawnLayer {
  /** Index of its stack of layers. */
  readonly stack: number;
  /** Its number in the stack, from 1, and how many there are. */
  readonly number: number;
  readonly count: number;
  readonly nodes: readonly string[];
}

/** A separately laid out part of the graph, so that large graphs stay readable and quick to lay out. */
export interface OpGraphSection {
  readonly nodes: readonly OpGraphNode[];
  readonly edges: readonly OpGraphEdge[];
  readonly layers: readonly DrawnLayer[];
}

/** The drawing of a function's ops and tensors. */
export interface OpGraph {
  readonly sections: readonly OpGraphSection[];
}

/** Nodes after which a new section starts. */
const SECTION_NODES = 220;

/** A piece of the drawing, in schedule order. */
type Item =
  | {
    readonly kind: "group";
    readonly group: OpWithMoves;
    readonly layer: Omit<DrawnLayer, "nodes"> | undefined;
  }
  | { readonly kind: "layers"; readonly layers: FoldedLayers; readonly groups: readonly OpWithMoves[] };

/**
 * The ops, copies and tensors of a function, with repeated layers folded if their layouts are equal.
 *
 * @param plan of the timeline; `undefined` for the layouts as written
 * @param repeated whether layers that repeat an earlier one are folded, or drawn in full
 */
export function opGraph(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  timeline: FunctionTimeline,
  repeated: "folded" | "open" = "folded",
): OpGraph {
  const flow = dataflowOf(fn, plan, timeline);
  const { steps } = timeline;
  const hasTensors = ({ op }: OpWithMoves): boolean => {
    if (op === undefined) return true;
    const { reads, makes } = stepAt(steps, op);
    return [...reads, ...makes].some((id) => flow.tensors.has(id));
  };
  const items = foldLayers(opGroups(steps).filter(hasTensors), steps, repeated);
  const sections: OpGraphSection[] = [];
  const drawn = new Map<number, NodePosition>();
  let at = 0;
  while (at < items.length) {
    const section = new Section(sections.length, flow, plan, steps, drawn);
    for (; at < items.length && section.nodes.size < SECTION_NODES; at++) {
      const item = items[at];
      if (item !== undefined) section.add(item);
    }
    if (at === items.length) section.addReturn();
    sections.push(section.done());
  }
  return { sections };
}

/** Section and node in which a step is drawn. */
interface NodePosition {
  readonly section: number;
  readonly node: string;
}

/** A section under construction. */
class Section {
  readonly nodes = new Map<string, OpGraphNode>();
  readonly #edges = new Map<string, { from: string; to: string; place: LayoutPlace; tensors: Set<string> }>();
  readonly #layers: { stack: number; number: number; count: number; nodes: string[] }[] = [];
  readonly #index: number;
  readonly #flow: Dataflow;
  readonly #plan: FunctionPlan | undefined;
  readonly #steps: readonly StepTimeline[];
  readonly #drawn: Map<number, NodePosition>;

  /** @param drawn nodes of steps of earlier sections */
  constructor(
    index: number,
    flow: Dataflow,
    plan: FunctionPlan | undefined,
    steps: readonly StepTimeline[],
    drawn: Map<number, NodePosition>,
  ) {
    this.#index = index;
    this.#flow = flow;
    this.#plan = plan;
    this.#steps = steps;
    this.#drawn = drawn;
  }

  add(item: Item): void {
    if (item.kind === "layers") return this.#addLayers(item.layers, item.groups);
    const ids = stepsOf(item.group).map((index) => stepAt(this.#steps, index))
      .filter((step) => !isConstant(this.#flow, step)).map((step) => this.#addStep(step));
    const { layer } = item;
    if (layer === undefined) return;
    const last = this.#layers.at(-1);
    if (last?.stack === layer.stack && last.number === layer.number) last.nodes.push(...ids);
    else this.#layers.push({ ...layer, nodes: ids });
  }

  addReturn(): void {
    const besides = this.#connect(this.#flow.results, "return");
    this.nodes.set("return", { id: "return", kind: "return", place: "other", besides });
  }

  done(): OpGraphSection {
    return {
      nodes: [...this.nodes.values()],
      edges: [...this.#edges.values()].map((edge) => ({ ...edge, tensors: [...edge.tensors] })),
      layers: this.#layers,
    };
  }

  #addLayers(layers: FoldedLayers, groups: readonly OpWithMoves[]): void {
    const indices = groups.flatMap(stepsOf);
    const [step] = indices;
    if (step === undefined) return;
    const id = `layers ${step}`;
    for (const index of indices) this.#drawn.set(index, { section: this.#index, node: id });
    const reads = indices.flatMap((index) => stepAt(this.#steps, index).reads);
    const besides = this.#connect(reads, id).filter(({ kind }) => kind === "elsewhere");
    this.nodes.set(id, { id, kind: "layers", place: "other", step, layers, besides });
  }

  #addStep(step: StepTimeline): string {
    const { index, inputLayouts, outputLayouts, reason } = step;
    const id = `step ${index}`;
    const place = layoutPlace(outputLayouts[0]);
    const besides = this.#connect(step.reads, id);
    const common = { id, place, step: index, besides };
    const isToDram = place === "dram" && layoutPlace(inputLayouts[0]).startsWith("l1");
    this.nodes.set(
      id,
      isMove(step)
        ? { ...common, kind: "move", isSpilled: reason === "spill" || (step.kind === "op" && isToDram) }
        : { ...common, kind: "op", isSpilled: this.#plan?.decisions[step.op]?.spilled === true },
    );
    this.#drawn.set(index, { section: this.#index, node: id });
    return id;
  }

  /** Connects a node with the producers of its operands; returns the tensors without a producer in this section. */
  #connect(reads: readonly InstanceId[], to: string): readonly TensorBeside[] {
    return [...new Set(reads)].flatMap((id): readonly TensorBeside[] => {
      const tensor = this.#flow.tensors.get(id);
      if (tensor === undefined) return [];
      const place = layoutPlace(tensor.layout);
      if (tensor.source.kind === "argument") return [{ kind: "argument", tensor, place, step: undefined }];
      const made = tensor.source.step;
      const maker = this.#drawn.get(made);
      if (maker?.section !== this.#index) {
        const step = stepAt(this.#steps, made);
        if (!isTensorOp(step)) return [{ kind: "const_eval", tensor, place, step: undefined }];
        return [{ kind: maker === undefined ? "constant" : "elsewhere", tensor, place, step: made }];
      }
      if (maker.node === to) return [];
      const key = `${maker.node}>${to}`;
      const edge = this.#edges.getOrInsert(key, { from: maker.node, to, place, tensors: new Set() });
      const { name, layout } = tensor;
      edge.tensors.add(`${name} ${describeLayoutOr(layout, "in an unknown layout")}`);
      return [];
    });
  }
}

/**
 * Draws the first of equal layers in full, and every layer whose layouts or copies differ from all before.
 */
function foldLayers(
  groups: readonly OpWithMoves[],
  steps: readonly StepTimeline[],
  repeated: "folded" | "open",
): readonly Item[] {
  const items: Item[] = [];
  const draw = (from: number, to: number): void => {
    for (const group of groups.slice(from, to)) items.push({ kind: "group", group, layer: undefined });
  };
  let at = 0;
  for (const [stack, { start, period, count }] of layerRuns(groups, steps).entries()) {
    draw(at, start);
    const known = new Map<string, number>();
    for (let number = 1; number <= count; number++) {
      const own = groups.slice(start + (number - 1) * period, start + number * period);
      const key = own.flatMap(stepsOf).map((index) => layoutsOf(stepAt(steps, index))).join("\n");
      const like = repeated === "open" ? undefined : known.get(key);
      if (like === undefined) {
        known.set(key, number);
        for (const group of own) items.push({ kind: "group", group, layer: { stack, number, count } });
        continue;
      }
      const indices = own.flatMap(stepsOf);
      const us = indices.reduce((sum, index) => sum + stepUs(stepAt(steps, index)), 0);
      const lastStep = indices.at(-1) ?? 0;
      const last = items.at(-1);
      if (last?.kind === "layers" && last.layers.like === like && last.layers.last === number - 1) {
        const { first, ops } = last.layers;
        const layers = { first, last: number, like, lastStep, ops: ops + period, us: last.layers.us + us };
        items[items.length - 1] = { kind: "layers", layers, groups: [...last.groups, ...own] };
      } else {
        const layers = { first: number, last: number, like, lastStep, ops: period, us };
        items.push({ kind: "layers", layers, groups: own });
      }
    }
    at = start + period * count;
  }
  draw(at, groups.length);
  return items;
}

function stepsOf({ moves, op }: OpWithMoves): readonly number[] {
  return op === undefined ? moves : [...moves, op];
}

function layoutsOf({ name, reason, inputLayouts, outputLayouts }: StepTimeline): string {
  const spell = (layouts: StepTimeline["inputLayouts"]): string =>
    layouts.map((layout) => describeLayoutOr(layout, "")).join();
  return [reason ?? name, spell(inputLayouts), spell(outputLayouts)].join("|");
}

/** Whether an op produces a tensor without inputs, as `full` does. */
function isConstant({ tensors }: Dataflow, step: StepTimeline): boolean {
  return isTensorOp(step) && !step.reads.some((id) => tensors.has(id));
}
