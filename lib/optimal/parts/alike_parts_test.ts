// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { GraphFunction } from "../../graph/graph.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { randomRules, SMALL_CHIP } from "../../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { alikeParts } from "./alike_parts.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../layout_optimizer.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";
import { layeredFunction } from "../testing/layered_functions.ts";

/** The alike parts of a function, by the ids of their ops. */
function partsOf(fn: GraphFunction): readonly (readonly (readonly number[])[])[] {
  const opModel = new ToyOpModel(randomRules(1), SMALL_CHIP);
  const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
  const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
  const roles = opRoles(evaluator);
  const { combinations } = DEFAULT_OPTIMIZER_LIMITS;
  const space = new LayoutSpace(evaluator, roles, { combinations, l1Bytes: 64 * 1024, freedom: "hinted" });
  return alikeParts(evaluator, roles, space);
}

Deno.test("alikeParts() finds layers though all read one value and each returns one, and takes the op before them in", () => {
  const { fn, borders } = layeredFunction(
    6,
    [{ operands: 1, readsShared: true }, { operands: 1, readsShared: false }],
    true,
  );
  const [layers, ...others] = partsOf(fn);
  assertEquals(others, []);
  assertEquals(borders.map((border) => border - 2), [4, 7, 10, 13, 16, 19]);
  // The operand of the first layers may be produced in other layouts, and the result of the last one is returned.
  assertEquals(layers, [[7, 8, 9, 10], [10, 11, 12, 13], [13, 14, 15, 16]]);
});

Deno.test("alikeParts() finds nothing where most ops are in parts like no other", () => {
  const builder = new GraphBuilder();
  let value = builder.argument({ shape: [512, 512], dataType: "bf16" });
  for (const columns of [512, 256, 128, 1024, 64, 32, 2048, 96]) {
    value = builder.op("ttnn.toy_unary", [value], { shape: [512, columns], dataType: "bf16" });
  }
  builder.return(value);
  assertEquals(partsOf(builder.build()), []);
});
