// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { l1Region } from "../memory/l1_timeline.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { SMALL_CHIP } from "../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel, type ToyRule } from "../propagation/testing/toy_models.ts";
import { choiceFor } from "../search/assignment.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import type { Assignment } from "../search/impls.ts";
import { LayoutOptimizer } from "./layout_optimizer.ts";

/**
 * An op that reads the result of another one, eight columns wide, so that rows have a quarter of the bytes of
 * tiles.
 */
function solved(eitherPages: boolean) {
  // With tiles in L1 its circular buffers do not fit.
  const rule: ToyRule = {
    eitherPages,
    circularBufferBytes: ([read]) =>
      read?.bufferType === "l1" && read.tile !== undefined ? SMALL_CHIP.l1Size : 4096,
  };
  const opModel = new ToyOpModel({ "ttnn.reader": rule }, SMALL_CHIP);
  const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
  const tensor = { shape: [4096, 8], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const made = builder.op("ttnn.maker", [builder.argument(tensor)], tensor);
  const reader = builder.op("ttnn.reader", [made], tensor);
  builder.return(reader);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const roles = opRoles(evaluator);
  const optimizer = new LayoutOptimizer(evaluator, roles, l1Region(SMALL_CHIP, 1, 0), "hinted");
  const readsRows = (assignment: Assignment): boolean => {
    const op = evaluator.producer(reader);
    assert(op !== undefined);
    const [read] = choiceFor(assignment, op).inputs;
    return read !== undefined && evaluator.layouts.get(read).tile === undefined;
  };
  return { best: optimizer.tighten("exact").assignment, own: optimizer.solveInOwnPages("exact"), readsRows };
}

Deno.test("LayoutOptimizer.solveInOwnPages() lets readers of either pages read what there would be without them", () => {
  const { best, own, readsRows } = solved(true);
  assert(readsRows(best) && own !== undefined && !readsRows(own));
  assertEquals(solved(false).own, undefined, "no op reads rows in place of tiles");
});
