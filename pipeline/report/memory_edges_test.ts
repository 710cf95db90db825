// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import { exampleTimeline } from "../../sim/testing/example_timeline.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { idOf } from "../../testing/ids.ts";
import { type MemoryEdge, memoryEdges } from "./memory_edges.ts";

/** Edges of the example's inference, after a change of its plan. */
function edges(change: (main: FunctionPlan) => FunctionPlan = (main) => main): readonly MemoryEdge[] {
  const { graph, plan, context } = exampleTimeline();
  const functions = plan.functions.map((fn) => fn.name === "main" ? change(fn) : fn);
  const timeline = simulateGraph(graph, { ...plan, functions }, context, { network: "analytic" });
  const [fn, simulated, decided] = [graph.functions[1], timeline.functions[1], functions[1]];
  assert(fn !== undefined && simulated !== undefined);
  return memoryEdges(fn, decided, simulated);
}

function ends({ producer, step, consumer, reason }: MemoryEdge): string {
  return `${producer} > ${step} ${reason} > ${consumer ?? "return"}`;
}

Deno.test("memoryEdges() leads from the step that makes a tensor over the copy to its first reader", () => {
  const [reshard, ...others] = edges();
  assert(reshard !== undefined);
  assertEquals(others, []);
  assertEquals(ends(reshard), "0 > 1 reshard > 2");
  assertEquals([reshard.value, reshard.from.split(" ")[0], reshard.to.split(" ")[0]], [
    "%0",
    "dram/interleaved",
    "l1/height_sharded/8x1",
  ]);
});

Deno.test("memoryEdges() follows a copy of a copy", () => {
  const chained = edges((main) => {
    const [first] = main.conversions;
    const layout = main.decisions[0]?.outputLayouts[0];
    assert(first !== undefined && layout !== undefined);
    return {
      ...main,
      conversions: [
        { ...first, layout: { ...layout, bufferType: "l1" } },
        { ...first, id: 1, source: { kind: "conversion", conversion: 0 }, beforeOp: idOf(1) },
      ],
      decisions: main.decisions.map((decision) =>
        decision.op === 1 ? { ...decision, operands: [{ kind: "conversion", conversion: 1 }] } : decision
      ),
    };
  });
  assertEquals(chained.slice(0, 2).map(ends), ["0 > 1 reshard > 2", "1 > 2 reshard > 3"]);
});

Deno.test("memoryEdges() counts memory ops of the input where they change something", () => {
  const { graph, plan, timeline } = exampleTimeline();
  const [fn, simulated] = [graph.functions[1], timeline.functions[1]];
  assert(fn !== undefined && simulated !== undefined);
  const edgesInto = (bufferType: "dram" | "system_memory") => {
    const steps = simulated.steps.map((step) => {
      const [layout] = step.inputLayouts;
      return step.name === "ttnn.from_device" && layout !== undefined
        ? { ...step, outputLayouts: [{ ...layout, bufferType }] }
        : step;
    });
    return memoryEdges(fn, plan.functions[1], { ...simulated, steps }).map(ends);
  };
  assertEquals(edgesInto("dram"), ["0 > 1 reshard > 2"]);
  assertEquals(edgesInto("system_memory"), ["0 > 1 reshard > 2", "3 > 4 from_device > return"]);
});
