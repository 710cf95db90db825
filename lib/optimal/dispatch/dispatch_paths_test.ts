// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { createClock } from "../../../sim/timeline/device_clock.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { idAt, type OpId } from "../../graph/graph.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opsBefore } from "../../search/op_order.ts";
import { opRoles } from "../../search/op_roles.ts";
import type { Assignment } from "../../search/impls.ts";
import { LayoutOptimizer } from "../layout_optimizer.ts";

/** A square computed from others, by index in the list; `-1` is the argument. */
interface Square {
  readonly reads: readonly number[];
}

const SIDES = { short: 32, long: 1024 } as const;

/**
 * A function of squares, and what the search finds for it.
 *
 * @param beside long ops before them that are independent of the others
 */
function solved(size: keyof typeof SIDES, squares: readonly Square[], beside = 0) {
  const side = SIDES[size];
  const tensor = { shape: [side, side], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const large = { shape: [2048, 2048], dataType: "bf16" } as const;
  const others = Array.from(
    { length: beside },
    () => builder.op("ttnn.relu", [builder.argument(large)], large),
  );
  const x = builder.argument(tensor);
  const made = [x];
  for (const { reads } of squares) {
    const [first = x, second] = reads.map((read) => made[read + 1] ?? x);
    made.push(
      second === undefined
        ? builder.op("ttnn.relu", [first], tensor)
        : builder.op("ttnn.add", [first, second], tensor),
    );
  }
  const read = new Set(squares.flatMap(({ reads }) => reads));
  builder.return(...made.filter((_, at) => at > 0 && !read.has(at - 1)), ...others);
  return solvedFor(builder);
}

/** What the search finds for a function. */
function solvedFor(builder: GraphBuilder) {
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const roles = opRoles(evaluator);
  const optimizer = new LayoutOptimizer(evaluator, roles, l1Region(opModel.chip, 0.95, 0), "hinted");
  const exact = optimizer.tighten("exact");
  const dispatched = optimizer.solveWithDispatch("sent", roles, exact);
  return { evaluator, roles, exact, dispatched, bound: Math.max(0, ...dispatched.map(({ bound }) => bound)) };
}

function chain(length: number): readonly Square[] {
  return Array.from({ length }, (_, op) => ({ reads: [op - 1] }));
}

/** µs of an assignment in some order of ops, by the clock of the simulator. */
function clocked(
  { evaluator }: ReturnType<typeof solved>,
  assignment: Assignment,
  order: readonly OpId[],
): number {
  const device = getDevice("n150");
  const clock = createClock(true, device);
  const program = LayoutProgram.fromAssignment(evaluator, assignment, order);
  let end = 0;
  for (const step of program.steps()) {
    const microseconds = step.kind === "op"
      ? program.opMicroseconds(step.op)
      : program.copyMicroseconds(step.copy);
    const { startUs, deviceUs } = clock({
      microseconds,
      bound: "SLOW",
      terms: { launch: device.dispatch.tracedGap },
    });
    if (microseconds > 0) end = startUs + deviceUs;
  }
  return end;
}

function inputOrder({ evaluator }: ReturnType<typeof solved>): readonly OpId[] {
  return evaluator.fn.ops.map(({ id }) => id);
}

Deno.test("consecutive short kernels take the dispatcher's time, and the bound includes it", () => {
  const found = solved("short", chain(40));
  const { programSend, tracedGap } = getDevice("n150").dispatch;
  const { assignment } = found.exact;
  const us = clocked(found, assignment, inputOrder(found));
  assert(found.exact.bound < 40 * programSend);
  // All but the launch of the first program.
  assertAlmostEquals(found.bound, us - tracedGap, 1e-3);
});

Deno.test("unjoined chains of short kernels take the dispatcher's time in every order", () => {
  const rows = Array.from(
    { length: 40 },
    (_, op): Square => ({ reads: [op % 10 === 0 ? -1 : op - 1] }),
  );
  const found = solved("short", rows);
  const { programSend, launchSlots } = getDevice("n150").dispatch;
  const us = clocked(found, found.exact.assignment, inputOrder(found));
  assertAlmostEquals(found.bound, (40 - launchSlots) * programSend, 1e-3);
  assert(found.exact.bound < found.bound && found.bound <= us && us < found.bound + 2 * programSend);
});

Deno.test("the dispatch bound covers functions of thousands of ops", () => {
  const found = solved("short", chain(2200));
  const us = clocked(found, found.exact.assignment, inputOrder(found));
  assertAlmostEquals(found.bound / us, 1, 1e-3);
});

Deno.test("a long kernel beside short ones stalls the dispatcher at any position", () => {
  const { dispatchMicroseconds: dispatch = 0, readyPrograms = 0 } = realModels().cost.dispatch ?? {};
  const short = solved("short", chain(40));
  const found = solved("short", chain(40), 1);
  const { assignment } = found.exact;
  const us = LayoutProgram.fromAssignment(found.evaluator, assignment).opMicroseconds(idAt(0));
  const unsent = us - readyPrograms * dispatch;
  assert(unsent > dispatch);
  assert(found.bound > found.exact.bound && found.bound > short.bound + 0.9 * unsent);
  const times = Array.from({ length: 41 }, (_, place) => {
    const others = inputOrder(found).filter((op) => op !== 0);
    return clocked(found, assignment, others.toSpliced(place, 0, idAt(0)));
  });
  assert(found.bound <= Math.min(...times) && Math.min(...times) <= 1.1 * found.bound);
});

Deno.test("chains that wait are bounded up to their common join, after ops longer than their dispatch", () => {
  const tensor = { shape: [32, 32], dataType: "bf16" } as const;
  const wide = { shape: [32, 8192], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const rows = Array.from({ length: 24 }, () => {
    let made = builder.argument(tensor);
    for (let at = 0; at < 8; at++) made = builder.op("ttnn.relu", [made], tensor);
    return made;
  });
  const ends = rows.map((row) => builder.op("ttnn.matmul", [row, builder.argument(wide)], wide));
  const all = { shape: [32 * rows.length, 8192], dataType: "bf16" } as const;
  const joined = builder.op("ttnn.concat", ends, all, {
    attributes: { dim: { kind: "integer", value: 0n, type: "si32" } },
  });
  const square = { shape: [8192, 8192], dataType: "bf16" } as const;
  let behind = joined;
  for (let at = 0; at < 8; at++) behind = builder.op("ttnn.matmul", [behind, builder.argument(square)], all);
  builder.return(behind);
  const found = solvedFor(builder);
  const us = clocked(found, found.exact.assignment, inputOrder(found));
  assert(
    found.exact.bound < found.bound && found.bound <= us,
    `${found.exact.bound} < ${found.bound} <= ${us}`,
  );
});

Deno.test("long kernels hide dispatch", () => {
  assertEquals(solved("long", chain(12)).dispatched, []);
});

/**
 * Functions of up to 60 ops in which rows of ops that read one value alternate with joins of their ends, or end
 * there.
 */
const layeredSquares: fc.Arbitrary<readonly Square[]> = fc.array(
  fc.record({
    rows: fc.integer({ min: 1, max: 3 }),
    length: fc.integer({ min: 1, max: 6 }),
    joins: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
).map((layers) => {
  const squares: Square[] = [];
  let last = -1;
  for (const { rows, length, joins } of layers) {
    const ends = Array.from({ length: rows }, () => {
      let read = last;
      for (let at = 0; at < length; at++) read = squares.push({ reads: [read] }) - 1;
      return read;
    });
    last = !joins ? ends[0] ?? last : ends.reduce((sum, end) => squares.push({ reads: [sum, end] }) - 1);
  }
  return squares;
});

Deno.test("no order of ops undercuts the dispatch bound, on random functions", () => {
  let raised = 0;
  fc.assert(
    fc.property(layeredSquares, fc.nat(1), fc.infiniteStream(fc.nat()), (squares, beside, picks) => {
      const found = solved("short", squares, beside);
      const { evaluator, roles, exact, dispatched, bound } = found;
      if (bound > exact.bound) raised++;
      const before = opsBefore(evaluator, roles);
      for (const { assignment } of [exact, ...dispatched]) {
        for (let orders = 0; orders < 4; orders++) {
          const left = new Set(inputOrder(found));
          const order: OpId[] = [];
          while (left.size > 0) {
            const ready = [...left].filter((op) => before[op]?.isDisjointFrom(left) === true);
            const op = ready[picks.next().value % ready.length];
            if (op === undefined) break;
            left.delete(op);
            order.push(op);
          }
          const us = clocked(found, assignment, order);
          assert(bound <= us * (1 + 1e-9), `${bound} µs is more than ${us}`);
        }
      }
    }),
    { numRuns: 40, seed: 31 },
  );
  assert(raised >= 15, `only ${raised} of 40 bounds are above those without waits`);
});
