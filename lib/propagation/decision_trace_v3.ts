// SPDX-License-Identifier: Apache-2.0
import type { BeamTrace, DecisionTrace, OpTrace, SpillTrace } from "./decision_trace.ts";
import type { LayoutScore } from "./layout_score.ts";

/** A JSON value of upstream's decision trace. */
export type TraceJson = null | boolean | number | string | readonly TraceJson[] | {
  readonly [key: string]: TraceJson;
};

/**
 * The trace in tt-mlir's decision trace format, version 3 (tt-mlir:decision-trace), for its viewers. Left out are fields
 * unknown to upstream, and upstream's that are not recorded: an op's own L1, and what is in L1 at the end. `evaluations` holds the kept candidates and one entry per reason of
 * rejection, because rejections are counted instead of listed.
 */
export function decisionTraceV3(trace: DecisionTrace): TraceJson {
  const decided = trace.ops.filter((op) => op.decided);
  return {
    version: 3,
    functionName: trace.function,
    beamWidth: trace.beamWidth ?? 1,
    totalOps: decided.length,
    forwardPass: decided.map(forwardEntry),
    edges: trace.edges.map(({ producer, consumer, operand, result, reshard }) => ({
      producerOpIndex: producer,
      consumerOpIndex: consumer,
      operandIndex: operand,
      producerResultIndex: result,
      hasReshard: reshard !== undefined,
      ...(reshard === undefined ? {} : { reshardLayout: reshard }),
    })),
    backwardPass: {
      forkResolutions: trace.forks.map(({ op, chosenSlot, demands }) => ({
        opName: trace.ops[op]?.name ?? "",
        opLocation: trace.ops[op]?.location ?? "",
        opIndex: op,
        chosenCandidateIndex: chosenSlot,
        numConsumers: demands.length,
        consumerOpIndices: demands.map(({ consumer }) => consumer),
      })),
    },
    finalChoices: decided.map(({ op, name }) => ({
      opIndex: op,
      opName: name,
      chosenLayout: trace.finalLayouts[op]?.[0] ?? "null",
    })),
    spillManagement: {
      budget: trace.l1BudgetBytes,
      scheduleSize: trace.ops.length,
      totalSpills: trace.spills.length - trace.restoredSpills,
      events: trace.spills.flatMap(spillEvents),
    },
  };
}

function forwardEntry(op: OpTrace): TraceJson {
  return {
    opIndex: op.op,
    opName: op.name,
    opLocation: op.location,
    inputCandidateSets: op.operands.map((candidates, operand) => ({
      operandIndex: operand,
      fromProducerBeam: candidates.filter((candidate) => !candidate.isReshard).length,
      fromReshard: candidates.filter((candidate) => candidate.isReshard).length,
      candidates: candidates.map((candidate) => candidate.layout),
    })),
    crossProductSize: op.operands.reduce(
      (product, candidates) => product * Math.max(1, candidates.length),
      1,
    ),
    evaluations: [
      ...op.beam.map((candidate) => ({
        hint: candidate.outputs[0] ?? "null",
        inputs: candidate.inputs,
        valid: true,
        score: scoreEntry(candidate.score),
        output: candidate.outputs[0] ?? "null",
      })),
      ...op.rejections.map(({ inputs, output, reason, count }) => ({
        hint: output ?? "null",
        inputs,
        valid: false,
        failureReason: count === 1 ? reason : `${reason} (${count} times)`,
      })),
    ],
    beam: op.beam.map((candidate: BeamTrace) => ({
      rank: candidate.rank,
      outputLayout: candidate.outputs[0] ?? "null",
      score: scoreEntry(candidate.score),
    })),
    usedDramFallback: op.usedFallback,
  };
}

function scoreEntry(score: LayoutScore): TraceJson {
  return {
    isL1: score.isL1,
    isSharded: score.isSharded,
    inputDramBytes: score.inputDramBytes,
    requiresReshard: score.requiresReshard,
    coreCount: score.coreCount,
    outputL1Usage: score.outputL1Bytes,
  };
}

/** Upstream lists a lack of memory and the response to it as separate events. */
function spillEvents(spill: SpillTrace): readonly TraceJson[] {
  const action = {
    split: "eviction",
    demote: "eviction",
    interleave: "demotion_success",
    read_dram: "self_spill",
  }[spill.kind];
  const common = { position: spill.position, opName: spill.opName };
  return [
    {
      ...common,
      action: spill.pressure === "circular_buffer_clash" ? "fragmentation_demote" : "oom",
      occupiedL1Before: spill.usedBytes,
      occupiedL1After: spill.usedBytes,
    },
    {
      ...common,
      action,
      occupiedL1Before: spill.usedBytes,
      occupiedL1After: spill.usedBytes - spill.bytes,
      victimName: spill.victim,
      details: spill.description,
    },
  ];
}
