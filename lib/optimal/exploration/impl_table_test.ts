// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../../policy/options.ts";
import { SMALL_CHIP } from "../../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../limits.ts";
import { LayoutSpace } from "./layout_space.ts";
import type { Impl, ImplTable } from "./impl_table.ts";

const implsOf = ({ rows, smaller }: ImplTable): readonly Impl[] => [...rows, ...smaller];

/** Few layouts, so that everything can be tried. */
const OPTIONS: PolicyOptions = {
  ...DEFAULT_POLICY_OPTIONS,
  maxReshardCandidatesPerType: 1,
  maxLegalLayouts: 4,
};

const L1_KIB = 128;

/** A value that waits in L1 for the last of four ops, and the circular buffers of the third one, in KiB per core. */
function bench(buffersKib: number) {
  const chip = { ...SMALL_CHIP, workerGrid: { rows: 2, columns: 2 }, l1Size: L1_KIB * 1024 };
  const opModel = new ToyOpModel({
    // From DRAM to DRAM, so that nothing but its circular buffers takes L1.
    "ttnn.toy_large": {
      circularBufferBytes: () => buffersKib * 1024,
      legal: (inputs, output) => [...inputs, output].every((layout) => layout?.bufferType === "dram"),
    },
    "ttnn.toy_first": { legal: (_, output) => output.bufferType === "l1" },
    "ttnn.toy_last": { legal: ([skipped]) => skipped?.bufferType === "l1" },
  }, chip);
  const tensor = { shape: [64 * 32, 32], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const first = builder.op("ttnn.toy_first", [builder.argument(tensor)], tensor);
  const second = builder.op("ttnn.toy_small", [first], tensor);
  const third = builder.op("ttnn.toy_large", [second], tensor);
  builder.return(builder.op("ttnn.toy_last", [first, third], tensor));
  const cost = new ToyCostModel(opModel.layouts, chip);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, OPTIONS);
  const roles = opRoles(evaluator);
  const region = l1Region(chip, 1, 0);
  const space = new LayoutSpace(evaluator, roles, {
    combinations: DEFAULT_OPTIMIZER_LIMITS.combinations,
    l1Bytes: region.budget,
    planKind: "hinted",
  });
  return { evaluator, roles, region, space };
}

Deno.test("an op needs L1 for circular buffers with tensors in DRAM, and with the input's layout", () => {
  const { evaluator, space, region } = bench(100);
  let inDram = 0;
  for (const { id } of evaluator.fn.ops) {
    const table = space.table(id);
    for (const row of implsOf(table)) {
      const choice = space.choiceOf(table, row, "tried");
      const { ownPeakBytes } = evaluator.footprint(id, choice.inputs, choice);
      const operands = evaluator.operandL1Bytes(id, choice.inputs);
      assertEquals(row.l1Bytes, operands + ownPeakBytes);
      assert(row.l1Bytes > 0 && row.l1Bytes <= region.budget);
      if (operands + evaluator.l1Bytes(choice.outputs) === 0) inDram++;
    }
  }
  assert(inDram > 1, `${inDram} ways have everything in DRAM`);
});

Deno.test("a candidate that exceeds L1 by itself demands no L1 from other ops", () => {
  const { evaluator, space } = bench(L1_KIB + 1);
  const needs = evaluator.fn.ops.map(({ id }) => implsOf(space.table(id)).map(({ l1Bytes }) => l1Bytes));
  assert(needs[0]?.every((bytes) => bytes > 0));
  assert((needs[2]?.length ?? 0) > 0 && needs[2]?.every((bytes) => bytes === 0));
});
