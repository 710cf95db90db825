// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { isSharded } from "../lib/layout/ttnn_layout.ts";
import { policies } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { createWorkbench, type Workbench, workbenchFor } from "./load.ts";
import { type Optimized, optimizeModule } from "./optimize.ts";

const MODELS = ["mnist", "segformer_block", "llama_3_2_1b_decode"];
const N150 = getDevice("n150");
const EXACT = ["auto", "optimal"];

interface Case {
  readonly name: string;
  readonly workbench: Workbench;
  readonly optimized: Optimized;
}

let cases: readonly Case[] | undefined;

/** Every policy on every model, decided once for all tests. */
function optimizedModels(): readonly Case[] {
  return cases ??= [...decideModels()];
}

function* decideModels(): Generator<Case> {
  for (const model of MODELS) {
    const url = new URL(`../testdata/models/${model}.mlir`, import.meta.url);
    const module = parseModule(Deno.readTextFileSync(url), `${model}.mlir`);
    for (const policy of policies) {
      const workbench = createWorkbench(module, N150);
      const optimized = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
      yield { name: `${policy.name} on ${model}`, workbench, optimized };
    }
  }
}

Deno.test("passes write a program config for no matmul whose result stays interleaved", () => {
  let sharded = 0;
  for (const { name, workbench, optimized } of optimizedModels()) {
    // Exact assignments may write pages with the blocks of shards.
    if (EXACT.some((policy) => name.startsWith(`${policy} `))) continue;
    optimized.plan.functions.forEach((functionPlan, index) => {
      for (const { op, config, outputLayouts } of functionPlan.decisions) {
        if (config?.kind !== "matmul" || config.programConfig === undefined) continue;
        const [layout] = outputLayouts;
        const spelled = workbench.binding.graph.functions[index]?.ops[op]?.name;
        assert(layout !== undefined && isSharded(layout), `${name}: ${spelled} ${op} writes a config`);
        sharded++;
      }
    });
  }
  assert(sharded > 0, "some matmul is decided to write shards");
});

Deno.test("a plan costs and holds what its written form does", () => {
  for (const { name, workbench, optimized } of optimizedModels()) {
    const again = workbenchFor(optimized.text, "written.mlir", workbench, {});
    const written = simulateGraph(again.binding.graph, undefined, { ...again });
    assertEquals(
      written.functions.map(({ totalUs, peakL1Bytes }) => ({ totalUs, peakL1Bytes })),
      optimized.timeline.functions.map(({ totalUs, peakL1Bytes }) => ({ totalUs, peakL1Bytes })),
      name,
    );
  }
});
