// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import type { MemoryHost } from "../testing/memory_host.ts";
import { createProjectHost } from "../testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

async function tilewright(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<{ code: number; host: MemoryHost }> {
  const host = createProjectHost({ files, columns: 140 });
  return { code: await runCommandLine(args, host, "0.0.0", COMMANDS), host };
}

/** A trace as upstream writes one, with a fork, a reshard, a refusal and an eviction. */
const UPSTREAM = {
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
};

Deno.test("explain tells the story of an op from a trace of tt-mlir", async () => {
  const { code, host } = await tilewright(["explain", "t.json", "--op", "matmul_1", "--json"], {
    "t.json": JSON.stringify(UPSTREAM),
  });
  assertEquals(code, EXIT.ok, host.err());
  const story = JSON.parse(host.out());
  assertEquals([story.source, story.name, story.layouts], ["tt-mlir", "ttnn.matmul", [
    "l1/block_sharded/8x8",
  ]]);
  assertEquals(story.candidates.map((candidate: { isChosen: boolean }) => candidate.isChosen), [true, false]);
  assertStringIncludes(story.candidates[1].against, "more cores (32 against 64)");
  assertEquals(story.rejections, [
    { reason: "OOM", count: 2, inputs: ["dram/interleaved/1x1"], output: null },
  ]);
  assertEquals(story.reshards, [
    { direction: "out", operand: 0, other: "ttnn.relu (op 1)", layout: "l1/height_sharded/64x1" },
  ]);
  assertEquals(story.spills.length, 1);
  assertEquals(story.spills[0].bytes, 3072);
});

Deno.test("explain reads back what optimize writes as a trace, and diff compares two of them", async () => {
  const traces: Record<string, string> = {};
  for (const policy of ["greedy", "beam"]) {
    const { code, host } = await tilewright(
      ["optimize", MNIST, "--policy", policy, "--enable-decision-trace", "--decision-trace-dir", policy],
    );
    assertEquals(code, EXIT.ok, host.err());
    traces[`${policy}.json`] = host.files.get(`${policy}/forward_decision_trace.json`) ?? "";
  }
  const decided = await tilewright(["explain", MNIST, "--op", "%1", "--policy", "beam", "--json"]);
  const read = await tilewright(["explain", "beam.json", "--op", "1", "--json"], traces);
  const [own, back] = [JSON.parse(decided.host.out()), JSON.parse(read.host.out())];
  assertEquals(back.layouts[0], own.layouts[0]);
  const outputs = (story: { candidates: { output: string }[] }) =>
    story.candidates.map(({ output }) => output);
  assertEquals(outputs(back), outputs(own));
  assert(outputs(own).length > 1);
  assertEquals((await tilewright(["diff", "beam.json", "beam.json"], traces)).code, EXIT.ok);
  const different = await tilewright(["diff", "beam.json", "greedy.json"], traces);
  assertEquals(different.code, EXIT.finding);
  assertStringIncludes(different.host.out(), "ops alike in meaning");
});

Deno.test("explain tells bad words apart from bad input", async () => {
  assertEquals((await tilewright(["explain", MNIST])).code, EXIT.usage);
  const many = await tilewright(["explain", MNIST, "--op", "linear"]);
  assertEquals(many.code, EXIT.usage);
  assertStringIncludes(many.host.err(), "names 3 ops; give one of their ids: 1, 3, 5");
  const old = { "old.json": JSON.stringify({ ...UPSTREAM, version: 2 }) };
  const refused = await tilewright(["explain", "old.json", "--op", "0"], old);
  assertEquals(refused.code, EXIT.badInput);
  assertStringIncludes(refused.host.err(), "version 2 is not known");
});
