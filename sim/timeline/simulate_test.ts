// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { GraphFunction } from "../../lib/graph/graph.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import { identityPlan } from "../../lib/plan/steps.ts";
import { getDevice } from "../devices/device_registry.ts";
import { createCostModel } from "../cost/runtime.ts";
import { planTimer, simulateFunction, simulateGraph, type SimulationContext } from "./simulate.ts";
import { plainOpModel } from "../testing/models.ts";
import { idOf } from "../../testing/ids.ts";

function contextOf(name: string, circularBufferBytes = 0): SimulationContext {
  const device = getDevice(name);
  const opModel = plainOpModel(device, circularBufferBytes);
  const cost = createCostModel({
    device,
    layouts: opModel.layouts,
    opModel,
  });
  return { device, opModel, cost };
}

/** `relu(x @ w)`, seen through a reshape, and read back. */
function smallModel(): GraphFunction {
  const builder = new GraphBuilder("main");
  const x = builder.argument({ shape: [256, 512], dataType: "bf16" });
  const w = builder.argument({ shape: [512, 1024], dataType: "bf16" });
  const y = builder.op("ttnn.matmul", [x, w], { shape: [256, 1024], dataType: "bf16" });
  const z = builder.op("ttnn.relu", [y], { shape: [256, 1024], dataType: "bf16" });
  const view = builder.op("ttnn.reshape", [z], { shape: [1, 256, 1024], dataType: "bf16" });
  builder.return(view);
  return builder.build();
}

Deno.test("simulateFunction() gives every op its estimate, views take no time and no launch", () => {
  const timeline = simulateFunction(smallModel(), undefined, contextOf("n150"));
  assertEquals(timeline.steps.map((step) => [step.name, step.shape]), [
    ["ttnn.matmul", "256 x 512 x 1024"],
    ["ttnn.relu", "256x1024"],
    ["ttnn.reshape", "1x256x1024"],
  ]);
  const [matmul, relu, reshape] = timeline.steps;
  assert(matmul && relu && reshape);
  assertEquals([reshape.deviceUs, reshape.gapUs], [0, 0]);
  assertEquals(matmul.flops, 2 * 256 * 512 * 1024);
  assertAlmostEquals(
    timeline.totalUs,
    matmul.estimate.microseconds + relu.estimate.microseconds,
    1e-9,
  );
  assertAlmostEquals(relu.startUs, matmul.startUs + matmul.deviceUs + relu.estimate.terms.launch, 1e-9);
  assert(timeline.band.lowerUs < timeline.totalUs && timeline.totalUs < timeline.band.upperUs);
});

Deno.test("simulateFunction() waits for the host when there is no trace", () => {
  const context = contextOf("n150");
  const traced = simulateFunction(smallModel(), undefined, context);
  const untraced = simulateFunction(smallModel(), undefined, context, { traced: false });
  assertAlmostEquals(untraced.deviceUs, traced.deviceUs, 1e-9);
  const host = context.device.dispatch.untracedHost;
  assertEquals(untraced.steps[0]?.startUs, host);
  // The second op is ready on the host after twice the host time; the device may be busy for longer.
  const end = host + (untraced.steps[0]?.deviceUs ?? 0);
  assertEquals(untraced.steps[1]?.startUs, Math.max(2 * host, end + context.device.dispatch.tracedGap));
});

Deno.test("simulateFunction() prices the conversions of a plan before the op that wants them", () => {
  const fn = smallModel();
  const context = contextOf("n150");
  const sharded = makeLayout(
    {
      shape: [256, 1024],
      dataType: "bf16",
      bufferType: "l1",
      memoryLayout: "height_sharded",
      grid: [8, 1],
    },
    { rows: 8, columns: 8 },
  );
  const base = identityPlan(fn);
  const plan = {
    ...base,
    conversions: [{
      id: 0,
      value: idOf(2),
      source: { kind: "value" } as const,
      layout: sharded,
      beforeOp: idOf(1),
      reason: "reshard" as const,
      note: "",
    }],
    decisions: base.decisions.map((decision) =>
      decision.op === 1
        ? { ...decision, operands: [{ kind: "conversion", conversion: 0 } as const] }
        : decision
    ),
  };
  const timeline = simulateFunction(fn, plan, context);
  assertEquals(timeline.steps.map((step) => step.kind), ["op", "conversion", "op", "op"]);
  const conversion = timeline.steps[1];
  assertEquals(conversion?.outputLayouts, [sharded]);
  assertEquals(timeline.steps[2]?.inputLayouts, [sharded]);
  assert((conversion?.estimate.microseconds ?? 0) > 0);
});

Deno.test("planTimer() finds the total of the timeline", () => {
  const fn = smallModel();
  const context = contextOf("n150");
  const plan = identityPlan(fn);
  const total = planTimer({ functions: [fn], constEvalL1Bytes: 0 }, context)(fn, plan);
  assert(total > 0);
  assertEquals(total, simulateFunction(fn, plan, context).totalUs);
});

Deno.test("simulateGraph() separates the work at load from that of an inference", () => {
  const main = smallModel();
  const weights = new GraphBuilder("main_const_eval_0", "const_eval");
  const w = weights.argument({ shape: [512, 1024], dataType: "bf16" });
  weights.return(weights.op("ttnn.relu", [w], { shape: [512, 1024], dataType: "bf16" }));
  const timeline = simulateGraph(
    { functions: [weights.build(), main], constEvalL1Bytes: 0 },
    undefined,
    contextOf("p150-13x10"),
  );
  assertEquals(timeline.functions.map((fn) => fn.role), ["once", "inference"]);
  assertEquals(timeline.inference.totalUs, timeline.functions[1]?.totalUs);
  assertEquals(timeline.once.totalUs, timeline.functions[0]?.totalUs);
});

Deno.test("simulateFunction() charges calls to the function that they call", () => {
  const builder = new GraphBuilder("main");
  const w = builder.argument({ shape: [512, 1024], dataType: "bf16" });
  const cached = builder.op("ttcore.load_cached", [w], { shape: [512, 1024], dataType: "bf16" }, {
    attributes: { callee: { kind: "symbol", name: "main_const_eval_0" } },
  });
  builder.return(cached);
  assertEquals(simulateFunction(builder.build(), undefined, contextOf("n150")).totalUs, 0);
});

/** `relu(relu(x))` with both results height-sharded over 8 cores of L1. */
function shardedModel(rows: number): GraphFunction {
  const tensor = { shape: [rows, 1024], dataType: "bf16" } as const;
  const layout = makeLayout(
    { ...tensor, bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
    { rows: 8, columns: 8 },
  );
  const builder = new GraphBuilder("main");
  const x = builder.argument(tensor);
  const y = builder.op("ttnn.relu", [x], tensor, { layouts: [layout] });
  builder.return(builder.op("ttnn.relu", [y], tensor, { layouts: [layout] }));
  return builder.build();
}

Deno.test("simulateFunction() replays L1 by address: tensors from the top, circular buffers from the base", () => {
  const context = contextOf("n150", 4096);
  const timeline = simulateFunction(shardedModel(256), undefined, context);
  const shard = 256 / 8 * 1024 * 2;
  const [first, second] = timeline.steps;
  assert(first && second);
  assertEquals([first.l1.beforeBytes, first.l1.tensorBytes, first.l1.circularBufferBytes], [0, shard, 4096]);
  assertEquals([second.l1.beforeBytes, second.l1.tensorBytes], [shard, 2 * shard]);
  assertEquals(second.l1.peakBytes, 2 * shard + 4096);
  assertEquals(timeline.peakL1Bytes, second.l1.peakBytes);
  const top = context.opModel.chip.l1Size - context.opModel.chip.l1SmallSize;
  assertEquals(second.l1.placements.map(({ address }) => address), [top - shard, top - 2 * shard]);
  assertEquals(timeline.verdict.status, "fits");
  assertEquals(timeline.steps.map((step) => step.shortage), [undefined, undefined]);
});

Deno.test("simulateFunction() names the step whose circular buffers reach a live tensor", () => {
  const timeline = simulateFunction(shardedModel(2048), undefined, contextOf("n150", 512 * 1024));
  assertEquals(timeline.verdict.status, "does_not_fit");
  assertEquals(timeline.steps.map((step) => step.shortage?.kind), [undefined, "circular_buffer_clash"]);
  const tight = simulateFunction(shardedModel(2048), undefined, contextOf("n150", 64 * 1024), {
    constEvalL1Bytes: 300 * 1024,
  });
  assertEquals(tight.verdict.status, "does_not_fit", "const-eval results take their part of L1");
});

Deno.test("simulateFunction() adds congestion to a layout change, except at the analytic level", () => {
  const fn = shardedModel(256);
  const context = contextOf("n150");
  const column = makeLayout(
    { shape: [256, 1024], dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 1] },
    { rows: 8, columns: 8 },
  );
  const base = identityPlan(fn);
  const plan = {
    ...base,
    conversions: [{
      id: 0,
      value: idOf(0),
      source: { kind: "value" } as const,
      layout: column,
      beforeOp: idOf(0),
      reason: "reshard" as const,
      note: "",
    }],
  };
  const analytic = simulateFunction(fn, plan, context, { network: "analytic" });
  const flow = simulateFunction(fn, plan, context, { network: "flow" });
  assert(flow.totalUs > analytic.totalUs);
  assertEquals(flow.steps[0]?.bound, "NOC");
  assertEquals(flow.dramBytes, analytic.dramBytes);
});

Deno.test("simulateGraph() runs only the traced part of a program from its trace", () => {
  const traced = smallModel();
  const graph = {
    functions: [
      { ...traced, name: "main" },
      { ...traced, name: "trace_0_main", kind: "trace_main" as const },
      { ...traced, name: "execute_trace_0_main", kind: "trace_execute" as const },
    ],
    constEvalL1Bytes: 0,
  };
  const context = contextOf("n150");
  const timeline = simulateGraph(graph, undefined, context);
  assertEquals(timeline.functions.map((fn) => [fn.role, fn.traced]), [
    ["inference", false],
    ["inference", true],
    ["wrapper", false],
  ]);
  assertEquals(timeline.traced, false);
  const [main, trace] = timeline.functions;
  assert(main && trace && main.gapUs > trace.gapUs);
  assertAlmostEquals(timeline.inference.totalUs, main.totalUs + trace.totalUs, 1e-9);
  assert(simulateGraph(graph, undefined, context, { traced: true }).traced);
});

Deno.test("simulateGraph() names ops of unknown time instead of counting them as 0 µs", () => {
  const builder = new GraphBuilder("main");
  const x = builder.argument({ shape: [64, 64], dataType: "bf16" });
  const y = builder.op("ttnn.matmul", [x], { shape: [64, 64], dataType: "bf16" });
  builder.return(builder.op("ttnn.relu", [y], { shape: [64, 64], dataType: "bf16" }));
  const graph = { functions: [builder.build()], constEvalL1Bytes: 0 };
  const { unpriced, inference } = simulateGraph(graph, undefined, contextOf("n150"));
  assertEquals(unpriced.map(({ name, op, reason }) => [name, op, reason]), [
    ["ttnn.matmul", 0, "ttnn.matmul: needs two operands and a result"],
  ]);
  assert(inference.totalUs > 0);
});

Deno.test("simulateGraph() reports its network level", () => {
  const builder = new GraphBuilder("main");
  const x = builder.argument({ shape: [32, 32], dataType: "bf16" });
  builder.return(builder.op("ttnn.relu", [x], { shape: [32, 32], dataType: "bf16" }));
  const networkOf = (options: Parameters<typeof simulateGraph>[3]) =>
    simulateGraph(builder.buildGraph(), undefined, contextOf("n150"), options).network;
  assertEquals([networkOf({}), networkOf({ network: "analytic" })], ["flow", "analytic"]);
});
