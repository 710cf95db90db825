// SPDX-License-Identifier: Apache-2.0
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { idAt, type OpId } from "../../graph/graph.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { DispatchClock, type Kernel, kernelsOf } from "./dispatch_clock.ts";

/**
 * Another execution order for a program whose short kernels wait for the dispatcher. The dispatcher runs
 * ahead until its queue is full. While the queue has programs, the order takes short ops; when it is empty,
 * long ops, during which it fills again.
 *
 * Of either the first ready one is taken. Rejected: long ops that give the dispatcher most time with everything that must
 * precede them (90 lines); prefill layers take 0.3 % longer without at most.
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
  const input = fn.ops.map(({ id }) => id);
  const byOp = Map.groupBy(kernels, ({ op }) => op);
  const kernelsByOp = input.map((op) => byOp.get(op) ?? []);
  const clock = new DispatchClock(dispatch);
  for (const { microseconds } of kernels) clock.run(microseconds);
  const running = sumOf(kernels);
  if (clock.end <= running) return undefined;
  const made = alternating(kernelsByOp, before, dispatch);
  return made.microseconds >= clock.end ? undefined : made.order;
}

/** An order of ops, and when its last program ends. */
interface TimedOrder {
  readonly order: readonly OpId[];
  readonly microseconds: number;
}

/** The order of {@linkcode dispatchSchedule}. @param kernels per op */
function alternating(
  kernels: readonly (readonly Kernel[])[],
  before: readonly ReadonlySet<OpId>[],
  dispatch: DispatcherTimes,
): TimedOrder {
  const clock = new DispatchClock(dispatch);
  const after: OpId[][] = before.map(() => []);
  before.forEach((ops, op) => {
    for (const earlier of ops) after[earlier]?.push(idAt(op));
  });
  /** Per op: number of unscheduled predecessors. */
  const waiting = before.map((ops) => ops.size);
  /** Per op: µs by which it takes longer than dispatching it; negative for short ones. */
  const lead = kernels.map((own) => sumOf(own) - own.length * dispatch.dispatchMicroseconds);
  /** Ops that may come next, in the input's order. */
  const ready = before.map((_, op) => idAt<OpId>(op)).filter((op) => waiting[op] === 0);
  const order: OpId[] = [];
  let isFull = true;
  while (ready.length > 0) {
    const { readyPrograms } = clock;
    if (readyPrograms === 0) isFull = false;
    else if (readyPrograms >= dispatch.readyPrograms) isFull = true;
    const wanted = ready.findIndex((op) => isFull ? (lead[op] ?? 0) < 0 : (lead[op] ?? 0) > 0);
    const [op] = ready.splice(Math.max(0, wanted), 1);
    if (op === undefined) break;
    order.push(op);
    for (const { microseconds } of kernels[op] ?? []) clock.run(microseconds);
    for (const later of after[op] ?? []) {
      const left = (waiting[later] ?? 0) - 1;
      waiting[later] = left;
      if (left === 0) insertSorted(ready, later);
    }
  }
  return { order, microseconds: clock.end };
}

function sumOf(kernels: readonly Kernel[]): number {
  return kernels.reduce((sum, { microseconds }) => sum + microseconds, 0);
}

function insertSorted(ops: OpId[], op: OpId): void {
  const at = ops.findIndex((other) => other > op);
  ops.splice(at < 0 ? ops.length : at, 0, op);
}
