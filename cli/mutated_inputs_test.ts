// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch } from "@std/assert";
import { corpusFiles, corpusName, corpusTest, PROJECT_ROOT } from "../testing/corpus.ts";
import { policies } from "../lib/policy/policies.ts";
import { COMMANDS } from "./command_table.ts";
import { EXIT } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { createMemoryHost } from "./testing/memory_host.ts";
import { mutate } from "./testing/mutate.ts";

const MODELS = `${PROJECT_ROOT}/testdata/models`;

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
  const files: Record<string, string> = { "ttir.mlir": TTIR };
  for (const name of ["mnist", "segformer_block", "llama_3_2_1b_prefill"]) {
    files[`${name}.mlir`] = await Deno.readTextFile(`${MODELS}/${name}.mlir`);
  }
  const host = createMemoryHost({ files });
  const optimized = async (file: string, policy: string): Promise<string> => {
    const args = ["optimize", file, "--policy", policy, "-o", "out.mlir"];
    assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
    return host.files.get("out.mlir") ?? "";
  };
  return [
    ...Object.values(files),
    // What people paste: a log, and JSON.
    `1| MLIR Module ttir:\n${TTIR}---- END OF MLIR MODULE ----\n1| MLIR Module ttir:\nmodule {\n${TTIR}}\n---- END OF MLIR MODULE ----\n`,
    JSON.stringify({ stages: [{ content: `module {\n${TTIR}}\n` }, `module @b {\n${TTIR}}\n`] }),
    await optimized("mnist.mlir", "greedy"),
    await optimized("ttir.mlir", "beam-cost"),
    await optimized("segformer_block.mlir", "df-sharding-2"),
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
  ["optimize", "--policy", "greedy-l1-interleaved", "--device", "n150,p150", "--json"],
  ["optimize", "--policy", "beam", "--emit", "overrides=overrides.txt"],
];

/** Damaged inputs of the normal run and of the full sweep. */
const ROUNDS = Deno.env.get("TILEWRIGHT_FULL_SWEEP") === undefined ? 91 : 10_000;

/** No answer takes longer, in ms, on any machine that runs the tests. */
const HANG_MS = 60_000;

/** Files of the corpus that are damaged are no larger, in bytes. */
const SMALL = 16_384;

/** Gives each damaged text to a command; what escapes is in the result. */
async function damage(textOf: (seed: number) => string, name: (seed: number) => string): Promise<string[]> {
  const failures: string[] = [];
  for (let seed = 0; seed < ROUNDS; seed++) {
    const text = mutate(textOf(seed), seed);
    // Each input meets each command: their numbers have no divisor in common.
    const [command = "", ...options] = COMMAND_LINES[seed % COMMAND_LINES.length] ?? [];
    const host = createMemoryHost({ files: { "damaged.mlir": text } });
    const started = performance.now();
    const code = await runCommandLine([command, "damaged.mlir", ...options], host, "0.0.0", COMMANDS);
    const ms = performance.now() - started;
    const fail = (what: string) =>
      failures.push(`${name(seed)}, seed ${seed}: ${command} ${options.join(" ")}: ${what}`);
    if (ms > HANG_MS) fail(`took ${Math.round(ms)} ms`);
    if (code === EXIT.internal) fail(host.err().split("\n")[0] ?? "");
    if (/\b(?:NaN|Infinity)\b/.test(host.out() + host.err())) fail("a number that is none");
    if (code === EXIT.badInput && !host.err().includes("error: ")) fail("no reason");
  }
  return failures;
}

Deno.test("damaged inputs are refused with a reason or judged: no internal error, no hang", async () => {
  const texts = await inputs();
  assertEquals(
    await damage((seed) => texts[seed % texts.length] ?? "", (seed) => `input ${seed % texts.length}`),
    [],
  );
});

corpusTest("damaged files of the corpus are refused with a reason or judged as well", async () => {
  const files = corpusFiles().filter((path) => Deno.statSync(path).size <= SMALL);
  // A step without a divisor in common with the number of files meets them all.
  const fileOf = (seed: number): string => files[seed * 7919 % files.length] ?? "";
  assertEquals(
    await damage((seed) => Deno.readTextFileSync(fileOf(seed)), (seed) => corpusName(fileOf(seed))),
    [],
  );
});

Deno.test("a mesh of more chips than there can be is bad input", async () => {
  const text = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1000003x2>]>} {\n${TTIR}}\n`;
  const host = createMemoryHost({ files: { "mesh.mlir": text } });
  assertEquals(await runCommandLine(["optimize", "mesh.mlir"], host, "0.0.0", COMMANDS), EXIT.badInput);
  assert(host.err().includes("a mesh of 1000003x2 chips cannot exist"), host.err());
});

Deno.test("a permute that no memory holds is judged at once", async () => {
  const [from, to] = ["tensor<32x64x4294967296xi32>", "tensor<64x4294967296x32xi32>"];
  const text = `func.func @main(%x: ${from}) -> ${to} {
  %0 = "ttir.permute"(%x) <{permutation = array<i64: 1, 2, 0>}> : (${from}) -> ${to}
  return %0 : ${to}
}\n`;
  const host = createMemoryHost({ files: { "m.mlir": text } });
  const started = performance.now();
  const args = ["optimize", "m.mlir", "--policy", "dram"];
  assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.finding, host.err());
  assert(performance.now() - started < HANG_MS / 2);
});

Deno.test("a convolution that no memory holds is refused at once", async () => {
  const args = ["price", "conv2d", "1x1000003x1000003x64", "64x64x3x3", "--attr", "padding=1,1"];
  const host = createMemoryHost();
  const started = performance.now();
  assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.finding, host.err());
  assert(performance.now() - started < HANG_MS / 2);
});

Deno.test("tensors without elements are legal and cost nothing, for every policy", async () => {
  const mnist = await Deno.readTextFile(`${MODELS}/mnist.mlir`);
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
  const mnist = await Deno.readTextFile(`${MODELS}/mnist.mlir`);
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
