// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { opGraph } from "../../../pipeline/report/op_graph.ts";
import { exampleTimeline } from "../../../sim/testing/example_timeline.ts";
import { graphSection } from "./graph_svg.ts";

/** Classes of the drawn nodes of the example's inference, with ops that the plan spilled. */
function drawnClasses(
  spilled: readonly number[],
): { readonly page: string; readonly classes: readonly string[] } {
  const { graph, plan, timeline } = exampleTimeline();
  const [fn, simulated, decided] = [graph.functions[1], timeline.functions[1], plan.functions[1]];
  assert(fn !== undefined && simulated !== undefined && decided !== undefined);
  const decisions = decided.decisions.map((decision) =>
    spilled.includes(decision.op) ? { ...decision, spilled: true as const } : decision
  );
  const drawn = opGraph(fn, { ...decided, decisions }, simulated);
  const page = graphSection({ name: fn.name, graph: drawn, openGraph: undefined, timeline: simulated }, 0);
  return { page, classes: [...page.matchAll(/class="(node [^"]*)"/g)].map(([, names = ""]) => names) };
}

Deno.test("graphSection() draws every node once, and arguments beside their readers", () => {
  const kinds = drawnClasses([]).classes.map((names) => /k-(\w+)/.exec(names)?.[1]);
  assertEquals(kinds.toSorted(), ["argument", "argument", "move", "move", "op", "op", "op", "return"]);
});

Deno.test("graphSection() marks just the nodes that had to leave L1, and explains the mark only then", () => {
  const marked = (ops: readonly number[]) => {
    const { page, classes } = drawnClasses(ops);
    const spilled = classes.filter((names) => names.split(" ").includes("spilled")).length;
    return [spilled, page.includes("spill, or moved out of L1")];
  };
  assertEquals(marked([]), [0, false]);
  assertEquals(marked([0]), [1, true]);
  assertEquals(marked([0, 1]), [2, true]);
});

Deno.test("graphSection() draws views lighter: ops of no time", () => {
  const { classes } = drawnClasses([]);
  assertEquals(classes.filter((names) => names.split(" ").includes("view")).length, 1);
});
