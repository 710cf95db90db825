// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { type Advice, type AdviceTopic, advise } from "./advice.ts";
import { getDevice } from "../devices/device_registry.ts";
import { createCostModel } from "../cost/runtime.ts";
import { simulateGraph, type SimulationContext, type SimulationOptions } from "./simulate.ts";
import { exampleTimeline } from "../testing/example_timeline.ts";
import { plainOpModel } from "../testing/plain_op_model.ts";

function adviceOf(options: SimulationOptions = {}): readonly Advice[] {
  const { graph, timeline, context } = exampleTimeline(options);
  return advise(graph, timeline, context);
}

function topics(advice: readonly Advice[]): AdviceTopic[] {
  return [...new Set(advice.map((item) => item.topic))];
}

Deno.test("advise() speaks of host work and few cores, and of gaps only where there is no trace", () => {
  assertEquals(topics(adviceOf()), ["Fallback", "Core Usage"]);
  assertEquals(topics(adviceOf({ traced: false })), ["Fallback", "High Op-to-Op Gap", "Core Usage"]);
});

Deno.test("advise() promises for a trace what a trace really saves before the first host op", () => {
  const gap = adviceOf({ traced: false }).find((item) => item.topic === "High Op-to-Op Gap");
  const untraced = exampleTimeline({ traced: false }).timeline.inference.totalUs;
  const traced = exampleTimeline({ traced: true }).timeline.inference.totalUs;
  assertAlmostEquals(gap?.savedUs ?? 0, untraced - traced, 1e-9);
});

function llamaLike(layers: number): { context: SimulationContext; advice: readonly Advice[] } {
  const device = getDevice("n150");
  const opModel = plainOpModel(device);
  const cost = createCostModel({
    device,
    layouts: opModel.layouts,
    opModel,
  });
  const builder = new GraphBuilder("main");
  let x = builder.argument({ shape: [32, 4096], dataType: "bfp_bf8" });
  for (let layer = 0; layer < layers; layer++) {
    const w = builder.argument({ shape: [4096, 4096], dataType: "bfp_bf8" });
    x = builder.op("ttnn.matmul", [x, w], { shape: [32, 4096], dataType: "bfp_bf8" });
  }
  builder.return(x);
  const graph = builder.buildGraph();
  const context = { device, opModel, cost };
  return { context, advice: advise(graph, simulateGraph(graph, undefined, context), context) };
}

Deno.test("advise() says once what holds for every layer, with the sum of the savings", () => {
  const one = llamaLike(1).advice.filter((item) => item.topic === "Matmul Optimization");
  const four = llamaLike(4).advice.filter((item) => item.topic === "Matmul Optimization");
  assertEquals(four.map((item) => item.message), one.map((item) => item.message));
  four.forEach((item, index) => {
    assertEquals(item.steps.length, 4);
    const single = one[index]?.savedUs;
    if (single !== undefined) assertAlmostEquals(item.savedUs ?? 0, 4 * single, 1e-6);
  });
});

Deno.test("advise() never promises more than the step takes", () => {
  const { timeline } = exampleTimeline();
  const main = timeline.functions.find((fn) => fn.name === "main");
  for (const item of adviceOf()) {
    const steps = item.steps.map((index) => main?.steps[index]);
    const time = steps.reduce((sum, step) => sum + (step?.deviceUs ?? 0) + (step?.gapUs ?? 0), 0);
    assert((item.savedUs ?? 0) <= time + 1e-9);
  }
});

Deno.test("advise() begins with what saves most; what it cannot price comes last, by topic", () => {
  for (const advice of [adviceOf(), adviceOf({ traced: false }), llamaLike(3).advice]) {
    const saved = advice.map((item) => item.savedUs ?? 0);
    assertEquals(saved, [...saved].sort((a, b) => b - a));
  }
  const saved = adviceOf({ traced: false }).map((item) => item.savedUs ?? 0);
  assert(new Set(saved).size > 1, "the order is put to the test");
});
