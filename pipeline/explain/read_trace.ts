// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { type DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { readJson, validated } from "../../lib/diagnostics/read_json.ts";
import type { RejectionTrace } from "../../lib/propagation/decision_trace.ts";
import { asInPlans, type TraceOp, type TraceView } from "./trace_view.ts";

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
const layout = v.pipe(
  v.nullable(v.string()),
  v.transform((text) => text === null || text === "null" ? "" : text),
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
export function readTrace(text: string, file: string): TraceView {
  const refuse = (reason: string): DiagnosticError =>
    inputError("trace/invalid", `Cannot read a decision trace from ${file}: ${reason}`);
  const json = readJson(text, refuse);
  const version = typeof json === "object" && json !== null && "version" in json ? json.version : undefined;
  if (version !== 3) {
    throw refuse(
      version === undefined ? "it has no version" : `version ${String(version)} is not supported, only 3 is`,
    );
  }
  return viewOfUpstream(validated(upstream, json, refuse));
}

function viewOfUpstream(trace: v.InferOutput<typeof upstream>): TraceView {
  const chosen = new Map(trace.finalChoices.map((choice) => [choice.opIndex, choice.chosenLayout]));
  return {
    source: "tt-mlir",
    function: trace.functionName,
    policy: trace.beamWidth === 1 ? "greedy" : `beam ${trace.beamWidth ?? ""}`.trim(),
    origin: "",
    score: "local",
    ops: trace.forwardPass.map((entry) => opOfUpstream(entry, chosen.get(entry.opIndex))),
    edges: trace.edges.map((edge) => ({
      producer: edge.producerOpIndex,
      consumer: edge.consumerOpIndex,
      operand: edge.operandIndex,
      reshard: edge.hasReshard ? asInPlans(edge.reshardLayout ?? "") : undefined,
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
): TraceOp {
  return {
    op: entry.opIndex,
    name: entry.opName,
    location: entry.opLocation,
    value: undefined,
    decided: true,
    operands: entry.inputCandidateSets.map((set) =>
      set.candidates.map((spelled, index) => ({
        layout: asInPlans(spelled),
        isReshard: index >= set.fromProducerBeam,
      }))
    ),
    beam: entry.beam.map((slot) => ({
      rank: slot.rank,
      inputs:
        entry.evaluations.find((evaluation) => evaluation.valid && evaluation.output === slot.outputLayout)
          ?.inputs.map(asInPlans) ?? [],
      output: asInPlans(slot.outputLayout),
      microseconds: undefined,
      score: readScore(slot.score),
    })),
    rejections: rejectionsOf(entry.evaluations),
    notAsked: [],
    usedFallback: entry.usedDramFallback,
    finalLayouts: final === undefined ? [] : [asInPlans(final)],
    reasons: [],
  };
}

function readScore(
  { outputL1Usage, ...rest }: v.InferOutput<typeof score>,
): TraceOp["beam"][number]["score"] {
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
        inputs: first.inputs.map(asInPlans),
        output: first.hint === "" ? undefined : asInPlans(first.hint),
      }]
    ).sort((a, b) => b.count - a.count);
}
