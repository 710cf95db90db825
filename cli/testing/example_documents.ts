// SPDX-License-Identifier: Apache-2.0
import type { ConversionRow, OpRow } from "../../pipeline/op_rows.ts";
import type { PlanDocument } from "../../pipeline/plan_document.ts";
import { bandOf } from "../../sim/timeline/error_band.ts";

const DRAM = "dram/interleaved";

/** A row of an op with the fields that renderers read. */
function row(part: Partial<OpRow> & Pick<OpRow, "id" | "name" | "shape" | "after" | "us">): OpRow {
  return {
    function: "main",
    location: "",
    dataType: "bf16",
    inputs: [DRAM],
    before: [DRAM],
    cores: 64,
    relativeError: 0.1,
    ownError: 0.1,
    bound: "SLOW",
    conversions: [],
    meaning: `${part.name}|${part.shape}`,
    config: undefined,
    feeds: undefined,
    reasons: [],
    ...part,
  };
}

function copy(part: Pick<ConversionRow, "reason" | "value" | "from" | "to" | "us">): ConversionRow {
  return { ...part, relativeError: 0.1, ownError: 0.1, note: "" };
}

function document(
  policy: string,
  device: string,
  predictedUs: number,
  ops: readonly OpRow[],
  summary: Partial<PlanDocument["summary"]>,
): PlanDocument {
  return {
    schema: "tilewright.plan/1",
    tool: { name: "tilewright", version: "0.0.0" },
    input: "example.mlir",
    policy,
    device,
    functions: [],
    graphChanges: [],
    ops,
    summary: {
      ops: 3,
      predictedUs,
      assumptions: [],
      predictedBand: bandOf(predictedUs, 0.1),
      extrapolatedUs: 0,
      baselineUs: 1300,
      againstBaseline: predictedUs < 1170 ? "faster" : "too_close_to_call",
      loadUs: 0,
      l1ResidentOps: 0,
      shardedOps: 0,
      reshards: 0,
      spills: 0,
      peakL1Bytes: 102_400,
      l1BudgetBytes: 1_325_652,
      peakDramBytes: 4_096,
      dramBankBytes: 1_073_741_824,
      verdict: { status: "fits", refusedOps: [], misfits: [], uncheckedOps: [] },
      opModelQueries: 120,
      counters: {},
      wallMs: 7,
      ...summary,
    },
  };
}

/** Everything in DRAM. */
export const DRAM_DOCUMENT: PlanDocument = document("dram", "n150", 1300, [
  row({ id: 0, name: "ttnn.matmul", shape: "1024 x 4096 x 1024", after: [DRAM], us: 1204.5, bound: "DRAM" }),
  row({ id: 1, name: "ttnn.relu", shape: "1024x1024", after: [DRAM], us: 91.5 }),
  row({ id: 2, name: "ttnn.softmax", shape: "1024x1024", after: [DRAM], us: 4 }),
], {});

/** Sharded, with a reshard and a spill, and a step that does not fit. */
export const SHARDED_DOCUMENT: PlanDocument = document("greedy", "p150", 812.25, [
  row({
    id: 0,
    name: "ttnn.matmul",
    shape: "1024 x 4096 x 1024",
    after: ["l1/block_sharded/8x8"],
    us: 720,
    bound: "FLOP",
    conversions: [copy({
      reason: "reshard",
      value: "%arg0",
      from: DRAM,
      to: "l1/block_sharded/8x8",
      us: 12.25,
    })],
  }),
  row({ id: 1, name: "ttnn.relu", shape: "1024x1024", after: ["l1/block_sharded/8x8"], us: 41 }),
  row({
    id: 2,
    name: "ttnn.softmax",
    shape: "1024x1024",
    after: ["l1/height_sharded/32x1"],
    us: 2,
    conversions: [copy({ reason: "spill", value: "%0", from: "l1/block_sharded/8x8", to: DRAM, us: 37 })],
  }),
], {
  l1ResidentOps: 3,
  shardedOps: 3,
  reshards: 1,
  spills: 1,
  peakL1Bytes: 1_400_000,
  verdict: {
    status: "does_not_fit",
    refusedOps: [],
    misfits: [{
      function: "main",
      op: 2,
      name: "ttnn.softmax",
      location: "softmax_2",
      memory: "l1",
      kind: "circular_buffer_clash",
      shortBytes: 74_348,
    }],
    uncheckedOps: [],
  },
});

/** A trace in upstream's form, with a fork, a reshard, refusals and an eviction. */
export const UPSTREAM_TRACE = {
  version: 3,
  functionName: "main",
  beamWidth: 8,
  totalOps: 2,
  forwardPass: [
    {
      opIndex: 0,
      opName: "ttnn.matmul",
      opLocation: 'loc("matmul_1")',
      inputCandidateSets: [{
        operandIndex: 0,
        fromProducerBeam: 1,
        fromReshard: 1,
        candidates: ["dram/interleaved/1x1", "l1/block_sharded/8x8"],
      }],
      outputHints: { primaryCount: 1, fallbackCount: 0 },
      crossProductSize: 4,
      evaluations: [
        { hint: "null", inputs: ["dram/interleaved/1x1"], valid: false, failureReason: "OOM" },
        {
          hint: "l1/block_sharded/8x8",
          inputs: ["dram/interleaved/1x1"],
          valid: false,
          failureReason: "OOM",
        },
        {
          hint: "null",
          inputs: ["l1/block_sharded/8x8"],
          valid: true,
          output: "l1/block_sharded/8x8",
          score: { isL1: true, isSharded: true, inputDramBytes: 0, requiresReshard: true, coreCount: 64 },
        },
      ],
      beam: [
        {
          rank: 0,
          outputLayout: "l1/block_sharded/8x8",
          score: { isL1: true, isSharded: true, coreCount: 64 },
        },
        {
          rank: 1,
          outputLayout: "l1/block_sharded/4x8",
          score: { isL1: true, isSharded: true, coreCount: 32 },
        },
      ],
      usedDramFallback: false,
    },
    { opIndex: 1, opName: "ttnn.relu", opLocation: 'loc("relu_2")', beam: [], evaluations: [] },
  ],
  edges: [{
    producerOpIndex: 0,
    consumerOpIndex: 1,
    operandIndex: 0,
    producerResultIndex: 0,
    hasReshard: true,
    reshardLayout: "l1/height_sharded/64x1",
  }],
  backwardPass: { forkResolutions: [{ opIndex: 0, chosenCandidateIndex: 0, consumerOpIndices: [1, 2] }] },
  finalChoices: [
    { opIndex: 0, opName: "ttnn.matmul", chosenLayout: "l1/block_sharded/8x8" },
    { opIndex: 1, opName: "ttnn.relu", chosenLayout: "dram/interleaved/1x1" },
  ],
  spillManagement: {
    events: [
      { position: 1, opName: "ttnn.relu", action: "live_added", occupiedL1Before: 0, occupiedL1After: 10 },
      {
        position: 1,
        opName: "ttnn.relu",
        action: "eviction",
        victimName: "matmul_1",
        occupiedL1Before: 4096,
        occupiedL1After: 1024,
      },
    ],
  },
} as const;
