// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch } from "@std/assert";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { policies } from "../lib/policy/policies.ts";
import { COMMANDS } from "./command_table.ts";
import { EXIT } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { createMemoryHost } from "./testing/memory_host.ts";
import { mutate } from "./testing/mutate.ts";

const MNIST = `${PROJECT_ROOT}/testdata/models/mnist.mlir`;

const SEGFORMER = `${PROJECT_ROOT}/testdata/models/segformer_block.mlir`;

const TTIR =
  `func.func @main(%x: tensor<1x32x32x64xbf16>, %w: tensor<64x64x1x1xbf16>, %b: tensor<64x128xbf16>) -> tensor<1x1024x128xbf16> {
  %0 = "ttir.conv2d"(%x, %w) <{stride = array<i32: 1, 1>, padding = array<i32: 0, 0, 0, 0>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x1x1xbf16>) -> tensor<1x32x32x64xbf16>
  %1 = "ttir.relu"(%0) : (tensor<1x32x32x64xbf16>) -> tensor<1x32x32x64xbf16>
  %2 = "ttir.reshape"(%1) <{shape = [1 : i32, 1024 : i32, 64 : i32]}> : (tensor<1x32x32x64xbf16>) -> tensor<1x1024x64xbf16>
  %3 = "ttir.matmul"(%2, %b) <{transpose_a = false, transpose_b = false}> : (tensor<1x1024x64xbf16>, tensor<64x128xbf16>) -> tensor<1x1024x128xbf16>
  %4 = "ttir.softmax"(%3) <{dimension = -1 : si32}> : (tensor<1x1024x128xbf16>) -> tensor<1x1024x128xbf16>
  return %4 : tensor<1x1024x128xbf16>
}
`;

/** Small programs with everything that layouts, configs and functions are made of. */
async function inputs(): Promise<readonly string[]> {
  const [mnist, segformer] = await Promise.all([MNIST, SEGFORMER].map((path) => Deno.readTextFile(path)));
  const host = createMemoryHost({
    files: { "mnist.mlir": mnist ?? "", "segformer.mlir": segformer ?? "", "ttir.mlir": TTIR },
  });
  const optimized = async (file: string, policy: string): Promise<string> => {
    const args = ["optimize", file, "--policy", policy, "-o", "out.mlir"];
    assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
    return host.files.get("out.mlir") ?? "";
  };
  return [
    mnist ?? "",
    await optimized("mnist.mlir", "greedy"),
    TTIR,
    await optimized("ttir.mlir", "beam-cost"),
    await optimized("segformer.mlir", "df-sharding-2"),
  ];
}

/** What a damaged file is given to, in turn. */
const COMMAND_LINES: readonly (readonly string[])[] = [
  ["optimize", "--policy", "greedy"],
  ["simulate", "--json"],
  ["optimize", "--policy", "df-sharding-2", "-o", "-"],
  ["doctor"],
  ["optimize", "--policy", "dram", "--json"],
  ["lint"],
  ["simulate", "--group-by", "op"],
  ["explain", "--op", "1", "--policy", "beam-cost"],
  ["optimize", "--policy", "optimal"],
  ["diff", "--policy-b", "l1-interleaved"],
  ["print", "--generic"],
];

/** 10,000 in the full sweep. */
const ROUNDS = Deno.env.get("TILEWRIGHT_FULL_SWEEP") === undefined ? 200 : 10_000;

/** No answer takes longer, in ms, on any machine that runs the tests. */
const HANG_MS = 60_000;

Deno.test("damaged inputs are refused with a reason or judged: no internal error, no hang", async () => {
  const failures: string[] = [];
  const texts = await inputs();
  for (let seed = 0; seed < ROUNDS; seed++) {
    const text = mutate(texts[seed % texts.length] ?? "", seed);
    const [command = "", ...options] =
      COMMAND_LINES[Math.floor(seed / texts.length) % COMMAND_LINES.length] ?? [];
    const host = createMemoryHost({ files: { "damaged.mlir": text } });
    const started = performance.now();
    const code = await runCommandLine([command, "damaged.mlir", ...options], host, "0.0.0", COMMANDS);
    const ms = performance.now() - started;
    if (ms > HANG_MS) failures.push(`seed ${seed}: ${command} took ${Math.round(ms)} ms`);
    if (code === EXIT.internal) failures.push(`seed ${seed}: ${command}: ${host.err().split("\n")[0]}`);
    if (code === EXIT.badInput) assert(host.err().includes("error: "), `seed ${seed}: no reason`);
  }
  assertEquals(failures, []);
});

Deno.test("tensors without elements are legal and cost nothing, for every policy", async () => {
  const mnist = await Deno.readTextFile(MNIST);
  const text = mnist.replaceAll("x10xbf16", "x0xbf16").replaceAll("tensor<10x", "tensor<0x");
  const host = createMemoryHost({ files: { "empty.mlir": text } });
  for (const { name } of policies) {
    const out = createMemoryHost({ files: { "empty.mlir": text } });
    const args = ["optimize", "empty.mlir", "--policy", name, "--json"];
    assertEquals(await runCommandLine(args, out, "0.0.0", COMMANDS), EXIT.ok, `${name}: ${out.err()}`);
    const { ops } = JSON.parse(out.out());
    assertEquals(ops.slice(-2).map(({ us }: { us: number }) => us), [0, 0], name);
  }
  assertEquals(await runCommandLine(["simulate", "empty.mlir"], host, "0.0.0", COMMANDS), EXIT.ok);
  assertEquals(host.err(), "");
});

Deno.test("impossible tiles, extents and grids are bad input, with place and reason", async () => {
  const mnist = await Deno.readTextFile(MNIST);
  const damaged: readonly (readonly [string, string])[] = [
    [mnist.replaceAll("tile<32x32", "tile<0x32"), "0x32 tiles"],
    [mnist.replaceAll("tile<32x32", "tile<33x32"), "33x32 tiles"],
    [mnist.replaceAll("tensor<128x", "tensor<99999999999999999999x"), "so many elements"],
    [mnist.replace("grid<8x8", "grid<1000003x8"), "1000003x8 cores"],
  ];
  for (const [text, reason] of damaged) {
    const host = createMemoryHost({ files: { "damaged.mlir": text } });
    const code = await runCommandLine(["optimize", "damaged.mlir"], host, "0.0.0", COMMANDS);
    assertEquals(code, EXIT.badInput, host.err());
    assertMatch(host.err(), /^damaged\.mlir:\d+:\d+: error: /);
    assert(host.err().includes(reason), host.err());
  }
});
