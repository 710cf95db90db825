// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseModule } from "../../lib/ir/mod.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { createWorkbench } from "../../pipeline/load.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { type Advice, type AdviceTopic, advise } from "./advice.ts";
import type { RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { getDevice } from "../devices/device_registry.ts";
import { createCostModel } from "../cost/runtime.ts";
import { simulateGraph, type SimulationContext, type SimulationOptions } from "./simulate.ts";
import { exampleTimeline } from "../testing/example_timeline.ts";
import { fixedCostModel, plainOpModel } from "../testing/models.ts";

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

Deno.test("advise() predicts the saving of a trace up to the first host op", () => {
  const gap = adviceOf({ traced: false }).find((item) => item.topic === "High Op-to-Op Gap");
  const untraced = exampleTimeline({ traced: false }).timeline.inference.totalUs;
  const traced = exampleTimeline({ traced: true }).timeline.inference.totalUs;
  assertAlmostEquals(gap?.savedUs ?? 0, untraced - traced, 1e-9);
});

/** Advice about the fidelity of one product of 32x4096 by 4096x4096. */
function fidelityAdvice(in0: DataType, in1: DataType, fidelity = "hifi4"): readonly string[] {
  const element = (type: DataType) => type.startsWith("bfp") ? `!ttcore.tile<32x32, ${type}>` : type;
  const layout = (rows: number, type: DataType) =>
    `#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<${rows}x128x!ttcore.tile<32x32, ${type}>, #dram>, <interleaved>>`;
  const row = `tensor<32x4096x${element(in0)}, #row>`;
  const square = `tensor<4096x4096x${element(in1)}, #square>`;
  const text = `#dram = #ttnn.buffer_type<dram>
#row = ${layout(1, in0)}
#square = ${layout(128, in1)}
func.func @main(%x: ${row}, %w: ${square}) -> ${row} {
  %0 = "ttnn.matmul"(%x, %w) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = ${fidelity}>, transpose_a = false, transpose_b = false}> : (${row}, ${square}) -> ${row}
  return %0 : ${row}
}
`;
  const workbench = createWorkbench(parseModule(text, "product.mlir"), getDevice("n150"));
  const { graph } = workbench.binding;
  return advise(graph, simulateGraph(graph, undefined, workbench), workbench)
    .map(({ message }) => message).filter((message) => message.includes("loses no precision"));
}

Deno.test("advise() offers the fidelity that the mantissas of a product's operands need, and none below", () => {
  assertEquals(fidelityAdvice("bfp_bf8", "bfp_bf8"), [
    "hifi4 is more than bfp_bf8 x bfp_bf8 needs; hifi2 loses no precision",
  ]);
  assertEquals(fidelityAdvice("bf16", "bfp_bf4"), [
    "hifi4 is more than bf16 x bfp_bf4 needs; lofi loses no precision",
  ]);
  assertEquals(fidelityAdvice("bf16", "bf16"), []);
  assertEquals(fidelityAdvice("bfp_bf8", "bfp_bf8", "hifi2"), []);
  assertEquals(fidelityAdvice("bf16", "bfp_bf4", "lofi"), []);
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

Deno.test("advise() merges equal advice of layers, with the sum of the savings", () => {
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

Deno.test("advise() sorts by saving; unpriced advice comes last, by topic", () => {
  for (const advice of [adviceOf(), adviceOf({ traced: false }), llamaLike(3).advice]) {
    const saved = advice.map((item) => item.savedUs ?? 0);
    assertEquals(saved, [...saved].sort((a, b) => b - a));
  }
  const saved = adviceOf({ traced: false }).map((item) => item.savedUs ?? 0);
  assert(new Set(saved).size > 1, "the order is put to the test");
});

/** Advice for one product that is followed by a copy, at given prices. */
function advicePriced(prices: Readonly<Record<string, Partial<RuntimeEstimate>>>): readonly Advice[] {
  const device = getDevice("n150");
  const opModel = plainOpModel(device);
  const context = { device, opModel, cost: fixedCostModel(prices, opModel) };
  const square = { shape: [64, 64], dataType: "bf16" } as const;
  const builder = new GraphBuilder("main");
  const product = builder.op("ttnn.matmul", [builder.argument(square), builder.argument(square)], square);
  builder.return(builder.op("ttnn.to_layout", [product], square));
  const graph = builder.buildGraph();
  const timeline = simulateGraph(graph, undefined, context, { network: "analytic" });
  return advise(graph, timeline, context);
}

/** An op on so many cores. */
function priced(microseconds: number, launch: number, more: Partial<RuntimeEstimate> = {}) {
  return { microseconds, cores: 64, terms: { launch, read: 0, compute: 0, write: 0 }, ...more };
}

Deno.test("advise() blames no host for the launches of an op of many programs", () => {
  const prices = { "ttnn.matmul": priced(120, 20), "ttnn.to_layout": priced(1, 0.5) };
  assertEquals(advicePriced(prices).map(({ topic }) => topic), []);
});

Deno.test("advise() speaks of layout changes from a twentieth of the time on", () => {
  const about = (us: number) =>
    advicePriced({ "ttnn.matmul": priced(100, 0), "ttnn.to_layout": priced(us, 0) })
      .filter(({ topic }) => topic === "Layout Changes").map(({ savedUs }) => savedUs);
  assertEquals(about(5.2), []);
  assertEquals(about(5.3), [5.3]);
});

Deno.test("advise() asks for more cores where products wait for compute, for compute and DRAM as well", () => {
  const onTen = (bound: RuntimeEstimate["bound"], cores: number) =>
    advicePriced({ "ttnn.matmul": priced(100, 0, { bound, cores }) })
      .map(({ message }) => message).filter((message) => message.startsWith("Increase the grid"));
  for (const bound of ["FLOP", "BOTH"] as const) {
    assertEquals(onTen(bound, 10), ["Increase the grid (currently 10 of 64 cores)"]);
    assertEquals(onTen(bound, 64), []);
  }
  assertEquals(onTen("DRAM", 10), []);
});

/** A result that the host reads and lays out in rows. */
const READ_BY_HOST = (() => {
  const type = (memory: string) =>
    `tensor<1024x1024xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, ${memory}>>`;
  const tiles = (memory: string) => `memref<32x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${memory}>>`;
  const [device, host] = [type(`${tiles("dram")}, <interleaved>`), type(tiles("system_memory"))];
  const rows = type("memref<1024x1024xbf16, #ttnn.buffer_type<system_memory>>");
  return `func.func @main(%x: ${device}) -> ${rows} {
  %0 = "ttnn.relu"(%x) : (${device}) -> ${device}
  %1 = "ttnn.from_device"(%0) : (${device}) -> ${host}
  %2 = "ttnn.to_layout"(%1) <{layout = #ttnn.layout<row_major>}> : (${host}) -> ${rows}
  return %2 : ${rows}
}
`;
})();

Deno.test("advise() counts a step that waits for the host once: not as a layout change as well", () => {
  const workbench = createWorkbench(parseModule(READ_BY_HOST, "host.mlir"), getDevice("n150"));
  const { graph } = workbench.binding;
  const timeline = simulateGraph(graph, undefined, workbench);
  const advice = advise(graph, timeline, workbench);
  assertEquals(advice.map(({ topic, steps }) => `${topic} ${steps}`), ["Fallback 1,2"]);
});
