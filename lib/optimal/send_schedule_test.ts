// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opsBefore } from "../search/op_order.ts";
import { opRoles } from "../search/op_roles.ts";
import { kernelsOf, SendClock } from "./send_clock.ts";
import { sendSchedule } from "./send_schedule.ts";

/** A row of large squares and behind it, from another argument, one of small squares. */
function rows(large: number, small: number) {
  const builder = new GraphBuilder();
  const ends = ([[large, 2048], [small, 32]] as const).map(([length, side]) => {
    const tensor = { shape: [side, side], dataType: "bf16" } as const;
    let value = builder.argument(tensor);
    for (let at = 0; at < length; at++) value = builder.op("ttnn.relu", [value], tensor);
    return value;
  });
  builder.return(...ends);
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const assignment = evaluator.fn.ops.map(({ id }) => evaluator.asInput(id));
  const { dispatch } = cost;
  assert(dispatch !== undefined);
  return { evaluator, roles: opRoles(evaluator), assignment, dispatch };
}

Deno.test("sendSchedule() puts short kernels between long ones, so that none waits", () => {
  const { evaluator, roles, assignment, dispatch } = rows(12, 60);
  const timeOf = (program: LayoutProgram): number => {
    const clock = new SendClock(dispatch);
    for (const { microseconds } of kernelsOf(program)) clock.run(microseconds);
    return clock.end;
  };
  const input = LayoutProgram.fromAssignment(evaluator, assignment);
  const order = sendSchedule(input, roles);
  assert(order !== undefined);
  assertEquals(order.toSorted((a, b) => a - b), input.schedule);
  const before = opsBefore(evaluator, roles);
  order.forEach((op, at) => assert(before[op]?.isSubsetOf(new Set(order.slice(0, at)))));
  const running = kernelsOf(input).reduce((sum, { microseconds }) => sum + microseconds, 0);
  const reordered = timeOf(LayoutProgram.fromAssignment(evaluator, assignment, order));
  assert(timeOf(input) > running * 1.01);
  assert(reordered < running * 1.001, `${reordered} µs, kernels alone ${running}`);
});

Deno.test("sendSchedule() leaves alone what has one order, and what nothing waits in", () => {
  for (const [large, small] of [[0, 60], [12, 0], [12, 4]] as const) {
    const { evaluator, roles, assignment } = rows(large, small);
    assertEquals(sendSchedule(LayoutProgram.fromAssignment(evaluator, assignment), roles), undefined);
  }
});
