// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { opId } from "../../graph/graph.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { waitsOf } from "./l1_waits.ts";

Deno.test("waitsOf() leaves out readers of the value, whose operand may be the waiting buffer itself", () => {
  const tensor = { shape: [64, 64], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const x = builder.op("ttnn.toy", [builder.argument(tensor)], tensor);
  const normed = builder.op("ttnn.toy", [x], tensor);
  const wide = builder.op("ttnn.toy", [normed], tensor);
  builder.return(builder.op("ttnn.toy", [wide, x], tensor));
  const opModel = new ToyOpModel();
  const cost = new ToyCostModel(opModel.layouts);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  assertEquals(waitsOf(evaluator, x), [[], [opId(evaluator.fn, 2)]]);
});
