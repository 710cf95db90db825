// SPDX-License-Identifier: Apache-2.0
import { firstResult, type GraphFunction, valueAt } from "../../lib/graph/graph.ts";
import { describeLayoutOr } from "../../lib/layout/describe.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import { planExecution } from "../../lib/plan/steps.ts";
import type {
  CandidateTrace,
  DecisionTrace,
  EdgeTrace,
  ForkTrace,
  OpTrace,
} from "../../lib/propagation/decision_trace.ts";
import type { LayoutScore, ScoreName } from "../../lib/propagation/layout_score.ts";
import type { DiffOp, DiffSide } from "../diff_side.ts";

/** A candidate that was kept. */
export interface TraceCandidate {
  readonly rank: number;
  /** Layout per operand; empty if the trace has none. */
  readonly inputs: readonly string[];
  readonly output: string;
  /**
   * The µs of the whole path up to this op, if the score counts time; for a lone candidate, those of op and
   * copies.
   */
  readonly microseconds: number | undefined;
  /** Terms of a score that the trace contains; upstream's contains the first six. */
  readonly score: Partial<LayoutScore>;
}

export interface TraceOp
  extends Pick<OpTrace, "name" | "location" | "decided" | "rejections" | "notAsked" | "usedFallback"> {
  /** Op id, as in the trace. */
  readonly op: number;
  /** SSA name of its first result, if known. */
  readonly value: string | undefined;
  /** Candidate layouts per operand; those made by a reshard are marked if the trace marks them. */
  readonly operands: readonly (readonly Pick<CandidateTrace, "layout" | "isReshard">[])[];
  readonly beam: readonly TraceCandidate[];
  /**
   * Whether the candidates are alternatives for the op with the rest of the plan unchanged, priced with its
   * copies, instead of candidates of a search.
   */
  readonly isAlone?: true;
  /** Final layouts of the results; empty if the trace has none. */
  readonly finalLayouts: readonly string[];
  readonly reasons: readonly string[];
}

/** A layout change between two ops. */
export interface TraceEdge extends Pick<EdgeTrace, "operand" | "reshard"> {
  readonly producer: number;
  readonly consumer: number;
}

/** A producer whose readers ask for different layouts. */
export interface TraceFork extends Pick<ForkTrace, "chosenSlot"> {
  readonly op: number;
  readonly consumers: readonly number[];
  /** µs of reshards for the readers of each slot; empty if the trace has none. */
  readonly slotCosts: ForkTrace["slotCosts"];
}

/** An event of pass 2. */
export interface TraceSpill {
  readonly position: number;
  readonly opName: string;
  /** Op at which L1 was full, if the trace names it. */
  readonly op: number | undefined;
  readonly action: string;
  readonly victim: string | undefined;
  readonly bytes: number | undefined;
  readonly description: string;
}

/** The contents of a trace of either kind for one function. */
export interface TraceView {
  /** `tilewright`: ours; `tt-mlir`: upstream's version 3; `plan`: reasons only, no search behind it. */
  readonly source: "tilewright" | "tt-mlir" | "plan";
  readonly function: string;
  readonly policy: string;
  /** The tried plan that it is; `""` if the trace does not name it. */
  readonly origin: string;
  readonly score: ScoreName | undefined;
  readonly ops: readonly TraceOp[];
  readonly edges: readonly TraceEdge[];
  readonly forks: readonly TraceFork[];
  readonly spills: readonly TraceSpill[];
}

/** The meaningful terms of a score: a path without bottlenecks has no `pathMinCores`. */
function knownParts({ pathMinCores, ...rest }: LayoutScore): Partial<LayoutScore> {
  return Number.isFinite(pathMinCores) ? { ...rest, pathMinCores } : rest;
}

/** A layout as plans spell it: without the grid that traces write for interleaved ones. */
export function asInPlans(layout: string): string {
  return layout.replace(/(interleaved)\/\d+x\d+/i, "$1");
}

/**
 * The view of our own trace.
 *
 * @param fn its function, for names of values; `undefined` leaves values unnamed
 */
export function viewOfTrace(trace: DecisionTrace, fn: GraphFunction | undefined): TraceView {
  const known = new Map<number, OpTrace>(trace.ops.map((op) => [op.op, op]));
  const count = Math.max(trace.ops.length, trace.finalLayouts.length);
  const ops = Array.from({ length: count }, (_, id): TraceOp => {
    const op = known.get(id);
    const graphOp = fn?.ops[id];
    return {
      op: id,
      name: op?.name ?? graphOp?.name ?? "",
      location: op?.location ?? graphOp?.location ?? "",
      value: fn === undefined || graphOp === undefined ? undefined : firstResult(fn, graphOp)?.name,
      decided: op?.decided ?? false,
      operands: (op?.operands ?? []).map((candidates) =>
        candidates.map((candidate) => ({ ...candidate, layout: asInPlans(candidate.layout) }))
      ),
      beam: (op?.beam ?? []).map((slot) => ({
        rank: slot.rank,
        inputs: slot.inputs.map(asInPlans),
        output: asInPlans(slot.outputs[0] ?? ""),
        microseconds: slot.score.pathMicroseconds,
        score: knownParts(slot.score),
      })),
      rejections: (op?.rejections ?? []).map((rejection) => ({
        ...rejection,
        inputs: rejection.inputs.map(asInPlans),
        output: rejection.output && asInPlans(rejection.output),
      })),
      notAsked: op?.notAsked ?? [],
      usedFallback: op?.usedFallback ?? false,
      finalLayouts: (trace.finalLayouts[id] ?? []).map(asInPlans),
      reasons: trace.reasons[id] ?? [],
    };
  });
  return {
    source: "tilewright",
    function: trace.function,
    policy: trace.policy,
    origin: trace.origin,
    score: trace.score,
    ops,
    edges: trace.edges.map((edge) => ({ ...edge, reshard: edge.reshard && asInPlans(edge.reshard) })),
    forks: trace.forks.map(({ op, chosenSlot, demands, slotCosts }) => ({
      op,
      chosenSlot,
      consumers: demands.map((demand) => demand.consumer),
      slotCosts,
    })),
    spills: trace.spills.map(({ position, opName, op, kind, victim, bytes, description }) => ({
      position,
      opName,
      op,
      action: kind,
      victim,
      bytes,
      description,
    })),
  };
}

/** The view of a plan without a trace: layouts, copies and reasons. */
export function viewOfPlan(fn: GraphFunction, plan: FunctionPlan, policy: string): TraceView {
  const { layouts } = planExecution(fn, plan);
  const spell = (instance: number | undefined): string =>
    describeLayoutOr(instance === undefined ? undefined : layouts[instance], "");
  return {
    source: "plan",
    function: fn.name,
    policy,
    origin: "",
    score: undefined,
    ops: fn.ops.map((op) => ({
      op: op.id,
      name: op.name,
      location: op.location,
      value: firstResult(fn, op)?.name,
      decided: true,
      operands: [],
      beam: [],
      rejections: [],
      notAsked: [],
      usedFallback: false,
      finalLayouts: op.results.map(spell),
      reasons: plan.decisions[op.id]?.reasons ?? [],
    })),
    edges: fn.ops.flatMap((op) =>
      op.operands.flatMap((value, operand): TraceEdge[] => {
        const definition = valueAt(fn, value).definition;
        const source = plan.decisions[op.id]?.operands[operand];
        if (definition.kind !== "result" || source?.kind !== "conversion") return [];
        const reshard = spell(fn.values.length + source.conversion);
        return [{ producer: definition.op, consumer: op.id, operand, reshard }];
      })
    ),
    forks: [],
    spills: plan.conversions.filter((conversion) => conversion.reason === "spill").map((conversion) => ({
      position: conversion.beforeOp,
      opName: fn.ops[conversion.beforeOp]?.name ?? "return",
      op: conversion.beforeOp,
      action: "spill",
      victim: valueAt(fn, conversion.value).name,
      bytes: undefined,
      description: conversion.note,
    })),
  };
}

/** Actions of a trace of version 3 by which a tensor leaves L1: of a victim, and of the op's own result. */
const SPILLS: ReadonlySet<string> = new Set(["eviction", "self_spill"]);

/** A decision trace that was read as one side of a comparison; it predicts no times. */
export function sideOfTrace(label: string, view: TraceView): DiffSide {
  return {
    label,
    device: "",
    ops: view.ops.filter((op) => op.finalLayouts.length > 0).map((op): DiffOp => ({
      id: op.op,
      key: `${op.name}|${op.location}`,
      function: view.function,
      name: op.name,
      shape: "",
      location: op.location,
      layouts: op.finalLayouts,
      config: "",
      us: undefined,
      conversions: view.edges
        .filter((edge) => edge.consumer === op.op && edge.reshard !== undefined)
        .map((edge) => ({ from: "", to: edge.reshard ?? "", us: 0, operand: edge.operand })),
      readers: undefined,
    })),
    shardedOps: countOps(view, (layout) => isInL1(layout) && layout.includes("sharded")),
    l1ResidentOps: countOps(view, isInL1),
    reshards: view.edges.filter((edge) => edge.reshard !== undefined).length,
    spills: view.spills.filter(({ action }) => SPILLS.has(action)).length,
    totalUs: undefined,
    band: undefined,
    extrapolatedUs: undefined,
    parts: undefined,
    peakL1Bytes: undefined,
    memory: undefined,
    counters: view.spills.length === 0 ? {} : { "pass 2 events": view.spills.length },
  };
}

function countOps(view: TraceView, test: (layout: string) => boolean): number {
  return view.ops.filter((op) => op.finalLayouts.some(test)).length;
}

function isInL1(layout: string): boolean {
  return /^l1\b/i.test(layout);
}
