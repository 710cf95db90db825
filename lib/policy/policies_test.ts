// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { simulateMemory } from "../memory/plan_memory.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { TOY_CHIP, ToyCostModel, ToyOpModel } from "../propagation/testing/toy_models.ts";
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

Deno.test("an op that exceeds L1 with the input's layouts runs with others, if any fits", () => {
  const builder = new GraphBuilder();
  const inL1 = makeLayout(
    { ...TENSOR, bufferType: "l1", memoryLayout: "interleaved", grid: [8, 8] },
    TOY_CHIP.workerGrid,
  );
  const x = builder.argument(TENSOR, { layout: inL1 });
  builder.return(builder.op("ttnn.toy_large", [x], TENSOR));
  const graph = builder.buildGraph();
  const [fn] = graph.functions;
  const rules = {
    "ttnn.toy_large": {
      circularBufferBytes: ([input]: readonly (TtnnLayout | undefined)[]) =>
        input?.bufferType === "l1" ? 2 * TOY_CHIP.l1Size : 4096,
    },
  };
  for (const name of ["dram", "greedy", "beam-cost", "optimal", "auto"]) {
    const opModel = new ToyOpModel(rules);
    const cost = new ToyCostModel(opModel.layouts);
    const plan = getPolicy(name).decide({ graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS });
    const [functionPlan] = plan.functions;
    assert(fn !== undefined && functionPlan !== undefined);
    const { timeline } = simulateMemory(fn, functionPlan, opModel, { cap: 0.95, constEvalL1Bytes: 0 });
    assertEquals(timeline.oversized.length, 0, name);
  }
});
