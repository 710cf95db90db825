// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../../layout/layout_table.ts";
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { present } from "../../../testing/present.ts";
import type { OpId } from "../../graph/graph.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { TOY_CHIP, ToyCostModel, ToyOpModel, type ToyRule } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import type { Assignment } from "../../search/impls.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";
import { unplaced } from "./address_search.ts";
import { PlacedProgram } from "./placed_program.ts";

const TENSOR = { shape: [64, 64], dataType: "bf16" } as const;

const choice = (inputs: LayoutIds, outputs: LayoutIds) => ({
  inputs,
  outputs,
  config: undefined,
  reasons: [],
});

/** The function of a builder with its layouts; `ttnn.large` does not fit, `ttnn.view` shares its operand's buffer. */
function studied(builder: GraphBuilder) {
  const rules: Readonly<Record<string, ToyRule>> = {
    "ttnn.large": { circularBufferBytes: () => TOY_CHIP.l1Size },
    "ttnn.view": { viewOf: 0 },
  };
  const opModel = new ToyOpModel(rules);
  const cost = new ToyCostModel(opModel.layouts);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const { fn } = evaluator;
  const region = l1Region(TOY_CHIP, 1, 0);
  const limits = { combinations: 100, planKind: "hinted", l1Bytes: region.budget } as const;
  const space = new LayoutSpace(evaluator, opRoles(evaluator), limits);
  const dram = evaluator.declared[present(fn.arguments[0])];
  assert(dram !== undefined);
  const l1 = evaluator.interleaved(TENSOR, dram, "l1");
  const conflict = (assignment: Assignment) =>
    new PlacedProgram(space, assignment, unplaced(fn.ops.map(({ id }): OpId => id)), () => l1)
      .conflict(region);
  return { fn, dram, l1, conflict };
}

Deno.test("values that wait beside a view's operand block the readers of the view", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const first = builder.op("ttnn.toy", [x], TENSOR);
  const second = builder.op("ttnn.toy", [first], TENSOR);
  const third = builder.op("ttnn.toy", [second], TENSOR);
  const joined = builder.op("ttnn.toy", [third, first], TENSOR);
  const view = builder.op("ttnn.view", [joined], TENSOR);
  builder.return(builder.op("ttnn.large", [view, x], TENSOR));
  const { dram, l1, conflict } = studied(builder);
  const found = conflict([
    choice([dram], [l1]),
    choice([l1], [l1]),
    choice([l1], [l1]),
    choice([l1, l1], [l1]),
    choice([l1], [l1]),
    choice([l1, dram], [dram]),
  ]);
  // The first result waits for the op whose result is viewed; for its own reader before it need not wait.
  assertEquals(found?.obstacles().waits, [[{ value: first, reader: 1 }]]);
});
