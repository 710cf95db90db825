// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { idAt, type OpId } from "../../graph/graph.ts";
import { DispatchClock } from "../../optimal/dispatch/dispatch_clock.ts";
import { DispatchMoves } from "./move_op.ts";

/** At most two programs are ready, so that a few short ones already cause waits. */
const DISPATCH: DispatcherTimes = {
  dispatchMicroseconds: 4,
  leadMicroseconds: 8,
  readyPrograms: 2,
  gapMicroseconds: 0,
};

/** An op: µs of its programs, and by how many places before it the ops are that it must follow. */
interface Op {
  readonly times: readonly number[];
  readonly after: readonly number[];
}

function listed(ops: readonly Op[]) {
  const before = ops.map(({ after }, at) =>
    new Set(after.flatMap((back): OpId[] => back > at ? [] : [idAt(at - back)]))
  );
  return { times: ops.map(({ times }) => times), before, order: ops.map((_, at): OpId => idAt(at)) };
}

function endOf(times: readonly (readonly number[])[], order: readonly OpId[]): number {
  const clock = new DispatchClock(DISPATCH);
  for (const op of order) for (const us of times[op] ?? []) clock.run(us);
  return clock.end;
}

const isAllowed = (order: readonly OpId[], before: readonly ReadonlySet<OpId>[]): boolean =>
  order.every((op, at) => before[op]?.isSubsetOf(new Set(order.slice(0, at))));

/** Every order that keeps each op after those that it must follow. */
function* permutations(
  ops: readonly OpId[],
  before: readonly ReadonlySet<OpId>[],
  done: readonly OpId[] = [],
): Generator<readonly OpId[]> {
  if (ops.length === 0) yield done;
  for (const op of ops) {
    if (before[op]?.isDisjointFrom(new Set(ops)) !== true) continue;
    yield* permutations(ops.filter((other) => other !== op), before, [...done, op]);
  }
}

const anyOp: fc.Arbitrary<Op> = fc.record({
  times: fc.array(fc.constantFrom(0.5, 1, 2, 7, 15), { maxLength: 2 }),
  after: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
});

Deno.test("an improved order is valid, takes the clock's time, and no longer than before", () => {
  fc.assert(
    fc.property(fc.array(anyOp, { maxLength: 14 }), (ops) => {
      const { times, before, order } = listed(ops);
      const improved = new DispatchMoves(times, before, DISPATCH, Infinity).improve(order);
      assertEquals(improved.order.toSorted((a, b) => a - b), order);
      assert(isAllowed(improved.order, before));
      assertAlmostEquals(improved.microseconds, endOf(times, improved.order), 1e-9);
      assert(improved.microseconds <= endOf(times, order) + 1e-9);
    }),
    { seed: 7, numRuns: 400 },
  );
});

Deno.test("reordering saves two thirds of the optimum's saving for programs that wait", () => {
  let [saved, savable] = [0, 0];
  fc.assert(
    fc.property(fc.array(anyOp, { minLength: 4, maxLength: 7 }), (ops) => {
      const { times, before, order } = listed(ops);
      const improved = new DispatchMoves(times, before, DISPATCH, Infinity).improve(order);
      const most = endOf(times, order);
      saved += most - improved.microseconds;
      savable += most - Math.min(...[...permutations(order, before)].map((other) => endOf(times, other)));
    }),
    { seed: 7, numRuns: 300 },
  );
  assert(savable > 300 && saved > 0.65 * savable, `${saved} of ${savable}`);
});

Deno.test("long ops move to waiting short ones, within the limit of steps", () => {
  // Twelve short ops in a row, followed by long ones that do not depend on them.
  const { times, before, order } = listed([
    ...Array.from({ length: 12 }, (_, at): Op => ({ times: [1], after: at === 0 ? [] : [1] })),
    ...Array.from({ length: 6 }, (): Op => ({ times: [9], after: [] })),
  ]);
  const running = times.flat().reduce((sum, us) => sum + us);
  const waits = endOf(times, order) - running;
  const moves = new DispatchMoves(times, before, DISPATCH, Infinity);
  assert(moves.improve(order).microseconds <= running + waits / 4);
  assert(!moves.isSpent);
  const cut = new DispatchMoves(times, before, DISPATCH, 20);
  assert(cut.improve(order).microseconds > running + waits / 2);
  assert(cut.isSpent && cut.steps < 20 + 3 * order.length, `${cut.steps}`);
});
