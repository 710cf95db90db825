// SPDX-License-Identifier: Apache-2.0

/** What chain policies do if a better plan is known. */

import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import type { Graph } from "../graph/graph.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import { planToJson } from "../plan/plan_json.ts";
import { ToyCostModel } from "../propagation/testing/toy_models.ts";
import { chainIncumbents } from "./cheapest_plan.ts";
import { DEFAULT_POLICY_OPTIONS } from "./options.ts";
import { PlanPrices } from "./plan_prices.ts";
import type { PolicyContext } from "./policy.ts";
import { policy as bfInterleaved } from "./policies/bf_interleaved.ts";
import { policy as dfSharding } from "./policies/df_sharding.ts";
import { policy as dfSharding2 } from "./policies/df_sharding_2.ts";
import { policy as dram } from "./policies/dram.ts";
import { policy as greedyL1Interleaved } from "./policies/greedy_l1_interleaved.ts";
import { SMALL_OPS } from "./search_limits.ts";

function rowOf(ops: number): Graph {
  const builder = new GraphBuilder();
  const tensor = { shape: [64, 64], dataType: "bf16" } as const;
  let value = builder.argument(tensor);
  for (let op = 0; op < ops; op++) value = builder.op("ttnn.relu", [value], tensor);
  builder.return(value);
  return builder.buildGraph();
}

function contextOf(graph: Graph): PolicyContext {
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  return { graph, opModel, cost: new ToyCostModel(opModel.layouts), options: DEFAULT_POLICY_OPTIONS };
}

for (const policy of [dfSharding2, dfSharding, greedyL1Interleaved, bfInterleaved]) {
  Deno.test(`${policy.name} yields to an incumbent that takes no longer, and to no other`, () => {
    const context = contextOf(rowOf(3));
    const { graph: { functions: [fn] }, cost } = context;
    const [plan] = dram.decide(context).functions;
    assert(fn !== undefined && plan !== undefined);
    const besides = (microseconds: number) =>
      policy.decide(context, new Map([[fn, { plan, microseconds, cost }]]));
    assert(besides(0).functions[0] === plan);
    assertEquals(planToJson(besides(Infinity)), planToJson(policy.decide(context)));
  });
}

Deno.test("only chains of long functions have incumbents", () => {
  const incumbents = [SMALL_OPS, SMALL_OPS + 1].map((ops) => {
    const context = contextOf(rowOf(ops));
    return chainIncumbents(context, new PlanPrices(context), dram.decide(context)).size;
  });
  assertEquals(incumbents, [0, 1]);
});
