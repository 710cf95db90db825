// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { isSharded, type TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { type MemoryVerdict, memoryVerdict } from "../lib/memory/memory_verdict.ts";
import type { LowerBound } from "../lib/optimal/lower_bound.ts";
import type { FunctionPlan, Plan } from "../lib/plan/plan.ts";
import { OP_CONFIG_SCHEMA } from "../lib/op_config/schema.ts";
import { orNull, parsePlan } from "../lib/plan/plan_json.ts";
import type { GraphChange } from "../lib/passes/graph_pass.ts";
import type { Optimized } from "./optimize.ts";
import { type OpRow, opRows } from "./op_rows.ts";
import type { TimeBand, Timeline } from "../sim/timeline/timeline.ts";

/** Figures of a plan as a whole. Times are of one inference; const-eval and CPU functions are not part of them. */
export interface PlanSummary {
  /** Ops of the input that run in an inference, views included, copies that the plan inserts not. */
  readonly ops: number;
  /** Predicted time, gaps included. */
  readonly predictedUs: number;
  /** Band that the predicted time is expected in, in µs. */
  readonly predictedBand: TimeBand;
  /** Predicted time of the `dram` policy on the same input, in µs. */
  readonly baselineUs: number;
  /** Predicted time of what runs once, when the program is loaded (const-eval), in µs; no part of `predictedUs`. */
  readonly loadUs: number;
  /** Ops with a result in L1. */
  readonly l1ResidentOps: number;
  /** Ops with a sharded result. */
  readonly shardedOps: number;
  /** Inserted copies but for spills: also reloads and copies for `return`. */
  readonly reshards: number;
  /** Tensors taken out of L1 for want of room: by copies to DRAM, or where their op makes them. */
  readonly spills: number;
  /** Bytes per core, tensors and circular buffers together. */
  readonly peakL1Bytes: number;
  /** Bytes per core that a plan may use. */
  readonly l1BudgetBytes: number;
  /** Most bytes that a function of the device holds in one bank of DRAM. */
  readonly peakDramBytes: number;
  /** Bytes of one bank of DRAM that tensors may take. */
  readonly dramBankBytes: number;
  /**
   * Whether it fits, by address, on the graph read back from the rewritten text; op ids are those of that text, which
   * holds the inserted copies as ops.
   */
  readonly verdict: MemoryVerdict;
  /**
   * µs of one inference that no plan over the explored layouts undercuts, L1 capacity left aside; only where the bound was
   * asked for (docs/optimality.md).
   */
  readonly lowerBoundUs?: number;
  /** Share by which the predicted time lies above `lowerBoundUs`: 0.05 is 5 %; with it. */
  readonly gap?: number;
  /** Whether some assignment attains `lowerBoundUs` as far as L1 has room; with it. */
  readonly boundStatus?: "exact" | "bound";
  /** Questions that the decision took, cached ones included. */
  readonly opModelQueries: number;
  /** Sums of the functions' {@linkcode FunctionPlan.counters}; empty for policies that count nothing. */
  readonly counters: Readonly<Record<string, number>>;
  /** Wall time of the decision, in ms; the only figure that differs between runs. */
  readonly wallMs: number;
}

/** How often a graph pass changed a function. */
export interface GraphChangeCount {
  /** Function that was changed. */
  readonly function: string;
  /** Name of the pass or pattern. */
  readonly pass: string;
  /** Times that it changed something. */
  readonly count: number;
}

/** What `optimize --json` prints; `functions` is the plan itself and reads back with `parsePlan`. */
export interface PlanDocument extends Plan {
  /** What wrote the document. */
  readonly tool: { readonly name: string; readonly version: string };
  /** Name of the file that was decided, as given. */
  readonly input: string;
  /** Figures over all functions of an inference. */
  readonly summary: PlanSummary;
  /** What graph passes did before layouts were decided: times that each pass or pattern changed each function. */
  readonly graphChanges: readonly GraphChangeCount[];
  /** One row per op that runs in an inference, in execution order. */
  readonly ops: readonly OpRow[];
}

/** What a document says about the run that made it. */
export interface DocumentLabels {
  /** Name of the file that was decided, as given. */
  readonly input: string;
  /** Version of the tool. */
  readonly version: string;
  /** Wall time of the decision, in ms. */
  readonly wallMs: number;
  /** A lower bound of the predicted time, where one was asked for. */
  readonly bound?: LowerBound | undefined;
  /** What graph passes did to the input; nothing when absent. */
  readonly graphChanges?: readonly GraphChange[];
}

const conversionRowSchema = v.object({
  reason: v.picklist(["reshard", "spill", "reload", "return", "typecast", "override"]),
  value: v.string(),
  from: v.string(),
  to: v.string(),
  us: v.number(),
  // Documents of older versions say nothing of errors: all of them, none shared.
  relativeError: v.optional(v.number(), 1),
  ownError: v.optional(v.number(), 1),
  note: v.string(),
});

const opRowSchema: v.GenericSchema<unknown, OpRow> = v.object({
  function: v.string(),
  id: v.number(),
  name: v.string(),
  location: v.string(),
  shape: v.string(),
  dataType: v.string(),
  inputs: v.array(v.string()),
  before: v.array(v.string()),
  after: v.array(v.string()),
  cores: v.number(),
  us: v.number(),
  relativeError: v.number(),
  ownError: v.optional(v.number(), 1),
  bound: v.picklist(["DRAM", "FLOP", "NOC", "BOTH", "SLOW", "HOST", "DISPATCH"]),
  conversions: v.array(conversionRowSchema),
  meaning: v.string(),
  config: orNull(OP_CONFIG_SCHEMA),
  feeds: orNull(v.number()),
  reasons: v.array(v.string()),
});

const judgedOp = { function: v.string(), op: v.number(), name: v.string(), location: v.string() };

const verdictSchema: v.GenericSchema<unknown, MemoryVerdict> = v.pipe(
  v.object({
    status: v.picklist(["fits", "does_not_fit", "unchecked"]),
    misfits: v.array(v.object({
      ...judgedOp,
      memory: v.picklist(["l1", "dram"]),
      kind: v.picklist(["too_large", "no_space", "circular_buffer_clash", "over_budget"]),
      shortBytes: v.number(),
    })),
    uncheckedOps: v.array(v.object({ ...judgedOp, rule: v.string(), reason: v.string() })),
  }),
  v.transform(({ misfits, uncheckedOps }) => memoryVerdict(misfits, uncheckedOps)),
);

const summarySchema: v.GenericSchema<unknown, PlanSummary> = v.object({
  ops: v.number(),
  predictedUs: v.number(),
  predictedBand: v.object({ lowerUs: v.number(), upperUs: v.number() }),
  baselineUs: v.number(),
  loadUs: v.optional(v.number(), 0),
  l1ResidentOps: v.number(),
  shardedOps: v.number(),
  reshards: v.number(),
  spills: v.number(),
  peakL1Bytes: v.number(),
  l1BudgetBytes: v.number(),
  peakDramBytes: v.number(),
  dramBankBytes: v.number(),
  verdict: verdictSchema,
  lowerBoundUs: v.exactOptional(v.number()),
  gap: v.exactOptional(v.number()),
  boundStatus: v.exactOptional(v.picklist(["exact", "bound"])),
  opModelQueries: v.number(),
  counters: v.record(v.string(), v.number()),
  wallMs: v.number(),
});

const documentSchema: v.GenericSchema<unknown, Omit<PlanDocument, keyof Plan>> = v.object({
  tool: v.object({ name: v.string(), version: v.string() }),
  input: v.string(),
  summary: summarySchema,
  graphChanges: v.optional(
    v.array(v.object({ function: v.string(), pass: v.string(), count: v.number() })),
    [],
  ),
  ops: v.array(opRowSchema),
});

/**
 * What `optimize --json` prints of a decided module.
 *
 * @example
 * ```ts
 * import { chipDescription, createWorkbench, DEFAULT_POLICY_OPTIONS, findPolicy, getDevice, lowerModule, optimizeModule, parseModule, parsePlanDocument, planDocument, toJson } from "@tilewright/tilewright";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const device = getDevice("n150");
 * const text = lowerModule(parseModule(ttir, "relu.mlir"), chipDescription(device));
 * const workbench = createWorkbench(parseModule(text, "relu.mlir"), device);
 * const policy = findPolicy("dram");
 * assert(policy !== undefined);
 * const optimized = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
 * const labels = { input: "relu.mlir", version: "0.1.0", wallMs: 1 };
 * const document = planDocument(optimized, labels);
 * assertEquals(parsePlanDocument(toJson(document), "plan.json").summary, document.summary);
 * ```
 */
export function planDocument(
  optimized: Optimized,
  { input, version, wallMs, bound, graphChanges = [] }: DocumentLabels,
): PlanDocument {
  const { plan, timeline, memory } = optimized;
  return {
    ...plan,
    tool: { name: "tilewright", version },
    input,
    summary: {
      ...countPlan(plan, timeline),
      predictedUs: timeline.inference.totalUs,
      predictedBand: timeline.inference.band,
      baselineUs: optimized.baseline.inference.totalUs,
      loadUs: timeline.once.totalUs,
      peakL1Bytes: memory.peakL1Bytes,
      l1BudgetBytes: optimized.l1BudgetBytes,
      peakDramBytes: memory.peakDramBytes,
      dramBankBytes: timeline.dramBankBytes,
      verdict: memory.verdict,
      ...(bound === undefined ? {} : gapOf(bound, timeline.inference.totalUs)),
      opModelQueries: optimized.opModelQueries,
      wallMs,
    },
    graphChanges: countChanges(graphChanges),
    ops: opRows(optimized.graph, plan, timeline),
  };
}

function countChanges(changes: readonly GraphChange[]): readonly GraphChangeCount[] {
  const counts = new Map<string, GraphChangeCount>();
  for (const { function: name, pass } of changes) {
    const key = `${name}/${pass}`;
    counts.set(key, { function: name, pass, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** How far a predicted time lies above a lower bound; the figures of a summary that say so. */
export function gapOf(
  { microseconds, status }: LowerBound,
  predictedUs: number,
): Required<Pick<PlanSummary, "lowerBoundUs" | "gap" | "boundStatus">> {
  const gap = microseconds === 0 ? 0 : predictedUs / microseconds - 1;
  return { lowerBoundUs: microseconds, gap, boundStatus: status };
}

/** Counts of a plan over the functions that run in an inference. */
export function countPlan(plan: Plan, timeline: Timeline): Pick<
  PlanSummary,
  "ops" | "l1ResidentOps" | "shardedOps" | "reshards" | "spills" | "counters"
> {
  const steps = timeline.functions.filter((fn) => fn.role === "inference").flatMap((fn) => fn.steps);
  const ops = steps.filter((step) => step.kind === "op");
  const withLayout = (test: (layout: TtnnLayout) => boolean): number =>
    ops.filter((step) => step.outputLayouts.some((layout) => layout !== undefined && test(layout))).length;
  const names = new Set(timeline.functions.filter((fn) => fn.role === "inference").map((fn) => fn.name));
  const decided = plan.functions.filter((fn) => names.has(fn.name));
  const conversions = decided.flatMap((fn) => fn.conversions);
  const born = decided.flatMap((fn) => fn.decisions).filter(({ spilled }) => spilled === true);
  return {
    ops: ops.length,
    l1ResidentOps: withLayout((layout) => layout.bufferType === "l1"),
    shardedOps: withLayout((layout) => layout.bufferType === "l1" && isSharded(layout)),
    reshards: conversions.filter((conversion) => conversion.reason !== "spill").length,
    spills: conversions.filter((conversion) => conversion.reason === "spill").length + born.length,
    counters: sumCounters(decided),
  };
}

/** Sums of what a policy counted, over functions. */
export function sumCounters(functions: readonly FunctionPlan[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const { counters } of functions) {
    for (const [name, count] of Object.entries(counters ?? {})) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

/**
 * Reads what `optimize --json` printed. The plan inside is checked key by key; of the figures around it only that they
 * are there.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} when the text is no such document
 */
export function parsePlanDocument(text: string, file: string): PlanDocument {
  const plan = parsePlan(text, file);
  const parsed = v.safeParse(documentSchema, JSON.parse(text));
  if (parsed.success) return { ...parsed.output, ...plan };
  const issue = parsed.issues[0];
  throw new DiagnosticError([{
    code: "plan/invalid",
    severity: "error",
    message: `Cannot read a plan document from ${file}: at ${
      v.getDotPath(issue) ?? "the top"
    }: ${issue.message}`,
  }]);
}
