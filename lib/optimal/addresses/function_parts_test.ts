// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { functionParts } from "./function_parts.ts";

const TENSOR = { shape: [64, 64], dataType: "bf16" } as const;

function partsOf(build: (builder: GraphBuilder) => void): readonly number[] {
  const builder = new GraphBuilder();
  build(builder);
  const opModel = new ToyOpModel();
  const cost = new ToyCostModel(opModel.layouts);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  return functionParts(evaluator, opRoles(evaluator));
}

Deno.test("functionParts() does not split a range of ops during which a second value waits", () => {
  const parts = partsOf((builder) => {
    const op = (...operands: ReturnType<typeof builder.op>[]) => builder.op("ttnn.toy", operands, TENSOR);
    const x = op(builder.argument(TENSOR));
    const main = op(op(x));
    const sum = op(main, x);
    builder.return(op(op(sum)));
  });
  // x | its first reader | while x waits: the second one and the sum | then one value each.
  assertEquals(parts, [1, 2, 2, 2, 3, 4]);
});

Deno.test("functionParts() keeps returned values live until the end, and ignores values without a producer", () => {
  const parts = partsOf((builder) => {
    const op = (...operands: ReturnType<typeof builder.op>[]) => builder.op("ttnn.toy", operands, TENSOR);
    const input = builder.argument(TENSOR);
    const first = op(input);
    const second = op(first, input);
    builder.return(first, op(second));
  });
  // The input counts in no part; the value that is returned first is still live when the last op runs.
  assertEquals(parts, [1, 2, 2]);
});
