// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { UPSTREAM_TRACE } from "../testing/example_documents.ts";
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

Deno.test("explain shows the story of an op from a trace of tt-mlir", async () => {
  const { code, host } = await tilewright(["explain", "t.json", "--op", "matmul_1", "--json"], {
    "t.json": JSON.stringify(UPSTREAM_TRACE),
  });
  assertEquals(code, EXIT.ok, host.err());
  const story = JSON.parse(host.out());
  assertEquals([story.source, story.name, story.layouts], ["tt-mlir", "ttnn.matmul", [
    "l1/block_sharded/8x8",
  ]]);
  assertEquals(story.candidates.map((candidate: { isChosen: boolean }) => candidate.isChosen), [true, false]);
  assertStringIncludes(story.candidates[1].against, "more cores (32 vs. 64)");
  assertEquals(story.rejections, [{ reason: "OOM", count: 2, inputs: ["dram/interleaved"], output: null }]);
  assertEquals(story.reshards, [
    { direction: "out", operand: 0, other: "ttnn.relu (op 1)", layout: "l1/height_sharded/64x1" },
  ]);
  assertEquals(story.spills.length, 1);
  assertEquals(story.spills[0].bytes, 3072);
});

Deno.test("explain reads the traces of optimize, and diff compares two of them", async () => {
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
  assertStringIncludes(different.host.out(), "ops matched");
});

Deno.test("explain distinguishes usage errors from bad input", async () => {
  assertEquals((await tilewright(["explain", MNIST])).code, EXIT.usage);
  const many = await tilewright(["explain", MNIST, "--op", "linear"]);
  assertEquals(many.code, EXIT.usage);
  assertStringIncludes(many.host.err(), "names 3 ops; give one of their ids: 1, 3, 5");
  const old = { "old.json": JSON.stringify({ ...UPSTREAM_TRACE, version: 2 }) };
  const refused = await tilewright(["explain", "old.json", "--op", "0"], old);
  assertEquals(refused.code, EXIT.badInput);
  assertStringIncludes(refused.host.err(), "version 2 is not supported");
});

Deno.test("explain selects functions by name, and lists others with the same op id", async () => {
  const fn = (name: string, op: string) =>
    `func.func @${name}(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.${op}"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
`;
  const files = { "two.mlir": fn("first", "relu") + fn("second", "exp") };
  const explain = async (op: string) => {
    const { code, host } = await tilewright(
      ["explain", "two.mlir", "--op", op, "--policy", "greedy", "--json"],
      files,
    );
    return { code, name: code === EXIT.ok ? JSON.parse(host.out()).name : "", err: host.err() };
  };
  const first = await explain("0");
  assertEquals(first.name, "ttnn.relu");
  assertStringIncludes(first.err, "remark: @second has such an op too; --op @second:0 asks for it");
  const second = await explain("@second:0");
  assertEquals(second.name, "ttnn.exp");
  assert(!second.err.includes("such an op too"));
  assert(!(await explain("exp")).err.includes("such an op too"));
  const unknown = await explain("@secand:0");
  assertEquals(unknown.code, EXIT.usage);
  assertStringIncludes(unknown.err, "no function @secand is decided here; did you mean '@second'?");
});

Deno.test("explain --search shows the steps of the search, and refuses policies without any", async () => {
  const { code, host } = await tilewright(["explain", MNIST, "--search", "--device", "n150"]);
  assertEquals(code, EXIT.ok, host.err());
  // The exact assignment meets the bound, which ends the search.
  assertEquals(host.out().match(/^(explore|eliminate|dispatch|beams) /gm), ["explore ", "eliminate "]);
  const greedy = await tilewright(["explain", MNIST, "--search", "--policy", "greedy"]);
  assertEquals(greedy.code, EXIT.usage);
  assertStringIncludes(greedy.host.err(), "only auto and optimal search in steps");
  const both = await tilewright(["explain", MNIST, "--search", "--gap"]);
  assertEquals(both.code, EXIT.usage);
});

Deno.test("explain lists legal candidates that no policy queries, with their cost", async () => {
  const { host } = await tilewright([
    "explain",
    "testdata/models/llama_3_2_1b_decode.mlir",
    "--op",
    "20",
    "--policy",
    "greedy",
    "--json",
  ]);
  const { notAsked } = JSON.parse(host.out());
  const told = notAsked.find((sentence: string) => sentence.includes("legal, in"));
  assert(
    /^l1\/height_sharded.* in [\d.]+ µs .*\([\d.]+ µs as decided\), but no hint/.test(told),
    notAsked.join("\n"),
  );
});

Deno.test("explain does not say of a memory that nothing asks for it, and list a way to run there", async () => {
  const type = "tensor<1x1x25088x64xbf16>";
  const text = `func.func @main(%x: ${type}, %w: tensor<64x64x1x1xbf16>) -> ${type} {
    %0 = "ttir.exp"(%x) : (${type}) -> ${type}
    %1 = "ttir.conv2d"(%0, %w) <{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}> : (${type}, tensor<64x64x1x1xbf16>) -> ${type}
    return %1 : ${type}
  }`;
  const args = ["explain", "conv.mlir", "--device", "n150", "--op", "conv2d", "--json"];
  const { code, host } = await tilewright(args, { "conv.mlir": text });
  assertEquals(code, EXIT.ok, host.err());
  const { candidates, notAsked } = JSON.parse(host.out());
  assert(candidates.some(({ output }: { output: string }) => output === "l1/block_sharded/8x2"));
  assertEquals(notAsked, ["l1/width_sharded: not among the hints of the op's rule"]);
});
