// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ANALYSIS_NAMES } from "../lib/analysis/print_analysis.ts";
import { CHAIN_OPTIONS } from "./commands/chain_options.ts";
import { optimize } from "./commands/optimize.ts";
import { EXIT } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { createProjectHost } from "./testing/project_host.ts";

const MODEL = "testdata/models/mnist.mlir";

async function runOptimize(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createProjectHost();
  const code = await runCommandLine(["optimize", MODEL, ...args], host, "1.2.3", [optimize]);
  return { code, out: host.out(), err: host.err() };
}

Deno.test("optimize names the analyses that it can print", () => {
  const option = CHAIN_OPTIONS.find(({ name }) => name === "print-analysis");
  assertEquals(option?.choices, ANALYSIS_NAMES);
});

Deno.test("optimize --print-analysis prints what an analysis finds and decides nothing", async () => {
  const scalars = await runOptimize("--print-analysis", "ScalarDataTypeAnalysis");
  assertEquals([scalars.code, scalars.out], [EXIT.ok, "bf16\n"]);
  const picked = await runOptimize("--print-analysis", "OpConfigAnalysis");
  assertStringIncludes(picked.out, "@forward\n");
  assertStringIncludes(picked.out, "ttnn.linear  dram/interleaved\n");
  for (const name of ANALYSIS_NAMES) {
    assertEquals((await runOptimize("--print-analysis", name)).code, EXIT.ok);
  }
});

Deno.test("optimize --trace-solver prints the phases of the shard solver on standard error", async () => {
  const { code, out, err } = await runOptimize("--policy", "df-sharding", "--trace-solver");
  assertEquals(code, EXIT.ok);
  assertStringIncludes(err, "After preprocessFirstOp()\n  bitset[");
  assertStringIncludes(err, "After finish()\n  selectedOpConfig = {");
  assertStringIncludes(out, "Policy     ");
});

Deno.test("optimize refuses chain options with a policy that does not read them", async () => {
  const { code, err } = await runOptimize("--policy", "greedy", "--legacy-quirks");
  assertEquals(code, EXIT.usage);
  assertStringIncludes(
    err,
    "--legacy-quirks has no effect on policy 'greedy'; it is read by df-sharding, df-sharding-2",
  );
});

Deno.test("optimize points at what is wrong in an override, and at names that no op has", async () => {
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
