// SPDX-License-Identifier: Apache-2.0
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { idAt, type OpId } from "../../graph/graph.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { DispatchClock, type Kernel, kernelsOf } from "./dispatch_clock.ts";

/**
 * Another execution order for a program whose short kernels wait for the dispatcher. The dispatcher runs
 * ahead until its queue is full. While the queue has programs, the order takes the first ready op that is shorter than
 * its dispatch; once the queue is empty, the first ready one that is longer, until the queue is full again.
 *
 * Rejected: orders that compare long ops by the short ops that must run before each (110 lines): without them 6 of 140 plans
 * take longer, the most 0.9 % (n150 and p150).
 *
 * @param before per op: the ops that precede it in every order
 * @returns `undefined` if nothing waits, nothing is gained or the dispatcher's times are unknown
 */
export function dispatchSchedule(
  program: LayoutProgram,
  before: readonly ReadonlySet<OpId>[],
): readonly OpId[] | undefined {
  const { evaluator } = program;
  const { cost: { dispatch }, fn } = evaluator;
  if (dispatch === undefined) return undefined;
  const kernels = kernelsOf(program);
  const clock = new DispatchClock(dispatch);
  for (const { microseconds } of kernels) clock.run(microseconds);
  if (clock.end <= sumOf(kernels)) return undefined;
  const byOp = Map.groupBy(kernels, ({ op }) => op);
  const { order, endUs } = alternatingOrder(fn.ops.map(({ id }) => byOp.get(id) ?? []), before, dispatch);
  return endUs >= clock.end ? undefined : order;
}

/**
 * The order of {@linkcode dispatchSchedule}, and when its last program ends.
 *
 * @param kernels per op
 */
function alternatingOrder(
  kernels: readonly (readonly Kernel[])[],
  before: readonly ReadonlySet<OpId>[],
  dispatch: DispatcherTimes,
): { readonly order: readonly OpId[]; readonly endUs: number } {
  const clock = new DispatchClock(dispatch);
  const after = before.map((): OpId[] => []);
  before.forEach((ops, op) => {
    for (const earlier of ops) after[earlier]?.push(idAt(op));
  });
  /** Per op: µs by which it takes longer than dispatching it. */
  const lead = kernels.map((own) => sumOf(own) - own.length * dispatch.dispatchMicroseconds);
  /** Per op: number of unscheduled predecessors. */
  const waiting = before.map((ops) => ops.size);
  /** Ops that may come next, in the input's order. */
  const ready = before.map((_, op) => idAt<OpId>(op)).filter((op) => waiting[op] === 0);
  const order: OpId[] = [];
  let isFull = true;
  for (;;) {
    const { readyPrograms } = clock;
    if (readyPrograms === 0) isFull = false;
    else if (readyPrograms >= dispatch.readyPrograms) isFull = true;
    const op = ready.find((each) => isFull ? (lead[each] ?? 0) < 0 : (lead[each] ?? 0) > 0) ?? ready[0];
    if (op === undefined) return { order, endUs: clock.end };
    ready.splice(ready.indexOf(op), 1);
    order.push(op);
    for (const { microseconds } of kernels[op] ?? []) clock.run(microseconds);
    for (const later of after[op] ?? []) {
      const left = (waiting[later] ?? 0) - 1;
      waiting[later] = left;
      if (left > 0) continue;
      const at = ready.findIndex((other) => other > later);
      ready.splice(at < 0 ? ready.length : at, 0, later);
    }
  }
}

function sumOf(kernels: readonly Kernel[]): number {
  return kernels.reduce((sum, { microseconds }) => sum + microseconds, 0);
}
