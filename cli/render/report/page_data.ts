// SPDX-License-Identifier: Apache-2.0
import { describeLayoutOr } from "../../../lib/layout/describe.ts";
import type { DiffSide } from "../../../pipeline/diff_side.ts";
import type { MemoryEdge } from "../../../pipeline/report/memory_edges.ts";
import type { L1Map } from "../../../pipeline/report/l1_map.ts";
import type { NetworkLoad } from "../../../pipeline/report/network_load.ts";
import type { FunctionReport, Report } from "../../../pipeline/report/report.ts";
import type { FlowTensor } from "../../../sim/timeline/dataflow.ts";
import { drawGraph, type GraphDrawing } from "./graph_drawing.ts";
import { attributeNumber } from "./html.ts";
import { opName, opTable } from "./op_tables.ts";
import { type StepData, stepData } from "./step_data.ts";

/** A tensor in the client's data. */
interface TensorData {
  /** The value that it is, or is a copy of. */
  readonly name: string;
  /** `bf16 1x32x64`. */
  readonly shape: string;
  readonly layout: string;
  /** Step that produces it; `undefined` for tensors without one. */
  readonly made: number | undefined;
  /** Description of a tensor without a step. */
  readonly about: string;
}

/** One op of the other plan on the time axis. */
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
  /** The same function in the other plan; `undefined` if that lacks it. */
  readonly beside:
    | { readonly name: string; readonly totalUs: number; readonly bars: readonly BarData[] }
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

/** The ops of the other plan in order, each with the copies that it reads. */
function besideData({ baseline, subject }: Report, { name }: FunctionReport): FunctionData["beside"] {
  const ops = opsOf(baseline, name);
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
  return { name: baseline.label, totalUs: start, bars: bars.filter(({ us }) => us > 0) };
}

function opsOf({ ops }: DiffSide, name: string): DiffSide["ops"] {
  return ops.filter((op) => op.function === name);
}

/** Data as gzip in base 64, which keeps a page of thousands of ops small. */
export async function packed(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer()).toBase64();
}
