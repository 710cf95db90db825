// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { idOf } from "../../testing/ids.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { mixesKinds } from "./joins.ts";
import { OpEvaluator } from "./op_evaluator.ts";

Deno.test("a join of operands of several kinds is refused for every result, and never queried", () => {
  let refused = 0;
  for (const count of [3, 12, 13, 20]) {
    const builder = new GraphBuilder();
    const tensor = { shape: [256, 64], dataType: "bf16" } as const;
    const operands = Array.from({ length: count }, () => builder.argument(tensor));
    const attributes = { dim: { kind: "integer", value: 1n, type: "si32" } } as const;
    builder.return(
      builder.op("ttnn.concat", operands, { shape: [256, 64 * count], dataType: "bf16" }, { attributes }),
    );
    const [fn] = builder.buildGraph().functions;
    assert(fn !== undefined);
    const { opModel, cost } = realModels();
    const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
    const join = idOf(0);
    const [value] = evaluator.op(join).operands;
    const declared = value === undefined ? undefined : evaluator.declared[value];
    assert(declared !== undefined);
    const hints = evaluator.offeredHints(join);
    for (const other of evaluator.catalog.reshardTargets(tensor, declared)) {
      const inputs = operands.map((_, operand) => operand === 1 ? other : declared);
      assert(mixesKinds(evaluator, inputs));
      for (const { layout } of [...hints.primary, ...hints.fallback]) {
        const answer = opModel.queryOpConstraints(evaluator.signature(join), inputs, layout, undefined);
        assertEquals(answer.status, "invalid");
        refused++;
      }
      const before = opModel.statistics.queries;
      assertEquals(evaluator.impls(join, inputs), []);
      assertEquals(opModel.statistics.queries, before);
    }
    assert(!mixesKinds(evaluator, operands.map(() => declared)));
  }
  assert(refused > 100, `${refused} questions`);
});
