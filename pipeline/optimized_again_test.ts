// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { isSharded } from "../lib/layout/ttnn_layout.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";

import { corpusTest, sharedPath } from "../testing/corpus.ts";
import { createWorkbench } from "./load.ts";
import { type Optimized, optimizeModule } from "./optimize.ts";
import { prepareGraph } from "./load_module.ts";

const N150 = getDevice("n150");

interface Decided extends Optimized {
  /** Predicted µs of an inference. */
  readonly totalUs: number;
  /** Products whose plan carries a program config and whose result is interleaved. */
  readonly blocksIntoPages: number;
}

/** What `optimize` does with a text, graph passes included. */
function decide(text: string): Decided {
  const { module } = prepareGraph(parseModule(text, "input.mlir"), N150, DEFAULT_PASS_OPTIONS);
  const workbench = createWorkbench(module, N150);
  const optimized = optimizeModule(workbench, getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
  const { totalUs } = simulateGraph(workbench.binding.graph, optimized.plan, workbench).inference;
  const blocksIntoPages = optimized.plan.functions.flatMap(({ decisions }) => decisions).filter(
    ({ config, outputLayouts: [layout] }) =>
      config?.kind === "matmul" && config.programConfig !== undefined && layout !== undefined &&
      !isSharded(layout),
  ).length;
  return { ...optimized, totalUs, blocksIntoPages };
}

const zoo = (name: string): string =>
  Deno.readTextFileSync(new URL(`../testdata/models/${name}.mlir`, import.meta.url));

for (const name of ["mnist", "segformer_block", "llama_3_2_1b_decode"]) {
  Deno.test(`the written text of ${name} cannot be optimized further`, () => {
    const first = decide(zoo(name));
    const again = decide(first.text);
    assert(again.totalUs >= first.totalUs * (1 - 1e-6), `${first.totalUs} µs, then ${again.totalUs}`);
  });
}

corpusTest("the blocks of a product for shards are written to pages where that spares a copy", () => {
  const path = "corpus/lowered/models/models__single_blocks_and_layers__qwen_2_5_0_5b_decode_block.mlir";
  const first = decide(Deno.readTextFileSync(sharedPath(...path.split("/"))));
  assert(first.blocksIntoPages > 0);
  const again = decide(first.text);
  assert(again.totalUs >= first.totalUs * (1 - 1e-6), `${first.totalUs} µs, then ${again.totalUs}`);
});
