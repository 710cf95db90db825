// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import * as v from "valibot";
import { parseModule } from "../../lib/ir/mod.ts";
import { createWorkbench } from "../../pipeline/load.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { getDevice } from "../devices/device_registry.ts";
import { exampleTimeline } from "../testing/example_timeline.ts";
import { simulateGraph } from "../timeline/simulate.ts";
import { modelExplorer } from "./model_explorer.ts";

const attributes = v.array(v.strictObject({ key: v.string(), value: v.string() }));

/** What Model Explorer's own declaration of an input graph asks for (model-explorer:input-graph). */
const schema = v.strictObject({
  label: v.string(),
  graphs: v.array(v.strictObject({
    id: v.string(),
    nodes: v.array(v.strictObject({
      id: v.string(),
      label: v.string(),
      namespace: v.string(),
      subgraphIds: v.optional(v.array(v.string())),
      attrs: attributes,
      incomingEdges: v.array(v.strictObject({
        sourceNodeId: v.string(),
        sourceNodeOutputId: v.string(),
        targetNodeInputId: v.string(),
      })),
      outputsMetadata: v.array(v.strictObject({ id: v.string(), attrs: attributes })),
      style: v.strictObject({ backgroundColor: v.string(), borderColor: v.string() }),
    })),
  })),
});

/** Every edge and subgraph must lead somewhere, and ids must be unique. */
function assertConnected(document: v.InferOutput<typeof schema>): void {
  const graphs = new Set(document.graphs.map(({ id }) => id));
  for (const { id, nodes } of document.graphs) {
    const outputs = new Map(
      nodes.map((node) => [node.id, new Set(node.outputsMetadata.map((output) => output.id))]),
    );
    assertEquals(outputs.size, nodes.length, `ids of ${id}`);
    for (const node of nodes) {
      for (const { sourceNodeId, sourceNodeOutputId } of node.incomingEdges) {
        assert(outputs.get(sourceNodeId)?.has(sourceNodeOutputId), `${node.id} reads ${sourceNodeId}`);
      }
      for (const subgraph of node.subgraphIds ?? []) assert(graphs.has(subgraph));
    }
  }
}

Deno.test("modelExplorer() writes the structure that Model Explorer declares", () => {
  const { graph, plan, timeline } = exampleTimeline();
  const document = v.parse(
    schema,
    JSON.parse(JSON.stringify(modelExplorer(graph, plan, timeline, "x.mlir"))),
  );
  assertConnected(document);
  const [main, once] = document.graphs;
  assertEquals([document.label, main?.id, once?.id], ["x.mlir", "main", "main_const_eval_0"]);
  const edges = main?.nodes.flatMap(({ id, incomingEdges }) =>
    incomingEdges.map(({ sourceNodeId, targetNodeInputId }) => `${sourceNodeId} > ${id}:${targetNodeInputId}`)
  );
  assertEquals(edges, [
    "argument 0 > op 0:0",
    "argument 1 > op 0:1",
    "op 0 > copy 0:0",
    "copy 0 > op 1:0",
    "op 1 > op 2:0",
    "op 2 > op 3:0",
    "op 3 > return:0",
  ]);
  const [x, w, matmul, copy, relu] = main?.nodes ?? [];
  assertEquals([x?.namespace, w?.namespace], ["", "parameters"]);
  assertEquals(matmul?.attrs.find(({ key }) => key === "location")?.value, "fc1");
  assertEquals([copy?.label, relu?.label], ["reshard", "ttnn.relu"]);
  assertEquals(copy?.outputsMetadata[0]?.attrs, [
    { key: "__tensor_tag", value: "%0" },
    { key: "tensor_shape", value: "bf16[1024,1024]" },
    { key: "layout", value: "l1/height_sharded/8x1" },
  ]);
});

Deno.test("modelExplorer() groups repeated layers of a real model and links const-eval functions", () => {
  const device = getDevice("n150");
  const path = "testdata/models/bert_base.mlir";
  const text = Deno.readTextFileSync(`${PROJECT_ROOT}/${path}`);
  const workbench = createWorkbench(parseModule(text, path), device);
  const { graph } = workbench.binding;
  const timeline = simulateGraph(graph, undefined, workbench);
  const document = v.parse(schema, modelExplorer(graph, undefined, timeline, path));
  assertConnected(document);
  const [main] = document.graphs;
  const layers = Map.groupBy(main?.nodes ?? [], ({ namespace }) => /layer \d+$/.exec(namespace)?.[0]);
  const counts = [...layers].filter(([name]) => name !== undefined).map(([, nodes]) => nodes.length);
  assert(counts.length >= 2 && Math.min(...counts) >= 4, `${counts}`);
});
