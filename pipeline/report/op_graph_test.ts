// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../../lib/ir/mod.ts";
import { exampleTimeline } from "../../sim/testing/example_timeline.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { createWorkbench } from "../load.ts";
import { type OpGraph, opGraph } from "./op_graph.ts";

function written(model: string): { readonly graph: OpGraph; readonly ops: number } {
  const path = `testdata/models/${model}.mlir`;
  const workbench = createWorkbench(
    parseModule(Deno.readTextFileSync(`${PROJECT_ROOT}/${path}`), path),
    getDevice("n150"),
  );
  const { graph } = workbench.binding;
  const timeline = simulateGraph(graph, undefined, workbench).functions.find(({ role }) =>
    role === "inference"
  );
  const fn = graph.functions.find(({ name }) => name === timeline?.name);
  assert(fn !== undefined && timeline !== undefined);
  // Handles of devices are not tensors.
  const ops =
    timeline.steps.filter(({ name }) => name.startsWith("ttnn.") && name !== "ttnn.get_device").length;
  return { graph: opGraph(fn, undefined, timeline), ops };
}

Deno.test("opGraph() connects ops through the copies of the plan, arguments beside their readers", () => {
  const { graph, plan, timeline } = exampleTimeline();
  const [fn, simulated, decided] = [graph.functions[1], timeline.functions[1], plan.functions[1]];
  assert(fn !== undefined && simulated !== undefined);
  const { sections: [section] } = opGraph(fn, decided, simulated);
  assert(section !== undefined);
  assertEquals(section.nodes.map(({ kind }) => kind), ["op", "move", "op", "op", "move", "return"]);
  assertEquals(section.edges.map(({ from, to, place }) => `${from} > ${to} ${place}`), [
    "step 0 > step 1 dram",
    "step 1 > step 2 l1_height_sharded",
    "step 2 > step 3 dram",
    "step 3 > step 4 dram",
    "step 4 > return dram",
  ]);
  const besides = section.nodes[0]?.besides.map(({ kind, tensor }) => `${kind} ${tensor.name}`);
  assertEquals(besides, ["argument %arg0", "argument %arg1"]);
});

Deno.test("opGraph() marks spills: ops that the plan spilled, and moves out of L1", () => {
  const { graph, plan, timeline } = exampleTimeline();
  const [fn, simulated, decided] = [graph.functions[1], timeline.functions[1], plan.functions[1]];
  assert(fn !== undefined && simulated !== undefined && decided !== undefined);
  const marked = (decisions: typeof decided.decisions, reason: "reshard" | "spill") => {
    const steps = simulated.steps.map((step) => step.kind === "conversion" ? { ...step, reason } : step);
    const [section] = opGraph(fn, { ...decided, decisions }, { ...simulated, steps }).sections;
    return section?.nodes.flatMap((node) => "isSpilled" in node && node.isSpilled ? [node.id] : []);
  };
  assertEquals(marked(decided.decisions, "reshard"), []);
  assertEquals(marked(decided.decisions, "spill"), ["step 1"]);
  const spilled = decided.decisions.map((decision, op) =>
    op === 1 ? { ...decision, spilled: true as const } : decision
  );
  assertEquals(marked(spilled, "reshard"), ["step 2"]);
});

Deno.test("opGraph() folds equal layers of a real model and loses no op", () => {
  const { graph: { sections }, ops } = written("vit_b");
  const nodes = sections.flatMap((section) => section.nodes);
  const stacks = nodes.flatMap((node) => node.kind === "layers" ? [node.layers] : []);
  assert(stacks.length > 0 && stacks.every(({ first, last, like }) => like < first && first <= last));
  const drawn = nodes.filter(({ kind }) => kind === "op" || kind === "move").length;
  const constants = new Set(
    nodes.flatMap(({ besides }) => besides.filter(({ kind }) => kind === "constant").map(({ step }) => step)),
  );
  assert(drawn < ops / 2);
  assertEquals(drawn + constants.size + stacks.reduce((sum, { ops }) => sum + ops, 0), ops);
  const ids = new Set(nodes.map(({ id }) => id));
  for (const { edges } of sections) {
    for (const { from, to } of edges) assert(ids.has(from) && ids.has(to) && from !== to);
  }
});

Deno.test("opGraph() draws every op of a long function, in sections", () => {
  const T = "tensor<32x32xbf16>";
  const ops = 3000;
  const lines = Array.from({ length: ops }, (_, op) => {
    const operand = op === 0 ? "%x" : `%${op - 1}`;
    return `    %${op} = "ttnn.${op % 2 === 0 ? "relu" : "neg"}"(${operand}) : (${T}) -> ${T}`;
  });
  const text = `func.func @main(%x: ${T}) -> ${T} {\n${lines.join("\n")}\n    return %${ops - 1} : ${T}\n}\n`;
  const workbench = createWorkbench(parseModule(text, "long.mlir"), getDevice("n150"));
  const { graph } = workbench.binding;
  const [fn, timeline] = [graph.functions[0], simulateGraph(graph, undefined, workbench).functions[0]];
  assert(fn !== undefined && timeline !== undefined);
  const { sections } = opGraph(fn, undefined, timeline, "open");
  const drawn = sections.flatMap(({ nodes }) => nodes).filter(({ kind }) => kind === "op").length;
  assertEquals(sections.length, Math.ceil(ops / 220));
  assertEquals(drawn, ops);
});
