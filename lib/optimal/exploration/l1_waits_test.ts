// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { opId } from "../../graph/graph.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { liveDuring } from "./l1_waits.ts";

Deno.test("liveDuring() lists what every order needs during an op, and tells readers before it from those after it", () => {
  const tensor = { shape: [64, 64], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const argument = builder.argument(tensor);
  const x = builder.op("ttnn.toy", [argument], tensor);
  const y = builder.op("ttnn.toy", [x], tensor);
  // May run before or after the op in question.
  const aside = builder.op("ttnn.toy", [x], tensor);
  const z = builder.op("ttnn.toy", [y], tensor);
  const joined = builder.op("ttnn.toy", [z, x], tensor);
  builder.return(builder.op("ttnn.toy", [joined, aside, argument], tensor));
  const opModel = new ToyOpModel();
  const cost = new ToyCostModel(opModel.layouts);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  assertEquals(liveDuring(evaluator, opId(evaluator.fn, 3)), [
    { value: argument, after: [1], before: new Set([0]) },
    { value: x, after: [2], before: new Set([0]) },
  ]);
});
