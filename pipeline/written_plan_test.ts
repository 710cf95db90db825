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
      for (const { kind, op, name: spelled, inputLayouts, inputShapes, outputLayouts } of steps) {
        if (kind !== "op" || (spelled !== "ttnn.matmul" && spelled !== "ttnn.linear")) continue;
        const config = decided?.decisions.find((decision) => decision.op === op)?.config;
        const isWritten = config?.kind === "matmul" && config.programConfig !== undefined;
        const tensors = [inputLayouts[0], inputLayouts[1], outputLayouts[0]];
        const inPages = tensors.every((layout) => layout !== undefined && !isSharded(layout));
        const inDram = inPages && tensors.every((layout) => layout?.bufferType === "dram");
        // Of many small matrices in pages of L1, the backend's choice is the same however much of L1 is free.
        const mayBeLeft = inPages && inputShapes.every((shape) => (shape?.length ?? 0) > 2);
        // Exact assignments may write pages with the blocks of shards.
        const isExact = EXACT.some((policy) => name.startsWith(`${policy} `));
        if (inDram ? !isExact : !mayBeLeft) assertEquals(isWritten, !inDram, `${name}: ${spelled} ${op}`);
        if (isWritten) written++;
        else left++;
      }
    }
  }
  assert(written > 0 && left > 0);
});

Deno.test("a plan has the time and memory of its written form", () => {
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
