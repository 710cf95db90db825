// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { opGraph, type OpGraphEdge, type OpGraphNode } from "../../../pipeline/report/op_graph.ts";
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

Deno.test("drawGraph() leaves ops beside a layer outside of its frame", () => {
  const { timeline: { functions: [, timeline] } } = exampleTimeline();
  assert(timeline !== undefined);
  const node = (id: string): OpGraphNode => ({ id, kind: "return", place: "dram", besides: [] });
  const edge = (from: string, to: string): OpGraphEdge => ({ from, to, place: "dram", tensors: [] });
  // A fork into two branches of three: the layer is the left one up to the row where the right one joins it.
  const names = ["fork", "left1", "left2", "right1", "right2", "join"];
  const edges = [["fork", "left1"], ["left1", "left2"], ["fork", "right1"], ["right1", "right2"], [
    "left2",
    "join",
  ]];
  const sections = [{
    nodes: names.map(node),
    edges: [...edges.map(([from = "", to = ""]) => edge(from, to)), edge("right2", "join")],
    layers: [{ stack: 0, number: 1, count: 2, nodes: ["left1", "left2", "right2"] }],
  }];
  const [drawn] = drawGraph({ sections }, timeline).sections;
  const [frame] = drawn?.frames ?? [];
  assert(drawn !== undefined && frame !== undefined);
  const corners = [...frame.d.matchAll(/([MHV])([\d.]+)(?: ([\d.]+))?/g)];
  let [x, y] = [0, 0];
  const outline = corners.map(([, to, first = "", second = ""]) => {
    if (to !== "V") x = Number(first);
    if (to !== "H") y = Number(to === "M" ? second : first);
    return [x, y] as const;
  });
  // A point is inside if a line to its right crosses the outline an odd number of times.
  const isInside = (atX: number, atY: number): boolean =>
    outline.filter(([x1, y1], index) => {
          const [, y2] = outline[(index + 1) % outline.length] ?? [x1, y1];
          return x1 > atX && (y1 > atY) !== (y2 > atY);
        }).length % 2 === 1;
  const inside = drawn.boxes.flatMap((box, index) => {
    const isIn = isInside(box.x + box.width / 2, box.y + box.height / 2);
    return isIn ? [names[index]] : [];
  });
  assertEquals(inside, ["left1", "left2", "right2"]);
});
