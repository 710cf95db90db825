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

Deno.test("products with shards or in L1 have a program config, those of DRAM tensors are left to the backend", () => {
  let written = 0;
  let left = 0;
  for (const { name, optimized } of optimizedModels()) {
    for (const { steps, name: fn } of optimized.timeline.functions) {
      const decided = optimized.plan.functions.find((plan) => plan.name === fn);
      for (const { kind, op, name: spelled, inputLayouts, outputLayouts } of steps) {
        if (kind !== "op" || (spelled !== "ttnn.matmul" && spelled !== "ttnn.linear")) continue;
        const config = decided?.decisions.find((decision) => decision.op === op)?.config;
        const isWritten = config?.kind === "matmul" && config.programConfig !== undefined;
        const tensors = [inputLayouts[0], inputLayouts[1], outputLayouts[0]];
        const inDram = tensors.every((layout) => layout?.bufferType === "dram" && !isSharded(layout));
        // Exact assignments may write pages with the blocks of shards.
        const isExact = EXACT.some((policy) => name.startsWith(`${policy} `));
        if (!inDram || !isExact) assertEquals(isWritten, !inDram, `${name}: ${spelled} ${op}`);
        if (isWritten) written++;
        else left++;
      }
    }
  }
  assert(written > 0 && left > 0);
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
