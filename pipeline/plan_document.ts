// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { inputError } from "../lib/diagnostics/diagnostic.ts";
import { validated } from "../lib/diagnostics/read_json.ts";
import { isSharded, type TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { looksLikeCapture } from "../lib/python/capture/capture_text.ts";
import { modulePieces } from "../lib/ir/mod.ts";
import { OP_CONFIG_SCHEMA } from "../lib/op_config/schema.ts";
import { isBookkeeping } from "../lib/ops/bookkeeping.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import type { LowerBound } from "../lib/optimal/lower_bound.ts";
import type { FunctionPlan, Plan } from "../lib/plan/plan.ts";
import { orNull, parsePlan } from "../lib/plan/plan_json.ts";
import { compareTimes } from "../sim/timeline/error_band.ts";
import type { StepTimeline, Timeline } from "../sim/timeline/timeline.ts";
import { comparedSteps, countMoves } from "./compared_times.ts";
import { countChanges, type GraphChangeCount } from "./graph_changes.ts";
import { type OpRow, opRows, type SavedRow } from "./op_rows.ts";
import type { Optimized } from "./optimize.ts";
import { besideOverrides, gapOfLayouts, gapOfPlan, type PlanGap } from "./plan_gap.ts";
import {
  baselineStatus,
  type PlanSummary,
  SAVED_SUMMARY_SCHEMA,
  type SavedSummary,
  unknownTimesOf,
  writtenSummary,
} from "./plan_summary.ts";

/** The document of `optimize --json`; `functions` is the plan itself and reads back with `parsePlan`. */
export interface PlanDocument extends Plan {
  /** The program that wrote the document. */
  readonly tool: { readonly name: string; readonly version: string };
  /** Name of the file that was decided, as given. */
  readonly input: string;
  /** Figures over all functions of an inference. */
  readonly summary: PlanSummary;
  /**
   * Changes by graph passes before layouts were decided: how often each pass or pattern changed each
   * function.
   */
  readonly graphChanges: readonly GraphChangeCount[];
  /** One row per op that runs in an inference, in execution order. */
  readonly ops: readonly OpRow[];
}

/** Facts about the run that made the document. */
export interface DocumentLabels {
  /** Name of the file that was decided, as given. */
  readonly input: string;
  /** Version of the tool. */
  readonly version: string;
  /** Wall time of the decision, in ms. */
  readonly wallMs: number;
  /** A lower bound of the predicted time, if one was requested in addition to the plan's own. */
  readonly bound?: LowerBound | undefined;
  /** The same for plans that need not follow the overrides. */
  readonly freeBound?: LowerBound | undefined;
}

/** A document of `optimize --json` that was saved: the plan, and of its figures those that are read again. */
export interface SavedPlan extends Plan, Pick<PlanDocument, "input"> {
  /** Figures over all functions of an inference. */
  readonly summary: SavedSummary;
  /** One row per op that runs in an inference, in execution order. */
  readonly ops: readonly SavedRow[];
}

// Documents of older versions have no own errors; the whole error then counts as own.
const ERRORS = { relativeError: v.optional(v.number(), 1), ownError: v.optional(v.number(), 1) };

const savedSchema: v.GenericSchema<unknown, Omit<SavedPlan, keyof Plan>> = v.looseObject({
  input: v.string(),
  summary: SAVED_SUMMARY_SCHEMA,
  ops: v.array(v.looseObject({
    function: v.string(),
    id: v.number(),
    name: v.string(),
    location: v.string(),
    shape: v.string(),
    inputs: v.array(v.string()),
    after: v.array(v.string()),
    us: v.number(),
    ...ERRORS,
    conversions: v.array(v.looseObject({
      operand: v.exactOptional(v.number()),
      from: v.string(),
      to: v.string(),
      us: v.number(),
      ...ERRORS,
    })),
    meaning: v.string(),
    config: orNull(OP_CONFIG_SCHEMA),
    feeds: orNull(v.number()),
    readingOperand: v.exactOptional(v.number()),
  })),
});

/** What the figures of a plan are made of; a program as written has no advice, no reasons and no search. */
export type SummarisedPlan =
  & Pick<Optimized, "plan" | "timeline" | "memory" | "baseline" | "l1BudgetBytes">
  & Partial<Pick<Optimized, "asWritten" | "advice" | "backendAdvice" | "reasons" | "opModelQueries">>;

/** The document that `optimize --json` prints of a decided module. */
export function planDocument(
  optimized: Optimized,
  { input, version, wallMs, bound, freeBound }: DocumentLabels,
): PlanDocument {
  const { plan, timeline } = optimized;
  const ops = opRows(optimized.graph, plan, timeline);
  const gap = bound === undefined
    ? gapOfPlan(plan, timeline)
    : gapOfLayouts(plan, timeline, bound.microseconds);
  const { totalUs } = timeline.inference;
  // Most important keys first: readers with little room see the beginning.
  return {
    schema: plan.schema,
    tool: { name: "tilewright", version },
    input,
    device: plan.device,
    policy: plan.policy,
    summary: planSummary(
      optimized,
      ops,
      besideOverrides(gap, optimized.isOverridden, totalUs, freeBound?.microseconds),
      wallMs,
    ),
    graphChanges: countChanges(optimized.graphChanges),
    ops,
    functions: plan.functions,
  };
}

/**
 * The figures of a plan, or of a program as written.
 *
 * @param rows of its ops
 * @param wallMs of the decision
 */
export function planSummary(
  program: SummarisedPlan,
  rows: readonly OpRow[],
  gap: PlanGap = {},
  wallMs: number = 0,
): PlanSummary {
  const { plan, timeline, memory, baseline, asWritten } = program;
  const { advice = [], backendAdvice = [], reasons = [], opModelQueries = 0 } = program;
  return {
    ...countPlan(plan, timeline, rows),
    predictedUs: timeline.inference.totalUs,
    ...unknownTimesOf(timeline),
    predictedBand: timeline.inference.band,
    extrapolatedUs: timeline.inference.extrapolatedUs,
    assumptions: timeline.assumptions,
    ...(asWritten === undefined ? {} : { asWritten: writtenSummary(asWritten, timeline) }),
    baselineUs: baseline.inference.totalUs,
    ...baselineStatus(baseline, timeline),
    againstBaseline: compareTimes(comparedSteps(baseline), comparedSteps(timeline)).verdict,
    loadUs: timeline.once.totalUs,
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(advice.length === 0 ? {} : { advice }),
    ...(backendAdvice.length === 0 ? {} : { backendAdvice }),
    peakL1Bytes: memory.peakL1Bytes,
    l1BudgetBytes: program.l1BudgetBytes,
    peakDramBytes: memory.peakDramBytes,
    dramBankBytes: timeline.dramBankBytes,
    verdict: memory.verdict,
    ...gap,
    opModelQueries,
    wallMs,
  };
}

/** Counts of a plan over the functions that run in an inference. */
export function countPlan(plan: Plan, timeline: Timeline, rows: readonly OpRow[]): Pick<
  PlanSummary,
  "ops" | "l1ResidentOps" | "shardedOps" | "reshards" | "spills" | "counters"
> {
  const names = new Set(timeline.functions.filter((fn) => fn.role === "inference").map((fn) => fn.name));
  return {
    ...countLayouts(timeline),
    ...countMoves(rows, plan),
    counters: sumCounters(plan.functions.filter((fn) => names.has(fn.name))),
  };
}

/**
 * Numbers of ops that run in an inference, by the place of their results. Ops that return const-eval results
 * or the device run nothing. Only results of ops that compute count as placed, so that a plan and the text written for
 * it, in which its copies are ops, have equally many.
 */
export function countLayouts(timeline: Timeline): Pick<PlanSummary, "ops" | "l1ResidentOps" | "shardedOps"> {
  const runs = ({ name, costClass }: StepTimeline): boolean =>
    costClass !== "free" && !isBookkeeping({ name, attributes: new Map() });
  const ops = timeline.functions.filter((fn) => fn.role === "inference").flatMap((fn) => fn.steps)
    .filter((step) => step.kind === "op" && runs(step));
  const computing = ops.filter(({ name }) => !definitionOf(name).memoryOp);
  const withLayout = (test: (layout: TtnnLayout) => boolean): number =>
    computing.filter((step) => step.outputLayouts.some((layout) => layout !== undefined && test(layout)))
      .length;
  return {
    ops: ops.length,
    l1ResidentOps: withLayout((layout) => layout.bufferType === "l1"),
    shardedOps: withLayout((layout) => layout.bufferType === "l1" && isSharded(layout)),
  };
}

/** Sums of a policy's counters over functions. */
export function sumCounters(functions: readonly FunctionPlan[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const { counters } of functions) {
    for (const [name, count] of Object.entries(counters ?? {})) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

/** Whether a text is JSON that is no module: a plan, or an attempt at one. */
export function looksLikePlan(text: string): boolean {
  return /^\s*\{/.test(text) && !looksLikeCapture(text) && modulePieces(text).length === 0;
}

/**
 * Reads a document of `optimize --json`. The plan inside is checked key by key; the other figures only for
 * presence and type, as far as they are read.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if the text is not such a document
 */
export function parsePlanDocument(text: string, file: string): SavedPlan {
  const plan = parsePlan(text, file);
  const document = validated(
    savedSchema,
    JSON.parse(text),
    (reason) => inputError("plan/invalid", `Cannot read a plan document from ${file}: ${reason}`),
  );
  return { ...document, ...plan };
}
