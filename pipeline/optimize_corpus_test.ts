// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import type { Graph } from "../lib/graph/graph.ts";
import { parseModule, printGeneric } from "../lib/ir/mod.ts";
import { policies } from "../lib/policy/policies.ts";
import type { MemoryVerdict } from "../lib/memory/memory_verdict.ts";
import { eraseLayouts } from "../lib/rewrite/testing/erase_layouts.ts";
import { createdLayouts, verifyModule } from "../lib/verify/verify_module.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import type { FunctionTimeline } from "../sim/timeline/timeline.ts";
import { corpusFiles, corpusName, corpusTest, IS_FULL_SWEEP, systemTool } from "../testing/corpus.ts";
import { checkMemory } from "./check_memory.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";
import { readCorpusInput } from "./testing/corpus_input.ts";

/**
 * `TILEWRIGHT_FULL_SWEEP=1` takes every file; `TILEWRIGHT_POLICIES` names policies, `all` takes every one;
 * `TILEWRIGHT_CAP` is `--tensor-l1-usage-cap`.
 */
const EVERY = IS_FULL_SWEEP ? 1 : 12;
const POLICIES = Deno.env.get("TILEWRIGHT_POLICIES") ?? "greedy";
const OPTIONS: PolicyOptions = {
  ...DEFAULT_POLICY_OPTIONS,
  tensorL1UsageCap: Number(Deno.env.get("TILEWRIGHT_CAP") ?? DEFAULT_POLICY_OPTIONS.tensorL1UsageCap),
};

/** Feeds text to mlir-opt; its first complaint, or `undefined` when it accepts the text. */
async function detailedCost(tool: string, text: string): Promise<string | undefined> {
  const child = new Deno.Command(tool, {
    args: ["--allow-unregistered-dialect", "-o", "/dev/null", "-"],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { success, stderr } = await child.output();
  return success ? undefined : new TextDecoder().decode(stderr).split("\n")[0] ?? "rejected";
}

corpusTest("optimizeModule() keeps the meaning, fits, lints and prints valid IR on real files", async (t) => {
  const chosen = policies.filter((policy) => POLICIES === "all" || POLICIES.split(",").includes(policy.name));
  const mlirOpt = systemTool("mlir-opt-22");
  const files = ["dumps/ttnn", "lowered/models", "dumps/ttir", "models/ttir"].flatMap((folder) =>
    corpusFiles(folder)
  )
    .filter((_, index) => index % EVERY === 0);
  for (const file of files) {
    const name = corpusName(file);
    const { module, device } = readCorpusInput(Deno.readTextFileSync(file), name);
    for (const policy of chosen) {
      await t.step(`${policy.name} ${name}`, async () => {
        const workbench = createWorkbench(module, device, OPTIONS);
        const optimized = optimizeModule(workbench, policy, OPTIONS);
        const { verdict } = optimized.memory;
        assertEquals(named(verdict), named(optimized.timeline.verdict));
        const isInputTooLarge =
          checkMemory(workbench, OPTIONS.tensorL1UsageCap).verdict.status === "does_not_fit";
        assert(
          verdict.status !== "does_not_fit" || isInputTooLarge,
          "only what was too large as written is so",
        );
        const again = parseModule(optimized.text, "optimized");
        const reordered = optimized.plan.functions.some((fn) => fn.schedule !== undefined);
        const meaning = (graph: Graph): readonly (readonly string[])[] =>
          graph.functions.map((fn) => reordered ? [...eraseLayouts(fn)].sort() : eraseLayouts(fn));
        const written = createWorkbench(again, device, OPTIONS);
        assertEquals(meaning(written.binding.graph), meaning(workbench.binding.graph));
        const { functions } = simulateGraph(written.binding.graph, undefined, written, OPTIONS);
        assertEquals(functions.map(figures), optimized.timeline.functions.map(figures));
        const isCreated = createdLayouts(module, again);
        const errors = verifyModule(again, { isCreated }).filter((finding) => finding.severity === "error");
        assertEquals(errors, []);
        if (mlirOpt !== undefined) assertEquals(await detailedCost(mlirOpt, printGeneric(again)), undefined);
      });
    }
  }
});

/** A verdict without op ids, which inserted copies shift. */
function named({ status, misfits, uncheckedOps }: MemoryVerdict): unknown {
  return {
    status,
    misfits: misfits.map(({ name, memory, kind, shortBytes }) => ({ name, memory, kind, shortBytes })),
    uncheckedOps: uncheckedOps.map(({ name, rule }) => ({ name, rule })),
  };
}

/** What a plan and its written form must agree on. */
function figures({ totalUs, peakL1Bytes, steps }: FunctionTimeline): unknown {
  return { microseconds: totalUs.toFixed(6), peakL1Bytes, steps: steps.length };
}
