// SPDX-License-Identifier: Apache-2.0
import type { Bound } from "../lib/cost/cost_model.ts";
import type { Graph, GraphFunction, OpId } from "../lib/graph/graph.ts";
import { describeLayout } from "../lib/layout/describe.ts";
import { isSharded, type TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { ConversionReason, FunctionPlan, Plan } from "../lib/plan/plan.ts";
import type { FunctionTimeline, StepTimeline, TimeBand, Timeline } from "../sim/timeline.ts";

/** A copy that the plan inserts for one op. */
export interface ConversionRow {
  readonly reason: ConversionReason;
  /** Value that is copied, as the input names it. */
  readonly value: string;
  readonly from: string;
  readonly to: string;
  /** Predicted time with its gap, in µs. */
  readonly us: number;
  readonly note: string;
}

/** One op of the table: what it was, what it becomes, what it costs. */
export interface OpRow {
  readonly function: string;
  readonly id: OpId;
  readonly name: string;
  readonly location: string;
  /** Problem size: `M x K x N` for matmuls, the output shape for most others. */
  readonly shape: string;
  readonly dataType: string;
  /** Layout per result as the input has it, `""` where there is none. */
  readonly before: readonly string[];
  /** Layout per result as decided. */
  readonly after: readonly string[];
  readonly cores: number;
  /** Predicted time with its gap, in µs; conversions are extra. */
  readonly us: number;
  /** Published relative error of the op class. */
  readonly relativeError: number;
  readonly bound: Bound;
  /** Copies made for this op, directly before it. */
  readonly conversions: readonly ConversionRow[];
  readonly reasons: readonly string[];
}

/** Figures of a plan as a whole. Times are of one inference; const-eval and CPU functions are not part of them. */
export interface PlanSummary {
  readonly ops: number;
  readonly predictedUs: number;
  /** Band that the predicted time is expected in, in µs. */
  readonly predictedBand: TimeBand;
  /** Predicted time of the `dram` policy on the same input, in µs. */
  readonly baselineUs: number;
  /** Ops with a result in L1. */
  readonly l1ResidentOps: number;
  /** Ops with a sharded result. */
  readonly shardedOps: number;
  readonly reshards: number;
  readonly spills: number;
  /** Bytes per core, tensors and circular buffers together. */
  readonly peakL1Bytes: number;
  /** Bytes per core that a plan may use. */
  readonly l1BudgetBytes: number;
  /** No step clashes or lacks space, by address, on the graph read back from the rewritten text. */
  readonly fits: boolean;
  readonly opModelQueries: number;
  /** Wall time of the decision, in ms; the only figure that differs between runs. */
  readonly wallMs: number;
}

/** What `optimize --json` prints; `functions` is the plan itself and reads back with `parsePlan`. */
export interface PlanDocument extends Plan {
  readonly tool: { readonly name: string; readonly version: string };
  readonly input: string;
  readonly summary: PlanSummary;
  readonly ops: readonly OpRow[];
}

/** Rows of every op that runs in an inference, in execution order. */
export function opRows(graph: Graph, plan: Plan, timeline: Timeline): readonly OpRow[] {
  return timeline.functions.filter((fn) => fn.role === "inference").flatMap((functionTimeline) => {
    const fn = graph.functions.find((candidate) => candidate.name === functionTimeline.name);
    const functionPlan = plan.functions.find((candidate) => candidate.name === functionTimeline.name);
    return fn === undefined || functionPlan === undefined
      ? []
      : functionRows(fn, functionPlan, functionTimeline);
  });
}

function functionRows(fn: GraphFunction, plan: FunctionPlan, timeline: FunctionTimeline): readonly OpRow[] {
  const rows: OpRow[] = [];
  let pending: ConversionRow[] = [];
  for (const step of timeline.steps) {
    if (step.kind === "conversion") {
      pending.push(conversionRow(fn, plan, step));
      continue;
    }
    const op = fn.ops[step.id];
    if (op === undefined) continue;
    rows.push({
      function: fn.name,
      id: step.id,
      name: step.name,
      location: step.location,
      shape: step.shape,
      dataType: step.outputTypes[0] ?? step.inputTypes[0] ?? "",
      before: op.results.map((result) => spell(fn.values[result]?.layout)),
      after: step.outputLayouts.map(spell),
      cores: step.estimate.cores,
      us: step.deviceUs + step.gapUs,
      relativeError: step.estimate.relativeError,
      bound: step.bound,
      conversions: pending,
      reasons: plan.decisions[step.id]?.reasons ?? [],
    });
    pending = [];
  }
  return rows;
}

function conversionRow(fn: GraphFunction, plan: FunctionPlan, step: StepTimeline): ConversionRow {
  const conversion = plan.conversions[step.id];
  return {
    reason: step.reason ?? "reshard",
    value: conversion === undefined ? "" : fn.values[conversion.value]?.name ?? "",
    from: spell(step.inputLayouts[0]),
    to: spell(step.outputLayouts[0]),
    us: step.deviceUs + step.gapUs,
    note: conversion?.note ?? "",
  };
}

/** Counts of a plan over the functions that run in an inference. */
export function countPlan(plan: Plan, timeline: Timeline): Pick<
  PlanSummary,
  "ops" | "l1ResidentOps" | "shardedOps" | "reshards" | "spills"
> {
  const steps = timeline.functions.filter((fn) => fn.role === "inference").flatMap((fn) => fn.steps);
  const ops = steps.filter((step) => step.kind === "op");
  const withLayout = (test: (layout: TtnnLayout) => boolean): number =>
    ops.filter((step) => step.outputLayouts.some((layout) => layout !== undefined && test(layout))).length;
  const names = new Set(timeline.functions.filter((fn) => fn.role === "inference").map((fn) => fn.name));
  const conversions = plan.functions.filter((fn) => names.has(fn.name)).flatMap((fn) => fn.conversions);
  return {
    ops: ops.length,
    l1ResidentOps: withLayout((layout) => layout.bufferType === "l1"),
    shardedOps: withLayout((layout) => layout.bufferType === "l1" && isSharded(layout)),
    reshards: conversions.filter((conversion) => conversion.reason !== "spill").length,
    spills: conversions.filter((conversion) => conversion.reason === "spill").length,
  };
}

function spell(layout: TtnnLayout | undefined): string {
  return layout === undefined ? "" : describeLayout(layout);
}
