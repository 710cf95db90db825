// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { Conversions } from "./conversions.ts";

Deno.test("no conversion leads from or to a layout larger than L1, and none is queried", () => {
  const tensor = { shape: [512, 512], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  builder.return(builder.op("ttnn.relu", [builder.argument(tensor)], tensor));
  const [fn] = builder.buildGraph().functions;
  assert(fn !== undefined);
  const { opModel, cost } = realModels();
  const asked = new Set<LayoutId | undefined>();
  const answer = opModel.queryOpConstraints.bind(opModel);
  // Both ways to ask: one that keeps the answer, and one that does not.
  opModel.queryOpConstraints = (...question) => {
    for (const layout of [...question[1], question[2]]) asked.add(layout);
    return answer(...question);
  };
  opModel.queryOnce = (...question) => opModel.queryOpConstraints(...question);
  const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
  const [dram] = evaluator.declared;
  assert(dram !== undefined);
  const targets = evaluator.catalog.reshardTargets(tensor, dram);
  const bytesOf = (layout: LayoutId) => evaluator.facts(layout).l1Bytes;
  const small = targets.toSorted((a, b) => bytesOf(a) - bytesOf(b))[0];
  const large = targets.toSorted((a, b) => bytesOf(b) - bytesOf(a))[0];
  assert(small !== undefined && large !== undefined && bytesOf(large) > 2 * bytesOf(small));

  const table = new Conversions(evaluator, bytesOf(large) - 1).table(tensor, [dram, small, large]);
  assert(table.microseconds(dram, small) < Infinity && table.microseconds(small, dram) < Infinity);
  for (const other of [dram, small]) {
    assertEquals(table.microseconds(other, large), Infinity);
    assertEquals(table.microseconds(large, other), Infinity);
  }
  assertEquals(table.microseconds(large, large), 0);
  assert(asked.has(small) && !asked.has(large));
});
