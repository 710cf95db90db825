// SPDX-License-Identifier: Apache-2.0
import { describeLayoutOr } from "../../../lib/layout/describe.ts";
import type { DiffReport } from "../../../pipeline/diff.ts";
import type { DiffOp } from "../../../pipeline/diff_side.ts";
import type { MemoryEdge } from "../../../pipeline/report/memory_edges.ts";
import type { L1Map } from "../../../pipeline/report/l1_map.ts";
import type { NetworkLoad } from "../../../pipeline/report/network_load.ts";
import type { FunctionGraph, FunctionReport, Report } from "../../../pipeline/report/report.ts";
import type { FlowTensor } from "../../../sim/timeline/dataflow.ts";
import type { FunctionTimeline } from "../../../sim/timeline/timeline.ts";
import { drawGraph, type GraphDrawing } from "./graph_drawing.ts";
import { attributeNumber } from "./html.ts";
import { opName, opTable } from "./op_tables.ts";
import { drawnStep, type StepData, stepData } from "./step_data.ts";

interface TensorData {
  /** Its value, or the value it copies. */
  readonly name: string;
  /** `bf16 1x32x64`. */
  readonly shape: string;
  readonly layout: string;
  /** Step that produces it; `undefined` for tensors without one. */
  readonly made: number | undefined;
  /** Description of a tensor without a step. */
  readonly about: string;
}

/** A step of the other plan as in its graph. */
type OtherStep = Pick<StepData, "us" | "gap" | "bound" | "l1">;

/** Graph of the other plan, its steps paired with this plan's. */
interface OtherGraphData {
  readonly graph: GraphDrawing;
  readonly openGraph: GraphDrawing | undefined;
  readonly steps: readonly OtherStep[];
  /** Steps of this plan and of the other that are the same op. */
  readonly pairs: readonly (readonly [own: number, other: number])[];
  /** Steps that differ in op or layouts. */
  readonly changed: { readonly own: readonly number[]; readonly other: readonly number[] };
}

/** An op of the other plan; `start` in µs. */
interface BarData {
  readonly title: string;
  readonly layout: string;
  readonly start: number;
  readonly us: number;
}

/** A function in the client's data. */
export interface FunctionData {
  readonly policy: string;
  readonly totalUs: number;
  readonly steps: readonly StepData[];
  readonly l1: L1Map;
  /** By id of the tensor. */
  readonly tensors: Readonly<Record<number, TensorData>>;
  readonly network: readonly NetworkLoad[];
  readonly edges: readonly MemoryEdge[];
  readonly graph: GraphDrawing;
  readonly openGraph: GraphDrawing | undefined;
  /** Same function in the other plan; `undefined` if none or same plan. */
  readonly beside:
    | {
      readonly name: string;
      readonly totalUs: number;
      readonly bars: readonly BarData[];
      /** `undefined` if only a list of the other plan's ops exists. */
      readonly drawn: OtherGraphData | undefined;
    }
    | undefined;
  /** The table of ops, as HTML. */
  readonly ops: string;
}

/** The client's data, by function. */
export function pageData(report: Report): { readonly functions: readonly FunctionData[] } {
  return {
    functions: report.functions.map((fn, index): FunctionData => ({
      policy: report.policy,
      totalUs: fn.timeline.totalUs,
      steps: stepData(fn, report.measured),
      l1: fn.l1,
      tensors: Object.fromEntries(fn.tensors.map((tensor) => [tensor.id, tensorData(tensor)])),
      network: fn.network,
      edges: fn.edges,
      graph: drawGraph(fn.graph, fn.timeline),
      openGraph: fn.openGraph === undefined ? undefined : drawGraph(fn.openGraph, fn.timeline),
      beside: besideData(report, fn),
      ops: opTable(fn, index, report.measured),
    })),
  };
}

function tensorData({ name, tensor, layout, source }: FlowTensor): TensorData {
  return {
    name,
    shape: `${tensor.dataType} ${tensor.shape.join("x")}`,
    layout: describeLayoutOr(layout, "an unknown layout"),
    made: source.kind === "step" ? source.step : undefined,
    about: source.kind === "step" ? "" : `an argument (${source.argumentType})`,
  };
}

/** Ops of the other plan in order; µs include copies of operands. */
function besideData({ baseline, subject, changes }: Report, fn: FunctionReport): FunctionData["beside"] {
  const { name, timeline, other } = fn;
  const ops = baseline.ops.filter((op) => op.function === name);
  if (baseline.label === subject.label || ops.every(({ us = 0 }) => us === 0)) return undefined;
  let start = 0;
  const bars = ops.map((op): BarData => {
    const us = (op.us ?? 0) + op.conversions.reduce((sum, { us }) => sum + us, 0);
    const bar = {
      title: `op ${op.id} ${opName(op.name)} ${op.shape}`.trimEnd(),
      layout: op.layouts.join(" "),
      start: Number(attributeNumber(start)),
      us: Number(attributeNumber(us)),
    };
    start += us;
    return bar;
  });
  return {
    name: baseline.label,
    totalUs: start,
    bars: bars.filter(({ us }) => us > 0),
    drawn: other === undefined ? undefined : otherGraphData(other, timeline, name, changes),
  };
}

function otherGraphData(
  { graph, openGraph, timeline }: FunctionGraph,
  own: FunctionTimeline,
  name: string,
  { pairs, changes }: DiffReport,
): OtherGraphData {
  const ownStep = stepOf(own, name);
  const otherStep = stepOf(timeline, name);
  return {
    graph: drawGraph(graph, timeline),
    openGraph: openGraph === undefined ? undefined : drawGraph(openGraph, timeline),
    steps: timeline.steps.map(drawnStep),
    pairs: pairs.flatMap(([a, b]) => {
      const [mine, theirs] = [ownStep(b), otherStep(a)];
      return mine === undefined || theirs === undefined ? [] : [[mine, theirs] as const];
    }),
    changed: {
      own: changes.flatMap(({ b, group }) => (group?.b ?? [b]).flatMap((op) => ownStep(op) ?? [])),
      other: changes.flatMap(({ a, group }) => (group?.a ?? [a]).flatMap((op) => otherStep(op) ?? [])),
    },
  };
}

/** The step of an op in a function; `undefined` if it has none. */
function stepOf({ steps }: FunctionTimeline, name: string): (op: DiffOp | undefined) => number | undefined {
  const indexes = new Map<number, number>();
  for (const { kind, id, index } of steps) if (kind === "op") indexes.set(id, index);
  return (op) => op?.function === name ? indexes.get(op.id) : undefined;
}

/** Data as gzip in base 64, which keeps a page of thousands of ops small. */
export async function packed(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer()).toBase64();
}
