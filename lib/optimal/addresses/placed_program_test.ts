// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { type OpId, opId } from "../../graph/graph.ts";
import { l1Region } from "../../memory/l1_timeline.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { TOY_CHIP, ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import type { LayoutIds } from "../../search/ways.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";
import { unplaced } from "./address_search.ts";
import { PlacedProgram } from "./placed_program.ts";

Deno.test("an operand that is no tensor keeps no earlier copies in the way of an op that does not fit", () => {
  const tensor = { shape: [64, 64], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const [device] = builder.multiOp("ttnn.get_device", [], [undefined]);
  const [x, scale, bias] = [0, 1, 2].map(() => builder.argument(tensor));
  assert(device !== undefined && x !== undefined && scale !== undefined && bias !== undefined);
  const scaled = builder.op("ttnn.toy", [x, scale], tensor);
  const biased = builder.op("ttnn.toy", [scaled, bias], tensor);
  const made = builder.op("ttnn.toy", [biased], tensor);
  builder.return(builder.op("ttnn.large", [made, device], tensor));

  const opModel = new ToyOpModel({ "ttnn.large": { circularBufferBytes: () => TOY_CHIP.l1Size } });
  const cost = new ToyCostModel(opModel.layouts);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const { fn } = evaluator;
  const region = l1Region(TOY_CHIP, 1, 0);
  const limits = { combinations: 100, freedom: "hinted", l1Bytes: region.budget } as const;
  const space = new LayoutSpace(evaluator, opRoles(evaluator), limits);
  const dram = evaluator.declared[x];
  assert(dram !== undefined);
  const l1 = evaluator.interleaved(tensor, dram, "l1");
  const choice = (inputs: LayoutIds, outputs: LayoutIds) => ({
    inputs,
    outputs,
    config: undefined,
    reasons: [],
  });
  // Scale and bias are copied to L1 for their readers.
  const assignment = [
    choice([], [undefined]),
    choice([dram, l1], [l1]),
    choice([l1, l1], [l1]),
    choice([l1], [l1]),
    choice([l1, undefined], [dram]),
  ];
  const placed = new PlacedProgram(space, assignment, unplaced(fn.ops.map(({ id }): OpId => id)), () => l1);
  const conflict = placed.conflict(region, fn.ops.map(() => 0), undefined);
  assertEquals(conflict?.op, opId(fn, 4));
  assertEquals(conflict?.obstacles().copies, []);
  assertEquals(conflict?.obstacles().copiesSoFar, [{ value: scale, layout: l1 }, {
    value: bias,
    layout: l1,
  }]);
});
