// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import { sideOfTrace } from "./trace_side.ts";
import { readTrace, upstreamTrace } from "./upstream_trace.ts";

const written = (trace: DecisionTrace): string =>
  JSON.stringify(upstreamTrace(trace, { rows: 8, columns: 7 }));

Deno.test("a trace counts as spills what leaves L1: victims, and results of ops that fit nowhere", () => {
  const actions = ["oom", "eviction", "oom", "self_spill", "demotion_success", "revalidation"];
  const trace = {
    version: 3,
    functionName: "main",
    forwardPass: [],
    spillManagement: { events: actions.map((action, position) => ({ position, action })) },
  };
  assertEquals(sideOfTrace("a", readTrace(JSON.stringify(trace), "a.json")).spills, 2);
});

const TRACE: DecisionTrace = {
  source: "tilewright",
  function: "main",
  policy: "beam",
  origin: "beam 2",
  score: "runtime",
  beamWidth: 2,
  ops: ["l1/interleaved", "dram/interleaved/row_major"].map((layout, op) => ({
    op,
    name: "ttnn.relu",
    location: "",
    value: `%${op}`,
    decided: true,
    operands: [["l1/interleaved", "l1/height_sharded/8x1", "system_memory/row_major"].map((each, index) => ({
      layout: each,
      isReshard: index > 0,
    }))],
    rejections: [{ reason: "no", count: 1, inputs: ["dram/interleaved"], output: "l1/block_sharded/2x2" }],
    notAsked: [],
    beam: [{
      rank: 0,
      inputs: ["l1/interleaved"],
      output: layout,
      microseconds: 1,
      score: { isL1: op === 0 },
    }],
    usedFallback: false,
    finalLayouts: [layout],
    reasons: [],
  })),
  edges: [{ producer: 0, consumer: 1, operand: 0, result: 0, reshard: "dram/interleaved/row_major" }],
  forks: [{ op: 0, chosenSlot: 0, consumers: [1], slotCosts: [] }],
  spills: ["split", "interleave"].map((action, position) => ({
    position,
    opName: "ttnn.relu",
    op: position,
    action,
    victim: "%0",
    bytes: 2048,
    description: "moved",
    pressure: "too_large",
    usedBytes: 4096,
  })),
};

Deno.test("what is written as upstream's reads back with the layouts that plans spell", () => {
  const { ops, edges, forks } = readTrace(written(TRACE), "a.json");
  const spoken = ({ operands, rejections, finalLayouts, beam }: DecisionTrace["ops"][number]) => ({
    operands,
    rejections,
    finalLayouts,
    beam: beam.map(({ rank, inputs, output, score }) => ({ rank, inputs, output, score })),
  });
  assertEquals(ops.map(spoken), TRACE.ops.map(spoken));
  assertEquals([edges, forks], [TRACE.edges, TRACE.forks]);
});

Deno.test("upstream's spelling has the grid of interleaved tensors", () => {
  const layouts = [...written(TRACE).matchAll(/"candidates":(\[.*?\])/g)].map(([, list = ""]) =>
    JSON.parse(list)
  );
  assertEquals(layouts[0], [
    "l1/interleaved/8x7",
    "l1/height_sharded/8x1",
    "system_memory/none/1x1/row_major",
  ]);
});

Deno.test("bytes that pass 2 does not know are left out", () => {
  const { spills } = readTrace(written(TRACE), "a.json");
  assertEquals(spills.map(({ action, bytes }) => [action, bytes]), [
    ["oom", 0],
    ["eviction", 2048],
    ["oom", 0],
    ["demotion_success", undefined],
  ]);
  const unsearched = readTrace(written({ ...TRACE, beamWidth: undefined }), "a.json");
  assertEquals([unsearched.beamWidth, unsearched.policy], [undefined, "unknown"]);
});
