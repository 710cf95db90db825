// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { shellWords } from "../testing/project_host.ts";
import { createMemoryHost } from "../testing/memory_host.ts";

async function price(words: string, columns = 100) {
  const host = createMemoryHost({ columns });
  const code = await runCommandLine(["price", ...shellWords(words)], host, "0.0.0", COMMANDS);
  return { code, out: host.out(), err: host.err() };
}

Deno.test("price lists the quickest way of each kind per chip, and why others are refused", async () => {
  const { code, out } = await price("matmul 32x4096 4096x14336 --weights bfp8 --device n150,p150 --top 3");
  assertEquals(code, 0);
  assertMatch(out, /^matmul 32x4096xbf16, 4096x14336xbfp_bf8 → 32x14336xbf16 on n150\n/);
  assertMatch(out, /\n1 .* µs .* l1(?:\/width\/1x\d+)? +dram +l1\/width\/1x\d+/);
  assertMatch(out, /legal ways, [\d,]+ combinations tried; with everything in DRAM [\d.]+ µs\.\s/);
  assertMatch(out, /Refused, with the first of each kind:\n\n +\d+ {2}matmul\//);
  assertStringIncludes(out, "on p150\n");
  for (const width of [60, 80, 120]) {
    const { out: fitted } = await price("add 64x64 64x64 --top 2", width);
    for (const line of fitted.split("\n").slice(1)) assert(line.length <= width, `${line.length}: ${line}`);
  }
});

Deno.test("price lists legal candidates that no policy queries, with their cost", async () => {
  const { out } = await price("conv2d 1x56x56x64 64x64x3x3 --attr padding=1,1 --top 3");
  assertMatch(out, / Asked .*\n─+\n *1 +[\d.]+ µs .* no /);
  const [, first = ""] = /\n *1 +([\d.]+) µs/.exec(out) ?? [];
  const [, asked = ""] =
    /No\s+policy\s+asks[^;]*;\s+the\s+fastest\s+that\s+policies\s+ask\s+for\s+takes\s+([\d.]+)\s+µs/
      .exec(out) ?? [];
  assert(Number(first) < Number(asked), out);
});

Deno.test("price warns of attributes that nothing depends on, and of no other", async () => {
  const told = async (words: string) => (await price(`${words} --top 1`)).err;
  assertEquals(
    await told("conv2d 1x56x56x64 64x64x3x3 --attr paddding=1,1 --attr stride=2,2"),
    "warning: --attr paddding has no effect: neither the legality nor the time of ttnn.conv2d depends on it\n",
  );
  for (
    const words of [
      "conv2d 1x56x56x64 64x64x3x3 --attr padding=1,1 --attr dilation=1,1",
      "sum 2048x2048 --attr dim_arg=0",
      "matmul 64x128 64x128 --attr transpose_b=true",
      "reshape 32x32 --attr shape=16,64",
      "permute 32x64 --attr permutation=1,0",
      "softmax 64x64 --attr dimension=0 --fidelity hifi4",
      "max_pool2d 1x16x16x32 --attr kernel_size=2,2 --attr stride=2,2",
    ]
  ) assertEquals(await told(words), "", words);
});

Deno.test("price --json has the figures of the table", async () => {
  const { out } = await price("softmax 1x32x128x128 --in0 l1/height_sharded/8x8 --json");
  const { schema, op, operands, devices } = JSON.parse(out);
  assertEquals([schema, op, operands], ["tilewright.price/1", "ttnn.softmax", ["1x32x128x128xbf16"]]);
  const [{ device, ways: [best, ...others] }] = devices;
  assertEquals([device, best.inputs], ["n150", ["l1/height_sharded/64x1"]]);
  for (const impl of others) assert(impl.predicted.us >= best.predicted.us);
  assert(best.predicted.lowerUs < best.predicted.us && best.predicted.us < best.predicted.upperUs);
  const table = (await price("softmax 1x32x128x128 --in0 l1/height_sharded/8x8 --top 1")).out;
  assertStringIncludes(table, `${best.predicted.us.toPrecision(3)} µs`);
});

Deno.test("price answers with a finding when nothing is legal, and with words for words that make no sense", async () => {
  const { code, out } = await price("layer_norm 32x4096 --in0 l1/height/1x1");
  assertEquals(code, 1);
  assertStringIncludes(out, "No way is legal");
  for (
    const [words, reason, exit] of [
      ["matmull 32x32 32x32", "did you mean 'matmul'?", 2],
      ["matmul 32x32 64x32", "inner dimensions", 2],
      ["relu 32x32 --in0 l1/heigth/1x1", "does not know 'heigth'", 2],
      ["relu 32x32 --in1 l1", "ttnn.relu has 1 operands", 2],
      ["relu 32x32 --device n151", "Unknown device 'n151'", 2],
      ["relu 32x32 --in0 l1/block/9x9", "worker grid", 3],
      ["relu 32x32:bf17", "not an element format", 2],
    ] as const
  ) {
    const answer = await price(words);
    assertEquals([answer.code, answer.out], [exit, ""], answer.err);
    assertStringIncludes(answer.err, reason);
  }
});

Deno.test("price refuses writes into a tensor of another shape", async () => {
  const refused: readonly (readonly [string, string])[] = [
    ["copy 32x32 64x32", "copy/types"],
    ["fill_cache 1x8x64x64 1x7x32x64", "cache/shape"],
    ["update_cache 1x8x64x64 1x8x1x32 1:u32", "cache/shape"],
  ];
  for (const [words, rule] of refused) {
    const { code, out } = await price(words);
    assertEquals([code, out.includes(` ${rule}\n`)], [1, true], `${words}: ${out}`);
  }
  for (const words of ["copy 32x32 32x32", "fill_cache 1x8x64x64 1x8x32x64"]) {
    assertEquals((await price(words)).code, 0, words);
  }
});

Deno.test("price says on which chips its answers are guesses", async () => {
  assertStringIncludes((await price("relu 32x32 --device n150,quasar")).err, "no kernels for quasar yet");
  assertEquals((await price("relu 32x32 --device n150")).err, "");
});
