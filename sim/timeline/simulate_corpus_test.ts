// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseModule } from "../../lib/ir/mod.ts";
import { createWorkbench } from "../../pipeline/load.ts";
import { corpusFiles, corpusName, corpusTest, someOf } from "../../testing/corpus.ts";
import { getDevice } from "../devices/device_registry.ts";
import { simulateGraph } from "./simulate.ts";
import type { FunctionTimeline, Timeline } from "./timeline.ts";

/** Every dump, and every `stride`-th of the compiler's outputs. */
function inputs(stride: number): readonly { readonly path: string; readonly device: string }[] {
  const every = (folder: string) => corpusFiles(folder).filter((_, index) => index % stride === 0);
  return [
    ...corpusFiles("dumps/ttnn").map((path) => ({ path, device: "n150" })),
    ...every("lowered/models").map((path) => ({ path, device: "n150" })),
    ...every("lowered/models-blackhole").map((path) => ({ path, device: "p150" })),
  ];
}

function checkFunction(fn: FunctionTimeline, name: string): void {
  let clock = 0;
  for (const step of fn.steps) {
    const place = `${name} @${fn.name} step ${step.index} ${step.name}`;
    assert(Number.isFinite(step.deviceUs) && step.deviceUs >= 0 && step.gapUs >= 0, place);
    assertAlmostEquals(step.startUs, clock + step.gapUs, 1e-6, place);
    clock = step.startUs + step.deviceUs;
    // Faster than the memory or the matrix engine is impossible.
    assert(step.utilisation.dram <= 1 + 1e-9, `${place}: ${step.utilisation.dram} of the DRAM peak`);
    assert(step.utilisation.flops <= 1 + 1e-9, `${place}: ${step.utilisation.flops} of the FLOP peak`);
    const { fullnessPercent, largestFreePercent, tensorBytes, circularBufferBytes, peakBytes } = step.l1;
    assert(fullnessPercent >= 0 && fullnessPercent + largestFreePercent <= 100 + 1e-9, place);
    // They are of the moment that needs most room, the peak of the one with most bytes.
    assert(tensorBytes + circularBufferBytes <= peakBytes, place);
  }
  assertAlmostEquals(fn.totalUs, clock, 1e-6 * Math.max(1, clock), name);
  assert(fn.band.lowerUs <= fn.totalUs + 1e-6 && fn.totalUs <= fn.band.upperUs + 1e-6, name);
}

corpusTest("simulateGraph() keeps its invariants on real programs", () => {
  const files = inputs(12);
  assert(files.length > 20);
  let steps = 0;
  for (const { path, device } of files) {
    const name = corpusName(path);
    const module = parseModule(Deno.readTextFileSync(path), name);
    const workbench = createWorkbench(module, getDevice(device));
    const simulate = (options = {}): Timeline =>
      simulateGraph(workbench.binding.graph, undefined, workbench, options);
    const flow = simulate();
    const analytic = simulate({ network: "analytic" });
    const untraced = simulate({ traced: false });
    for (const fn of flow.functions) checkFunction(fn, name);
    for (const fn of untraced.functions) checkFunction(fn, name);
    assert(flow.inference.totalUs >= analytic.inference.totalUs - 1e-9, name);
    assert(untraced.inference.totalUs >= flow.inference.totalUs - 1e-6, name);
    // Warm caches must not change an answer.
    const again = simulate();
    assertEquals(again.inference, flow.inference, name);
    assertEquals(again.functions.map((fn) => fn.band), flow.functions.map((fn) => fn.band), name);
    steps += flow.functions.reduce((sum, fn) => sum + fn.steps.length, 0);
  }
  assert(steps > 10_000);
});

corpusTest("simulateGraph() reads the shards of a file that the compiler optimized", () => {
  for (const path of someOf(corpusFiles("dumps/ttnn").filter((file) => file.includes("opt2")))) {
    const workbench = createWorkbench(parseModule(Deno.readTextFileSync(path), path), getDevice("n150"));
    const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
    const steps = timeline.functions.flatMap((fn) => fn.steps);
    assert(
      steps.some((step) => step.outputLayouts.some((layout) => layout?.memoryLayout === "block_sharded")),
    );
    assert(timeline.peakL1Bytes > 0 && timeline.inference.totalUs > 0);
  }
});
