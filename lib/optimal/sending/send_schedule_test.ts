// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { idAt, type OpId, type ValueId } from "../../graph/graph.ts";
import { l1Region, simulateL1Schedule } from "../../memory/l1_timeline.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opsBefore } from "../../search/op_order.ts";
import { opRoles } from "../../search/op_roles.ts";
import { ITSELF } from "../../search/program.ts";
import { kernelsOf, SendClock } from "./send_clock.ts";
import { reorderedAsSent, sendSchedule } from "./send_schedule.ts";

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
  const clock = new SendClock(dispatch);
  for (const { microseconds } of kernelsOf(program)) clock.run(microseconds);
  return clock.end;
}

Deno.test("sendSchedule() puts short kernels between long ones, so that none waits", () => {
  const { evaluator, roles, assignment, dispatch } = rows(12, 60);
  const input = LayoutProgram.fromAssignment(evaluator, assignment);
  const order = sendSchedule(input, opsBefore(evaluator, roles));
  assert(order !== undefined);
  assertEquals(order.toSorted((a, b) => a - b), input.schedule);
  const before = opsBefore(evaluator, roles);
  order.forEach((op, at) => assert(before[op]?.isSubsetOf(new Set(order.slice(0, at)))));
  const running = kernelsOf(input).reduce((sum, { microseconds }) => sum + microseconds, 0);
  const reordered = timeOf(LayoutProgram.fromAssignment(evaluator, assignment, order), dispatch);
  assert(timeOf(input, dispatch) > running * 1.01);
  assert(reordered < running * 1.001, `${reordered} µs, kernels alone ${running}`);
});

Deno.test("sendSchedule() runs the short kernels early that long ones wait for", () => {
  // After many short rows with separate arguments, one row that ends in large squares.
  const { evaluator, roles, assignment, dispatch } = benchOf((builder) => {
    const small = square(32);
    const ends = Array.from({ length: 12 }, () => rowOf(builder, builder.argument(small), small, 5));
    const wide = builder.op("ttnn.repeat", [rowOf(builder, builder.argument(small), small, 3)], square(2048));
    builder.return(...ends, rowOf(builder, wide, square(2048), 8));
  });
  const input = LayoutProgram.fromAssignment(evaluator, assignment);
  const order = sendSchedule(input, opsBefore(evaluator, roles));
  assert(order !== undefined);
  const running = kernelsOf(input).reduce((sum, { microseconds }) => sum + microseconds, 0);
  const waits = timeOf(input, dispatch) - running;
  const left = timeOf(LayoutProgram.fromAssignment(evaluator, assignment, order), dispatch) - running;
  assert(left < waits / 4, `${left} µs of ${waits} are left`);
});

Deno.test("sendSchedule() leaves alone what has one order, and what nothing waits in", () => {
  for (const [large, small] of [[0, 60], [12, 0], [12, 4]] as const) {
    const { evaluator, roles, assignment } = rows(large, small);
    const program = LayoutProgram.fromAssignment(evaluator, assignment);
    assertEquals(sendSchedule(program, opsBefore(evaluator, roles)), undefined);
  }
});

Deno.test("reorderedAsSent() keeps copies between those that they are made for", () => {
  const { evaluator, roles, assignment, dispatch } = rows(12, 60);
  const program = LayoutProgram.fromAssignment(evaluator, assignment);
  // Every tenth short result is copied for the following op.
  const short = evaluator.fn.ops.slice(12);
  for (let at = 0; at + 1 < short.length; at += 10) {
    const [made, next] = short.slice(at);
    const [value] = made?.results ?? [];
    if (value === undefined || next === undefined) continue;
    const { tensor } = evaluator.value(value);
    const dram = evaluator.declared[value];
    assert(tensor !== undefined && dram !== undefined);
    const layout = evaluator.interleaved(tensor, dram, "l1");
    const before = next.id;
    const copy = program.addCopy({ value, source: ITSELF, layout, before, reason: "reshard", note: "" });
    program.setSource(before, 0, copy);
  }
  const reordered = reorderedAsSent(program, roles);
  assert(reordered !== undefined);
  assertEquals(reordered.copies, program.copies);
  assert(timeOf(reordered, dispatch) < timeOf(program, dispatch));
  const order = reordered.schedule;
  const before = opsBefore(evaluator, roles);
  order.forEach((op, at) => assert(before[op]?.isSubsetOf(new Set(order.slice(0, at)))));
  for (const { value, before: place } of reordered.copies) {
    const maker = evaluator.producer(value);
    assert(maker !== undefined && order.indexOf(maker) < reordered.positionOf(place));
  }
});

/**
 * An order of all ops in which each comes after those that it must follow; of the possible next ops, the one
 * with the lowest rank.
 */
function orderBy(ranks: readonly number[], before: readonly ReadonlySet<OpId>[]): readonly OpId[] {
  const order: OpId[] = [];
  const open = new Set(before.keys().map((op): OpId => idAt(op)));
  while (open.size > 0) {
    const ready = [...open].filter((op) => before[op]?.isDisjointFrom(open) === true);
    const next = ready.reduce((a, b) => (ranks[b] ?? 0) < (ranks[a] ?? 0) ? b : a);
    open.delete(next);
    order.push(next);
  }
  return order;
}

Deno.test("reorderedAsSent() makes copies before every op that reads them, on random functions", () => {
  let reorderedPrograms = 0;
  const anyOp = fc.record({ reads: fc.nat(30), rank: fc.nat(11) });
  fc.assert(
    fc.property(
      fc.array(anyOp, { minLength: 60, maxLength: 90 }),
      fc.array(fc.nat(1000), { minLength: 200, maxLength: 200 }),
      (ops, ranks) => {
        const { evaluator, roles, assignment, dispatch } = benchOf((builder) => {
          const [small, large] = [square(32), square(2048)];
          const made = [builder.argument(small)];
          const ends = ops.map(({ reads, rank }) => {
            const value = made[made.length - 1 - reads % made.length];
            assert(value !== undefined);
            if (rank === 0) return rowOf(builder, builder.op("ttnn.repeat", [value], large), large, 1);
            const short = builder.op("ttnn.relu", [value], small);
            made.push(short);
            return short;
          });
          builder.return(...ends);
        });
        const turned = LayoutProgram.fromAssignment(evaluator, assignment)
          .inOrder(orderBy(ranks, opsBefore(evaluator, roles)));
        for (const { id, tensor, uses } of evaluator.fn.values) {
          const dram = evaluator.declared[id];
          const [first] = uses.map(({ op }) => op).sort((a, b) =>
            turned.positionOf(a) - turned.positionOf(b)
          );
          if (tensor === undefined || dram === undefined || first === undefined) continue;
          const layout = evaluator.interleaved(tensor, dram, "l1");
          const copy = turned.addCopy({
            value: id,
            source: ITSELF,
            layout,
            before: first,
            reason: "reshard",
            note: "",
          });
          for (const { op, operand } of uses) turned.setSource(op, operand, copy);
        }
        const reordered = reorderedAsSent(turned, roles);
        if (reordered === undefined) return;
        reorderedPrograms++;
        assert(timeOf(reordered, dispatch) < timeOf(turned, dispatch));
        // Throws if something is read that does not exist yet.
        const region = l1Region(evaluator.opModel.chip, 0.95, 0);
        simulateL1Schedule(reordered.l1Schedule(reordered.steps()), region);
      },
    ),
    { seed: 11, numRuns: 40 },
  );
  assert(reorderedPrograms > 5, `${reorderedPrograms} of 40`);
});
