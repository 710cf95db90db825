// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { simulateMemory } from "../memory/plan_memory.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { getPolicy, policies } from "./policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "./options.ts";

const TENSOR = { shape: [1024, 1024], dataType: "bf16" } as const;

for (const policy of policies) {
  Deno.test(`${policy.name} plans a chain with a fork and returns DRAM`, () => {
    const builder = new GraphBuilder();
    const x = builder.argument(TENSOR);
    const a = builder.op("ttnn.relu", [x], TENSOR);
    const b = builder.op("ttnn.exp", [a], TENSOR);
    const c = builder.op("ttnn.add", [a, b], TENSOR);
    builder.return(c);
    const graph = builder.buildGraph();
    const { opModel, cost } = realModels();
    const plan = policy.decide({ graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS });
    const [fn] = graph.functions;
    const [functionPlan] = plan.functions;
    assert(fn !== undefined && functionPlan !== undefined);
    const { timeline, execution } = simulateMemory(fn, functionPlan, opModel, {
      cap: 0.95,
      constEvalL1Bytes: 0,
    });
    assert(timeline.placeable);
    for (const instance of execution.results) {
      assertEquals(execution.layouts[instance], fn.values[c]?.layout);
    }
  });
}

Deno.test("greedy keeps a chain in sharded L1", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const a = builder.op("ttnn.relu", [x], TENSOR);
  builder.return(builder.op("ttnn.exp", [a], TENSOR));
  const { opModel, cost } = realModels();
  const plan = getPolicy("greedy").decide({
    graph: builder.buildGraph(),
    opModel,
    cost,
    options: DEFAULT_POLICY_OPTIONS,
  });
  const decision = plan.functions[0]?.decisions[0];
  assertEquals(decision?.outputLayouts[0]?.memoryLayout, "block_sharded");
  assertEquals(plan.functions[0]?.conversions.map((conversion) => conversion.reason), ["reshard", "return"]);
});
