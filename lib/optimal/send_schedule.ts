// SPDX-License-Identifier: Apache-2.0
import { idAt, type OpId } from "../graph/graph.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { opsBefore } from "../search/op_order.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { type Kernel, kernelsOf, SendClock } from "./send_clock.ts";

/**
 * Another execution order for a program whose short kernels wait for the dispatcher, which stops while as many programs are
 * ready as the cores keep. Once all are, ops come that take less than sending them does, until none is; then such that take
 * longer, until all are; the first one of each that may come next. What {@linkcode opsBefore} says stays in the input's
 * order.
 *
 * @returns `undefined` where nothing waits, nothing is gained or nobody knows what the dispatcher needs
 */
export function sendSchedule(program: LayoutProgram, roles: OpRoles): readonly OpId[] | undefined {
  const { evaluator } = program;
  const { cost: { dispatch }, fn } = evaluator;
  if (dispatch === undefined) return undefined;
  const kernels = kernelsOf(program);
  const byOp = Map.groupBy(kernels, ({ op }) => op);
  const run = (clock: SendClock, own: readonly Kernel[]): void => {
    for (const { microseconds } of own) clock.run(microseconds);
  };
  const timeOf = (order: readonly OpId[]): number => {
    const clock = new SendClock(dispatch);
    for (const op of order) run(clock, byOp.get(op) ?? []);
    return clock.end;
  };
  const input = fn.ops.map(({ id }) => id);
  const inOrder = timeOf(input);
  const running = input.reduce((sum, op) => sum + sumOf(byOp.get(op) ?? []), 0);
  if (inOrder <= running) return undefined;
  const before = opsBefore(evaluator, roles);
  const after: OpId[][] = before.map(() => []);
  before.forEach((ops, op) => {
    for (const earlier of ops) after[earlier]?.push(idAt(op));
  });
  const waiting = before.map((ops) => ops.size);
  const ready = input.filter((op) => waiting[op] === 0);
  /** µs by which an op takes longer than it takes to send it. */
  const lead = input.map((op) => {
    const own = byOp.get(op) ?? [];
    return sumOf(own) - own.length * dispatch.sendMicroseconds;
  });
  const clock = new SendClock(dispatch);
  const order: OpId[] = [];
  let isFull = true;
  while (ready.length > 0) {
    const { readyPrograms } = clock;
    if (readyPrograms === 0 || readyPrograms === dispatch.readyPrograms) isFull = readyPrograms > 0;
    const wanted = ready.findIndex((op) => isFull ? (lead[op] ?? 0) < 0 : (lead[op] ?? 0) > 0);
    const [op] = ready.splice(Math.max(0, wanted), 1);
    if (op === undefined) break;
    order.push(op);
    run(clock, byOp.get(op) ?? []);
    for (const later of after[op] ?? []) {
      waiting[later] = (waiting[later] ?? 0) - 1;
      if (waiting[later] === 0) insertSorted(ready, later);
    }
  }
  return timeOf(order) < inOrder ? order : undefined;
}

function sumOf(kernels: readonly Kernel[]): number {
  return kernels.reduce((sum, { microseconds }) => sum + microseconds, 0);
}

function insertSorted(ops: OpId[], op: OpId): void {
  const at = ops.findIndex((other) => other > op);
  ops.splice(at < 0 ? ops.length : at, 0, op);
}
