// SPDX-License-Identifier: Apache-2.0
import { type GraphFunction, opAt, type OpId, valueAt, type ValueId } from "../graph/graph.ts";
import { Heap } from "../search/heap.ts";
import { isSchedulable } from "./dependencies.ts";

/**
 * Ready-list scheduler (tt-mlir `Scheduler`): offers the ops whose dependencies have run, in the order of the function,
 * but first those with a user that also waits for other ops: short branches of a join go first.
 */
export class DfScheduler {
  readonly #fn: GraphFunction;
  readonly #users: OpId[][];
  /** Per op: the number of dependencies that have not run. */
  readonly #waiting: Int32Array;
  readonly #ready: Set<OpId> = new Set();
  readonly #queue: ReadyQueue;
  /** The layout changes among the ready ops. */
  readonly #layoutChanges: ReadyQueue;
  readonly #schedule: OpId[] = [];
  #unscheduled = 0;

  /** @param dependencies per op: the schedulable ops that must run before it */
  constructor(fn: GraphFunction, dependencies: readonly (readonly OpId[])[]) {
    this.#fn = fn;
    this.#users = fn.ops.map(() => []);
    this.#waiting = new Int32Array(fn.ops.length);
    const isReady = (op: OpId): boolean => this.#ready.has(op);
    const isBlocked = (op: OpId): boolean => this.#hasBlockedUser(op);
    this.#queue = new ReadyQueue(isReady, isBlocked);
    this.#layoutChanges = new ReadyQueue(isReady, isBlocked);
    const schedulable = fn.ops.filter(isSchedulable);
    for (const op of schedulable) {
      this.#unscheduled++;
      const before = dependencies[op.id] ?? [];
      this.#waiting[op.id] = before.length;
      for (const dependency of before) this.#users[dependency]?.push(op.id);
    }
    for (const { id } of schedulable) if (this.#waiting[id] === 0) this.#enter(id);
  }

  /** Whether any op is left. */
  hasUnscheduledOps(): boolean {
    return this.#unscheduled > 0;
  }

  /** Whether an op may run now. */
  isReady(op: OpId): boolean {
    return this.#ready.has(op);
  }

  /** The first of the ops that may run now, if there are any. */
  first(): OpId | undefined {
    return this.#queue.first();
  }

  /** The first `to_layout` of the ops that may run now, if there is one. */
  firstLayoutChange(): OpId | undefined {
    return this.#layoutChanges.first();
  }

  /** All ops that may run now, in their order. */
  schedulableOps(): readonly OpId[] {
    const ready = [...this.#ready].toSorted((a, b) => a - b);
    if (ready.length <= 1) return ready;
    const [blocked, others]: [OpId[], OpId[]] = [[], []];
    for (const op of ready) (this.#hasBlockedUser(op) ? blocked : others).push(op);
    return [...blocked, ...others];
  }

  /** @throws {RangeError} if the op may not run now */
  scheduleOp(op: OpId): void {
    if (!this.#ready.delete(op)) throw new RangeError(`Cannot schedule op ${op}: it is not ready`);
    this.#schedule.push(op);
    this.#unscheduled--;
    for (const user of this.#users[op] ?? []) {
      const waiting = (this.#waiting[user] ?? 1) - 1;
      this.#waiting[user] = waiting;
      if (waiting === 0) this.#enter(user);
    }
  }

  #enter(op: OpId): void {
    this.#ready.add(op);
    this.#queue.push(op);
    if (opAt(this.#fn, op).name === "ttnn.to_layout") this.#layoutChanges.push(op);
  }

  /** Ops in the order in which they were scheduled. */
  get schedule(): readonly OpId[] {
    return this.#schedule;
  }

  /**
   * The schedule with the unscheduled ops put back: each directly before the first op that needs it, unneeded
   * ones last.
   */
  fullSchedule(): readonly OpId[] {
    const all = [...this.#schedule, ...this.#fn.ops.map(({ id }) => id)];
    return depthFirstOrder(all, (op) => producersOf(this.#fn, opAt(this.#fn, op).operands));
  }

  #hasBlockedUser(op: OpId): boolean {
    return (this.#users[op] ?? []).some((user) => (this.#waiting[user] ?? 0) > 1);
  }
}

/** The ops that produce values. */
export function producersOf(fn: GraphFunction, values: readonly ValueId[]): readonly OpId[] {
  return values.flatMap((value) => {
    const { definition } = valueAt(fn, value);
    return definition.kind === "result" ? [definition.op] : [];
  });
}

/**
 * Every op directly after those that it needs and that are not placed yet, depth first from the roots.
 *
 * @param needs the ops that must come before an op, in the order in which they are placed; without a cycle
 */
export function depthFirstOrder(
  roots: readonly OpId[],
  needs: (op: OpId) => readonly OpId[],
): readonly OpId[] {
  const order = new Set<OpId>();
  for (const root of roots) {
    const stack = order.has(root) ? [] : [{ op: root, open: needs(root).values() }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const need = top.open.next().value;
      if (need === undefined) {
        order.add(top.op);
        stack.pop();
      } else if (!order.has(need)) stack.push({ op: need, open: needs(need).values() });
    }
  }
  return [...order];
}

/**
 * Ready ops by id, those with a blocked user (one that waits for another op too) first. Once a ready op has no blocked
 * user, it stays without one: an op moves from `#blocked` to `#others` at most once.
 */
class ReadyQueue {
  readonly #blocked = new Heap<OpId>((a, b) => a < b);
  readonly #others = new Heap<OpId>((a, b) => a < b);
  readonly #isReady: (op: OpId) => boolean;
  readonly #isBlocked: (op: OpId) => boolean;

  constructor(isReady: (op: OpId) => boolean, isBlocked: (op: OpId) => boolean) {
    this.#isReady = isReady;
    this.#isBlocked = isBlocked;
  }

  push(op: OpId): void {
    this.#blocked.push(op);
  }

  /** The first op that is still ready, if there is one; it stays in the queue. */
  first(): OpId | undefined {
    for (let op = this.#blocked.pop(); op !== undefined; op = this.#blocked.pop()) {
      if (!this.#isReady(op)) continue;
      if (!this.#isBlocked(op)) this.#others.push(op);
      else {
        this.#blocked.push(op);
        return op;
      }
    }
    let op = this.#others.pop();
    while (op !== undefined && !this.#isReady(op)) op = this.#others.pop();
    if (op !== undefined) this.#others.push(op);
    return op;
  }
}
