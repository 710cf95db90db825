// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import type { ValueId } from "../../graph/graph.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opsBefore } from "../../search/op_order.ts";
import { opRoles } from "../../search/op_roles.ts";
import { DispatchClock, kernelsOf } from "./dispatch_clock.ts";
import { dispatchSchedule } from "./dispatch_schedule.ts";

/** A row of large squares followed by a row of small squares with another argument. */
function rows(large: number, small: number) {
  return benchOf((builder) => {
    builder.return(...([[large, 2048], [small, 32]] as const).map(([length, side]) => {
      const tensor = square(side);
      return rowOf(builder, builder.argument(tensor), tensor, length);
    }));
  });
}

function square(side: number): TensorShape {
  return { shape: [side, side], dataType: "bf16" };
}

function rowOf(builder: GraphBuilder, start: ValueId, tensor: TensorShape, length: number): ValueId {
  let value = start;
  for (let at = 0; at < length; at++) value = builder.op("ttnn.relu", [value], tensor);
  return value;
}

function benchOf(make: (builder: GraphBuilder) => void) {
  const builder = new GraphBuilder();
  make(builder);
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const assignment = evaluator.fn.ops.map(({ id }) => evaluator.asInput(id));
  const { dispatch } = cost;
  assert(dispatch !== undefined);
  return { evaluator, roles: opRoles(evaluator), assignment, dispatch };
}

/** When the last kernel ends. */
function timeOf(program: LayoutProgram, dispatch: DispatcherTimes): number {
  const clock = new DispatchClock(dispatch);
  for (const { microseconds } of kernelsOf(program)) clock.run(microseconds);
  return clock.end;
}

Deno.test("dispatchSchedule() interleaves short kernels with long ones, so that none waits", () => {
  const { evaluator, roles, assignment, dispatch } = rows(12, 60);
  const input = LayoutProgram.fromAssignment(evaluator, assignment);
  const order = dispatchSchedule(input, opsBefore(evaluator, roles));
  assert(order !== undefined);
  assertEquals(order.toSorted((a, b) => a - b), input.schedule);
  const before = opsBefore(evaluator, roles);
  order.forEach((op, at) => assert(before[op]?.isSubsetOf(new Set(order.slice(0, at)))));
  const running = kernelsOf(input).reduce((sum, { microseconds }) => sum + microseconds, 0);
  const reordered = timeOf(LayoutProgram.fromAssignment(evaluator, assignment, order), dispatch);
  assert(timeOf(input, dispatch) > running * 1.01);
  assert(reordered < running * 1.001, `${reordered} µs, kernels alone ${running}`);
});

Deno.test("dispatchSchedule() moves short kernels forward that long ones depend on", () => {
  // After many short rows with separate arguments, one row that ends in large squares.
  const { evaluator, roles, assignment, dispatch } = benchOf((builder) => {
    const small = square(32);
    const ends = Array.from({ length: 12 }, () => rowOf(builder, builder.argument(small), small, 5));
    const wide = builder.op("ttnn.repeat", [rowOf(builder, builder.argument(small), small, 3)], square(2048));
    builder.return(...ends, rowOf(builder, wide, square(2048), 8));
  });
  const input = LayoutProgram.fromAssignment(evaluator, assignment);
  const order = dispatchSchedule(input, opsBefore(evaluator, roles));
  assert(order !== undefined);
  const running = kernelsOf(input).reduce((sum, { microseconds }) => sum + microseconds, 0);
  const waits = timeOf(input, dispatch) - running;
  const left = timeOf(LayoutProgram.fromAssignment(evaluator, assignment, order), dispatch) - running;
  assert(left < waits / 4, `${left} µs of ${waits} are left`);
});

Deno.test("dispatchSchedule() keeps functions with a single order or without waits", () => {
  for (const [large, small] of [[0, 60], [12, 0], [12, 4]] as const) {
    const { evaluator, roles, assignment } = rows(large, small);
    const program = LayoutProgram.fromAssignment(evaluator, assignment);
    assertEquals(dispatchSchedule(program, opsBefore(evaluator, roles)), undefined);
  }
});
