// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { type DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { readJson, validated } from "../../lib/diagnostics/read_json.ts";
import type { WorkerGrid } from "../../lib/layout/make_layout.ts";
import type {
  DecisionTrace,
  OpTrace,
  RejectionTrace,
  SpillTrace,
} from "../../lib/propagation/decision_trace.ts";
import type { LayoutScore } from "../../lib/propagation/layout_score.ts";

/** Upstream's score; terms may be missing in traces of other builds. */
const score = v.optional(
  v.object({
    isL1: v.optional(v.boolean()),
    isSharded: v.optional(v.boolean()),
    inputDramBytes: v.optional(v.number()),
    requiresReshard: v.optional(v.boolean()),
    coreCount: v.optional(v.number()),
    outputL1Usage: v.optional(v.number()),
  }),
  {},
);

const count = v.number();
/** A layout, which upstream spells with the grid of interleaved ones, in our spelling. */
const layout = v.pipe(
  v.nullable(v.string()),
  v.transform((text) =>
    text === null || text === "null"
      ? ""
      : text.replace(/(interleaved|system_memory)(?:\/none)?\/\d+x\d+/i, "$1")
  ),
);

/** tt-mlir `DecisionTrace.cpp`, version 3 (tt-mlir:decision-trace); keys that are not needed are not required. */
const upstream = v.object({
  version: v.literal(3),
  functionName: v.string(),
  beamWidth: v.optional(count),
  forwardPass: v.array(v.object({
    opIndex: count,
    opName: v.string(),
    opLocation: v.optional(v.string(), ""),
    inputCandidateSets: v.optional(
      v.array(v.object({
        fromProducerBeam: v.optional(count, 0),
        candidates: v.optional(v.array(layout), []),
      })),
      [],
    ),
    evaluations: v.optional(
      v.array(v.object({
        hint: v.optional(layout, ""),
        inputs: v.optional(v.array(layout), []),
        valid: v.boolean(),
        failureReason: v.optional(v.string()),
        output: v.optional(layout),
        score,
      })),
      [],
    ),
    beam: v.optional(v.array(v.object({ rank: count, outputLayout: layout, score })), []),
    usedDramFallback: v.optional(v.boolean(), false),
  })),
  edges: v.optional(
    v.array(v.object({
      producerOpIndex: count,
      consumerOpIndex: count,
      operandIndex: count,
      producerResultIndex: v.optional(count, 0),
      hasReshard: v.optional(v.boolean(), false),
      reshardLayout: v.optional(layout),
    })),
    [],
  ),
  backwardPass: v.optional(v.object({
    forkResolutions: v.optional(
      v.array(v.object({
        opIndex: count,
        chosenCandidateIndex: count,
        consumerOpIndices: v.optional(v.array(count), []),
      })),
      [],
    ),
  })),
  finalChoices: v.optional(
    v.array(v.object({ opIndex: count, opName: v.optional(v.string()), chosenLayout: layout })),
    [],
  ),
  spillManagement: v.optional(v.object({
    events: v.optional(
      v.array(v.object({
        position: count,
        opName: v.optional(v.string(), ""),
        action: v.string(),
        occupiedL1Before: v.optional(count),
        occupiedL1After: v.optional(count),
        victimName: v.optional(v.string()),
        details: v.optional(v.string(), ""),
      })),
      [],
    ),
  })),
});

/** Actions of pass 2 that change no decision; they are left out. */
const BOOKKEEPING: ReadonlySet<string> = new Set(["dead_removal", "live_added"]);

/** Whether a text may be a decision trace: an object with a forward pass or final choices. */
export function looksLikeTrace(text: string): boolean {
  return /^\s*\{/.test(text) && /"(?:forwardPass|finalChoices)"/.test(text);
}

/**
 * Reads a decision trace as tt-mlir and `optimize --enable-decision-trace` write it.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if the text is not a trace, or has an unknown version
 */
export function readTrace(text: string, file: string): DecisionTrace {
  const refuse = (reason: string): DiagnosticError =>
    inputError("trace/invalid", `Cannot read a decision trace from ${file}: ${reason}`);
  const json = readJson(text, refuse);
  const version = typeof json === "object" && json !== null && "version" in json ? json.version : undefined;
  if (version !== 3) {
    throw refuse(
      version === undefined ? "it has no version" : `version ${String(version)} is not supported, only 3 is`,
    );
  }
  return fromUpstream(validated(upstream, json, refuse));
}

function fromUpstream(trace: v.InferOutput<typeof upstream>): DecisionTrace {
  const chosen = new Map(trace.finalChoices.map((choice) => [choice.opIndex, choice.chosenLayout]));
  const { beamWidth } = trace;
  return {
    source: "tt-mlir",
    function: trace.functionName,
    policy: beamWidth === undefined ? "unknown" : beamWidth === 1 ? "greedy" : `beam ${beamWidth}`,
    origin: "",
    score: "local",
    beamWidth,
    ops: trace.forwardPass.map((entry) => opOfUpstream(entry, chosen.get(entry.opIndex))),
    edges: trace.edges.map((edge) => ({
      producer: edge.producerOpIndex,
      consumer: edge.consumerOpIndex,
      operand: edge.operandIndex,
      result: edge.producerResultIndex,
      reshard: edge.hasReshard ? edge.reshardLayout ?? "" : undefined,
    })),
    forks: (trace.backwardPass?.forkResolutions ?? []).map((fork) => ({
      op: fork.opIndex,
      chosenSlot: fork.chosenCandidateIndex,
      consumers: fork.consumerOpIndices,
      slotCosts: [],
    })),
    spills: (trace.spillManagement?.events ?? []).filter((event) => !BOOKKEEPING.has(event.action)).map(
      (event) => ({
        position: event.position,
        opName: event.opName,
        op: undefined,
        action: event.action,
        victim: event.victimName,
        bytes: event.occupiedL1Before === undefined || event.occupiedL1After === undefined
          ? undefined
          : Math.max(0, event.occupiedL1Before - event.occupiedL1After),
        description: event.details,
      }),
    ),
  };
}

function opOfUpstream(
  entry: v.InferOutput<typeof upstream>["forwardPass"][number],
  final: string | undefined,
): OpTrace {
  return {
    op: entry.opIndex,
    name: entry.opName,
    location: entry.opLocation,
    value: undefined,
    decided: true,
    operands: entry.inputCandidateSets.map((set) =>
      set.candidates.map((candidate, index) => ({
        layout: candidate,
        isReshard: index >= set.fromProducerBeam,
      }))
    ),
    beam: entry.beam.map((slot) => ({
      rank: slot.rank,
      inputs: entry.evaluations.find(({ valid, output }) => valid && output === slot.outputLayout)?.inputs ??
        [],
      output: slot.outputLayout,
      microseconds: undefined,
      score: readScore(slot.score),
    })),
    rejections: rejectionsOf(entry.evaluations),
    notAsked: [],
    usedFallback: entry.usedDramFallback,
    finalLayouts: final === undefined ? [] : [final],
    reasons: [],
  };
}

function readScore({ outputL1Usage, ...rest }: v.InferOutput<typeof score>): Partial<LayoutScore> {
  const present = Object.fromEntries(Object.entries(rest).filter(([, part]) => part !== undefined));
  return { ...present, ...(outputL1Usage === undefined ? {} : { outputL1Bytes: outputL1Usage }) };
}

function rejectionsOf(
  evaluations: v.InferOutput<typeof upstream>["forwardPass"][number]["evaluations"],
): readonly RejectionTrace[] {
  const refused = evaluations.filter(({ valid }) => !valid);
  return [...Map.groupBy(refused, ({ failureReason = "refused" }) => failureReason)]
    .flatMap(([reason, [first, ...more]]) =>
      first === undefined ? [] : [{
        reason,
        count: 1 + more.length,
        inputs: first.inputs,
        output: first.hint === "" ? undefined : first.hint,
      }]
    ).sort((a, b) => b.count - a.count);
}

/**
 * The trace as tt-mlir writes it, version 3, for its viewers. Fields unknown to upstream are left out, and so is what
 * we do not know. `evaluations` holds the kept candidates and one entry per reason of rejection, because rejections
 * are counted instead of listed.
 */
export function upstreamTrace(trace: DecisionTrace, grid: WorkerGrid): object {
  const decided = trace.ops.filter((op) => op.decided);
  const spell = (layout: string | undefined): string => spellAsUpstream(layout, grid);
  return {
    version: 3,
    functionName: trace.function,
    beamWidth: trace.beamWidth,
    totalOps: decided.length,
    forwardPass: decided.map((op) => forwardEntry(op, spell)),
    edges: trace.edges.map(({ producer, consumer, operand, result, reshard }) => ({
      producerOpIndex: producer,
      consumerOpIndex: consumer,
      operandIndex: operand,
      producerResultIndex: result,
      hasReshard: reshard !== undefined,
      ...(reshard === undefined ? {} : { reshardLayout: spell(reshard) }),
    })),
    backwardPass: {
      forkResolutions: trace.forks.map(({ op, chosenSlot, consumers }) => ({
        opName: trace.ops[op]?.name,
        opLocation: trace.ops[op]?.location,
        opIndex: op,
        chosenCandidateIndex: chosenSlot,
        numConsumers: consumers.length,
        consumerOpIndices: consumers,
      })),
    },
    finalChoices: decided.map(({ op, name, finalLayouts: [layout] }) => ({
      opIndex: op,
      opName: name,
      chosenLayout: spell(layout),
    })),
    spillManagement: {
      budget: trace.l1BudgetBytes,
      scheduleSize: trace.ops.length,
      totalSpills: trace.spills.length - (trace.restoredSpills ?? 0),
      events: trace.spills.flatMap(spillEvents),
    },
  };
}

function forwardEntry(op: OpTrace, spell: (layout: string | undefined) => string): object {
  return {
    opIndex: op.op,
    opName: op.name,
    opLocation: op.location,
    inputCandidateSets: op.operands.map((candidates, operand) => ({
      operandIndex: operand,
      fromProducerBeam: candidates.filter((candidate) => !candidate.isReshard).length,
      fromReshard: candidates.filter((candidate) => candidate.isReshard).length,
      candidates: candidates.map((candidate) => spell(candidate.layout)),
    })),
    crossProductSize: op.operands.reduce(
      (product, candidates) => product * Math.max(1, candidates.length),
      1,
    ),
    evaluations: [
      ...op.beam.map((candidate) => ({
        hint: spell(candidate.output),
        inputs: candidate.inputs.map(spell),
        valid: true,
        score: scoreEntry(candidate.score),
        output: spell(candidate.output),
      })),
      ...op.rejections.map(({ inputs, output, reason, count }) => ({
        hint: spell(output),
        inputs: inputs.map(spell),
        valid: false,
        failureReason: count === 1 ? reason : `${reason} (${count} times)`,
      })),
    ],
    beam: op.beam.map((candidate) => ({
      rank: candidate.rank,
      outputLayout: spell(candidate.output),
      score: scoreEntry(candidate.score),
    })),
    usedDramFallback: op.usedFallback,
  };
}

function scoreEntry(score: Partial<LayoutScore>): object {
  return {
    isL1: score.isL1,
    isSharded: score.isSharded,
    inputDramBytes: score.inputDramBytes,
    requiresReshard: score.requiresReshard,
    coreCount: score.coreCount,
    outputL1Usage: score.outputL1Bytes,
  };
}

/** Our moves by upstream's names; what a spread tensor still takes, and a refused op, is not known here. */
const ACTIONS: ReadonlyMap<string, { readonly action: string; readonly frees: boolean }> = new Map([
  ["split", { action: "eviction", frees: true }],
  ["demote", { action: "eviction", frees: true }],
  ["interleave", { action: "demotion_success", frees: false }],
  ["read_dram", { action: "self_spill", frees: false }],
]);

/** Upstream lists a lack of memory and the response to it as separate events. */
function spillEvents(spill: SpillTrace): readonly object[] {
  const { position, opName, usedBytes, bytes, victim, description } = spill;
  const { action = spill.action, frees = false } = ACTIONS.get(spill.action) ?? {};
  const common = { position, opName, occupiedL1Before: usedBytes };
  return [
    {
      ...common,
      action: spill.pressure === "circular_buffer_clash" ? "fragmentation_demote" : "oom",
      occupiedL1After: usedBytes,
    },
    {
      ...common,
      action,
      occupiedL1After: frees && usedBytes !== undefined && bytes !== undefined
        ? usedBytes - bytes
        : undefined,
      victimName: victim,
      details: description,
    },
  ];
}

/** With the grid that upstream gives interleaved tensors (tt-mlir:decision-trace), `null` for none. */
function spellAsUpstream(layout: string | undefined, { rows, columns }: WorkerGrid): string {
  if (layout === undefined || layout === "") return "null";
  return layout.replace(
    /^(?:dram\/interleaved|system_memory)/,
    (place) => place === "system_memory" ? `${place}/none/1x1` : `${place}/1x1`,
  ).replace(/^l1\/interleaved/, (place) => `${place}/${rows}x${columns}`);
}
