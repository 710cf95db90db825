// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { opGraph } from "../../../pipeline/report/op_graph.ts";
import { exampleTimeline } from "../../../sim/testing/example_timeline.ts";
import { drawGraph, graphLegend } from "./graph_drawing.ts";

/** Classes of the drawn boxes of the example's inference, with ops that the plan spilled, and the legend. */
function drawn(
  spilled: readonly number[],
): { readonly classes: readonly string[][]; readonly legend: string } {
  const { graph, plan, timeline } = exampleTimeline();
  const [fn, simulated, decided] = [graph.functions[1], timeline.functions[1], plan.functions[1]];
  assert(fn !== undefined && simulated !== undefined && decided !== undefined);
  const decisions = decided.decisions.map((decision) =>
    spilled.includes(decision.op) ? { ...decision, spilled: true as const } : decision
  );
  const ops = opGraph(fn, { ...decided, decisions }, simulated);
  const boxes = drawGraph(ops, simulated).sections.flatMap((section) => section.boxes);
  return { classes: boxes.map(({ classes }) => classes.split(" ")), legend: graphLegend(ops, simulated) };
}

Deno.test("drawGraph() draws every node once, and arguments beside their readers", () => {
  const kinds = drawn([]).classes.map((names) => names.find((name) => name.startsWith("k-"))?.slice(2));
  assertEquals(kinds.toSorted(), ["argument", "argument", "move", "move", "op", "op", "op", "return"]);
});

Deno.test("drawGraph() marks just the nodes that had to leave L1, and the legend explains the mark only then", () => {
  const marked = (ops: readonly number[]) => {
    const { classes, legend } = drawn(ops);
    return [
      classes.filter((names) => names.includes("spilled")).length,
      legend.includes("spill, or moved out of L1"),
    ];
  };
  assertEquals(marked([]), [0, false]);
  assertEquals(marked([0]), [1, true]);
  assertEquals(marked([0, 1]), [2, true]);
});

Deno.test("drawGraph() draws views lighter: ops of no time", () => {
  assertEquals(drawn([]).classes.filter((names) => names.includes("view")).length, 1);
});
