// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ANALYSIS_NAMES } from "../lib/analysis/print_analysis.ts";
import { bench } from "./commands/bench.ts";
import { diff } from "./commands/diff.ts";
import { explain } from "./commands/explain.ts";
import { optimize } from "./commands/optimize.ts";
import { report } from "./commands/report.ts";
import { type Command, EXIT } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { UNUSED_WORDS } from "./option_layers.ts";
import { createProjectHost } from "./testing/project_host.ts";

const MODEL = "testdata/models/mnist.mlir";

async function runOptimize(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createProjectHost();
  const code = await runCommandLine(["optimize", MODEL, ...args], host, "1.2.3", [optimize]);
  return { code, out: host.out(), err: host.err() };
}

Deno.test("optimize names the analyses that it can print", () => {
  const option = optimize.options.find(({ name }) => name === "print-analysis");
  assertEquals(option?.choices, ANALYSIS_NAMES);
});

Deno.test("optimize --print-analysis prints an analysis without a decision", async () => {
  const scalars = await runOptimize("--print-analysis", "ScalarDataTypeAnalysis");
  assertEquals([scalars.code, scalars.out], [EXIT.ok, "bf16\n"]);
  const chosen = await runOptimize("--print-analysis", "OpConfigAnalysis");
  assertStringIncludes(chosen.out, "@forward\n");
  assertStringIncludes(chosen.out, "ttnn.linear  l1/height_sharded/4x1\n");
  const first = await runOptimize("--print-analysis", "OpConfigAnalysis", "--optimization-level", "1");
  assertStringIncludes(first.out, "ttnn.linear  dram/interleaved\n");
  for (const name of ANALYSIS_NAMES) {
    assertEquals((await runOptimize("--print-analysis", name)).code, EXIT.ok);
  }
});

Deno.test("optimize --print-analysis MemoryLayoutAnalysis prints the chains of the policy that is asked for", async () => {
  const chains = async (...args: string[]) =>
    await runOptimize("--print-analysis", "MemoryLayoutAnalysis", ...args);
  assertStringIncludes((await chains()).out, "  chain 0  Completed: its output goes to ");
  assertStringIncludes((await chains("--policy", "df-sharding")).out, "its output goes to DRAM\n");
  assertStringIncludes((await chains("--optimization-level", "1")).out, "@forward\n  off: ");
  const beam = await chains("--policy", "beam");
  assertEquals(beam.code, EXIT.usage);
  assertStringIncludes(
    beam.err,
    "Cannot print MemoryLayoutAnalysis of policy 'beam'; it is made by df-shard",
  );
});

Deno.test("optimize --trace-solver prints the phases of the shard solver on standard error", async () => {
  const { code, out, err } = await runOptimize("--policy", "df-sharding", "--trace-solver");
  assertEquals(code, EXIT.ok);
  assertStringIncludes(err, "After preprocessFirstOp()\n  bitset[");
  assertStringIncludes(err, "After finish()\n  selectedOpConfig = {");
  assertStringIncludes(out, "Policy     ");
});

Deno.test("a flag that the policy does not read is refused with those that do", async () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [
      ["--policy", "greedy", "--legacy-quirks"],
      "--legacy-quirks has no effect on policy 'greedy'; it is read by auto, df-sharding, df-sharding-2, greedy",
    ],
    [
      ["--policy", "df-sharding", "--beam-width", "3", "--spill", "exact"],
      "--beam-width has no effect on policy 'df-sharding'; it is read by auto, beam, beam-cost, optimal",
    ],
    [
      ["--policy", "dram", "--spill", "exact"],
      "--spill has no effect on policy 'dram'; it is read by auto, l1-inter",
    ],
    [
      ["--policy", "beam", "--memreconfig-enabled=false"],
      "--memreconfig-enabled has no effect on policy 'beam'",
    ],
    [["--optimization-level", "0", "--beam-width", "3"], "--beam-width has no effect on policy 'dram'"],
    [
      ["--print-analysis", "OpConfigAnalysis", "--score", "local"],
      "--score has no effect here: no policy dec",
    ],
    ...["--json", "--csv", "--output=out.mlir", "--emit=overrides=o.txt"].map((given) =>
      [
        ["--print-analysis", "OpConfigAnalysis", given],
        `Cannot use ${given.split("=")[0]} with --print-analysis, which prints text and decides nothing`,
      ] as const
    ),
  ];
  for (const [args, message] of cases) {
    const { code, err } = await runOptimize(...args);
    assertEquals(code, EXIT.usage, args.join(" "));
    assertStringIncludes(err, message);
  }
});

Deno.test("commands with several policies accept options that one of them reads, and refuse the others", async () => {
  const run = async (command: Command, ...args: string[]) => {
    const host = createProjectHost();
    return {
      code: await runCommandLine([command.name, MODEL, ...args], host, "1", [command]),
      err: host.err(),
    };
  };
  const both = ["--policies", "dram,df-sharding"];
  assertEquals((await run(bench, ...both, "--legacy-quirks")).code, EXIT.ok);
  const refused = await run(bench, ...both, "--beam-width", "2");
  assertEquals(refused.code, EXIT.usage);
  assertStringIncludes(
    refused.err,
    "--beam-width has no effect on policies dram, df-sharding; it is read by",
  );
  // Every policy of level 0 is one and the same.
  const atLevel0 = await run(bench, "--optimization-level", "0", "--beam-width", "2");
  assertStringIncludes(atLevel0.err, "--beam-width has no effect on policy 'dram'");
  const sides = ["--policy-a", "dram", "--policy-b", "greedy"];
  assertEquals((await run(diff, ...sides, "--score", "local")).code, EXIT.finding);
  assertEquals((await run(diff, ...sides, "--beam-width", "2")).code, EXIT.usage);
  assertEquals((await run(diff, MODEL, "--beam-width", "2")).code, EXIT.usage);
  assertEquals((await run(diff, MODEL, "--tensor-l1-usage-cap", "0.9")).code, EXIT.ok);
  assertEquals(
    (await run(report, "-o", "-", "--policy", "dram", "--policies", "dram", "--score", "local")).code,
    2,
  );
  assertEquals((await run(explain, "--op", "1", "--policy", "dram", "--beam-width", "2")).code, EXIT.usage);
});

Deno.test("unread options in sources for several runs cause warnings: pasted pipelines, the environment, the file", async () => {
  const pasted = await runOptimize(
    "--policy=dram",
    "--ttir-to-ttnn-runtime-pipeline=optimization-level=2 memreconfig-enabled=true",
  );
  assertEquals(pasted.code, EXIT.ok);
  assertStringIncludes(
    pasted.err,
    "warning: --ttir-to-ttnn-runtime-pipeline: --memreconfig-enabled has no effect on policy 'dram'",
  );
  const host = createProjectHost({
    environment: { TILEWRIGHT_BEAM_WIDTH: "3" },
    files: { "tilewright.jsonc": '{ "score": "local" }' },
  });
  assertEquals(await runCommandLine(["optimize", MODEL, "--policy=dram"], host, "1", [optimize]), EXIT.ok);
  assertStringIncludes(host.err(), "warning: TILEWRIGHT_BEAM_WIDTH: --beam-width has no effect");
  assertStringIncludes(host.err(), "warning: tilewright.jsonc: --score has no effect");
});

Deno.test("a pasted pipeline may name the policy as the compiler did", async () => {
  const chains = "memory-layout-analysis-policy=";
  for (
    const [words, policy] of [
      [`${chains}DFSharding`, "df-sharding"],
      ["enable-greedy-optimizer=false", "df-sharding"],
      [`${chains}BFInterleaved enable-greedy-optimizer=false`, "bf-interleaved"],
      // The compiler reads the policy of the chain optimizer only where that one runs.
      [`enable-greedy-optimizer=true ${chains}BFInterleaved`, "beam"],
      ["policy=greedy enable-greedy-optimizer=false", "greedy"],
    ]
  ) {
    const { code, out } = await runOptimize("--json", `--ttir-to-ttnn-runtime-pipeline=${words}`);
    assertEquals([code, JSON.parse(out).policy], [EXIT.ok, policy], words);
  }
  const wrong = await runOptimize("--ttir-to-ttnn-runtime-pipeline=enable-greedy-optimizer=maybe");
  assertEquals(wrong.code, EXIT.usage);
  assertStringIncludes(wrong.err, "enable-greedy-optimizer in --ttir-to-ttnn-runtime-pipeline is one of ");
});

/**
 * Options of upstream's pipelines from TTIR to TTNN: those of October 2026, then those that went before
 * (tt-mlir:options).
 */
const UPSTREAM_OPTIONS = `
  optimization-level=2 enable-optimizer check-unique-locs insert-memreconfig override-output-layout
  override-conv2d-config override-conv3d-config memory-layout-analysis-enabled system-desc-path=.
  mock-system-desc-arch=wormhole_b0 max-legal-layouts=64 mesh-shape=1,1 mesh-topology=linear,disabled row-major-enabled=false
  tensor-l1-usage-cap=0.95 enable-dram-sharded-matmul disable-workarounds enable-layout-workaround-pass
  enable-decomposition-workaround-pass enable-ttnn-decomposition-pass composite-resolution=validate
  enable-implicit-broadcast-folding-pass enable-dram-space-saving-optimization-pass enable-erase-inverse-ops-pass
  enable-quant-dequant-conversion-pass enable-fusing-pass enable-fusing-conv2d-with-multiply-pattern
  enable-matmul-program-config enable-eltwise-activation-fusion enable-create-d2m-subgraphs
  enable-d2m-elementwise-fusion enable-permute-slice-after-matmul-fusion enable-permute-matmul-fusion argument-types
  enable-remove-dead-values enable-const-eval enable-cpu-hoisted-const-eval
  enable-const-eval-inputs-to-system-memory enable-trace target-bit-width=32 experimental-weight-dtype=none
  experimental-kv-cache-dtype=none enable-activation-dtype-lowering compute-cfg-math-fidelity=hifi4
  compute-cfg-fp32-dest-acc-en=unset compute-cfg-math-approx-mode=unset compute-cfg-packer-l1-acc=unset
  compute-cfg-dst-full-sync-en=unset ttnn-perf-metrics-enabled ttnn-perf-metrics-output-file=x.json
  ttnn-perf-metrics-verbose-output-enabled max-fallback-attempts=10 enable-decision-trace=false decision-trace-dir
  use-mock-allocator-state enable-compile-time-stats enable-optimization-passes
  l1-interleaved-fallback-analysis-enabled=false memreconfig-enabled memory-layout-analysis-policy=DFSharding
  enable-greedy-optimizer enable-d2m-fusing-pass=false enable-bfp8-conversion=false experimental-bfp8-weights=false
  sharding-pass-enabled resharding-enabled override-grid-sizes insert-reshard target-dylib target-module
  tuplify-input-if-empty load-input-tensors-from-disk tensor-load-directory tensor-load-file-prefix
  try-recover-structure split-files`.trim().split(/\s+/);

/** Those that mean something to us but need a value that fits the input. */
const OF_THE_INPUT = /^(insert|override|system-desc-path|argument-types|decision-trace-dir)/;

Deno.test("every option of upstream's pipelines is read: it sets one of ours, or a warning says why it changes nothing", async () => {
  const ours = optimize.options.flatMap((
    { name, pipeline = [] },
  ) => [name, ...pipeline.map((word) => word.name)]);
  const names = UPSTREAM_OPTIONS.map((word) => word.split("=")[0] ?? "");
  assertEquals(names.filter((name) => !ours.includes(name) && !UNUSED_WORDS.has(name)), []);
  assertEquals([...UNUSED_WORDS.keys()].filter((name) => ours.includes(name) || !names.includes(name)), []);
  const words = UPSTREAM_OPTIONS.filter((word) => !OF_THE_INPUT.test(word)).join(" ");
  const { code, err } = await runOptimize(`--ttir-to-ttnn-runtime-pipeline=${words}`);
  assertEquals(code, EXIT.ok, err);
  assertEquals(err.includes("is not known here"), false, err);
  for (const [name, reason] of UNUSED_WORDS) {
    assertStringIncludes(err, `'${name}' has no effect here: ${reason}`);
  }
});

Deno.test("a description of chips that pasted options name, and that is not here, is said and left out", async () => {
  const path = "artifacts/system_desc.ttsys";
  const { code, err } = await runOptimize(`--ttir-to-ttnn-runtime-pipeline=system-desc-path=${path}`);
  assertEquals(code, EXIT.ok, err);
  assertStringIncludes(err, `warning: --ttir-to-ttnn-runtime-pipeline: Cannot read ${path}: it is binary`);
  assertEquals((await runOptimize("--system-desc-path", path)).code, EXIT.usage);
});

Deno.test("of a pasted pipeline options beside the level count for more, and those that others decide are named", async () => {
  const layouts = async (...words: readonly string[]) => {
    const { out, err, code } = await runOptimize(
      ...["--json", "--device", "n150"],
      `--ttir-to-ttnn-runtime-pipeline=${words.join(" ")}`,
    );
    assertEquals(code, EXIT.ok, err);
    const { summary: { shardedOps, l1ResidentOps } } = JSON.parse(out);
    return { isSharded: shardedOps > 0, isInL1: l1ResidentOps > 0, err };
  };
  for (
    const [words, isSharded, isInL1] of [
      ["optimization-level=1", false, true],
      ["optimization-level=1 memory-layout-analysis-enabled=true", true, true],
      ["optimization-level=0", false, false],
      ["optimization-level=0 enable-optimizer=true", false, true],
      ["optimization-level=2 enable-optimizer=false", false, false],
    ] as const
  ) {
    const { err: _, ...answer } = await layouts(words);
    assertEquals(answer, { isSharded, isInL1 }, words);
  }
  for (
    const [words, said] of [
      ["tensor-l1-usage-cap=0.9 tensor-l1-usage-cap=0.8", "'tensor-l1-usage-cap' is given again; the last"],
      [
        "memory-layout-analysis-policy=DFSharding enable-greedy-optimizer=true",
        "'memory-layout-analysis-policy' has no effect here: 'enable-greedy-optimizer' decides",
      ],
      ["enable-dram-sharded-matmul", "(enable-dram-sharded-matmul) change nothing: no product here"],
      ["mock-system-desc-arch=blackhole", "device (p150) has no effect here: --device n150 decides"],
    ] as const
  ) assertStringIncludes((await layouts(words)).err, said);
});

Deno.test("a pasted pipeline sets the chip, the formats of weights and every field of compute configs", async () => {
  const written = async (words: string) => {
    const { code, out, err } = await runOptimize(
      ...["-o", "-", "--policy", "dram", "--device", "n150"],
      `--ttir-to-ttnn-runtime-pipeline=${words}`,
    );
    assertEquals(code, EXIT.ok, err);
    return out;
  };
  const flags = "math-approx-mode=true packer-l1-acc=false dst-full-sync-en=true".split(" ");
  assertStringIncludes(
    await written(flags.map((flag) => `compute-cfg-${flag}`).join(" ")),
    "math_approx_mode = true, fp32_dest_acc_en = false, packer_l1_acc = false, dst_full_sync_en = true>",
  );
  assertStringIncludes(await written("experimental-bfp8-weights=true"), "bfp_bf8");
  const mock = await runOptimize("--json", "--ttir-to-ttnn-runtime-pipeline=mock-system-desc-arch=blackhole");
  assertEquals(JSON.parse(mock.out).device, "p150");
  const described = await runOptimize(
    "--json",
    `--ttir-to-ttnn-runtime-pipeline=mock-system-desc-arch=blackhole system-desc-path=${MODEL}`,
  );
  assertEquals(JSON.parse(described.out).device, "n150");
});

Deno.test("optimize locates errors in an override, and names that no op has", async () => {
  const wrong = await runOptimize("--policy", "df-sharding", "--override-output-layout", "relu_1=l3");
  assertEquals(wrong.code, EXIT.badInput);
  assertStringIncludes(
    wrong.err,
    '--override-output-layout:1:8: error: Cannot read --override-output-layout: "l3" is no',
  );
  const unknown = await runOptimize("--policy", "df-sharding", "--insert-memreconfig", "nobody=0");
  assertEquals(unknown.code, EXIT.badInput);
  assertStringIncludes(unknown.err, 'Cannot apply --insert-memreconfig to "nobody"');
});
