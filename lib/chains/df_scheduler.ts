// SPDX-License-Identifier: Apache-2.0
import { type GraphFunction, opAt, type OpId, valueAt } from "../graph/graph.ts";
import { isSchedulable } from "./dependencies.ts";

/** Ready-list scheduler (tt-mlir `Scheduler`): offers the ops whose dependencies have run. */
export class DfScheduler {
  readonly #fn: GraphFunction;
  readonly #dependencies: readonly (readonly OpId[])[];
  readonly #users: OpId[][];
  /** Per op: the number of dependencies that have not run. */
  readonly #waiting: Int32Array;
  readonly #ready: Set<OpId> = new Set();
  readonly #schedule: OpId[] = [];
  #unscheduled = 0;

  /** @param dependencies per op: the schedulable ops that must run before it */
  constructor(fn: GraphFunction, dependencies: readonly (readonly OpId[])[]) {
    this.#fn = fn;
    this.#dependencies = dependencies;
    this.#users = fn.ops.map(() => []);
    this.#waiting = new Int32Array(fn.ops.length);
    for (const op of fn.ops) {
      if (!isSchedulable(op)) continue;
      this.#unscheduled++;
      const before = dependencies[op.id] ?? [];
      this.#waiting[op.id] = before.length;
      for (const dependency of before) this.#users[dependency]?.push(op.id);
      if (before.length === 0) this.#ready.add(op.id);
    }
  }

  /** Whether any op is left. */
  hasUnscheduledOps(): boolean {
    return this.#unscheduled > 0;
  }

  /**
   * Ops that may run now, in the order of the function, but first those with a user that also waits for other
   * ops: short branches that feed a join go first.
   */
  schedulableOps(): readonly OpId[] {
    const ready = [...this.#ready].toSorted((a, b) => a - b);
    if (ready.length <= 1) return ready;
    const blocked = ready.filter((op) => this.#hasBlockedUser(op));
    return [...blocked, ...ready.filter((op) => !blocked.includes(op))];
  }

  /** @throws {RangeError} if the op may not run now */
  scheduleOp(op: OpId): void {
    if (!this.#ready.delete(op)) throw new RangeError(`Cannot schedule op ${op}: it is not ready`);
    this.#schedule.push(op);
    this.#unscheduled--;
    for (const user of this.#users[op] ?? []) {
      const waiting = (this.#waiting[user] ?? 1) - 1;
      this.#waiting[user] = waiting;
      if (waiting === 0) this.#ready.add(user);
    }
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
    const order: OpId[] = [];
    const placed = new Set<OpId>();
    const place = (id: OpId): void => {
      if (placed.has(id)) return;
      placed.add(id);
      for (const value of opAt(this.#fn, id).operands) {
        const definition = valueAt(this.#fn, value).definition;
        if (definition.kind === "result") place(definition.op);
      }
      order.push(id);
    };
    for (const id of this.#schedule) place(id);
    for (const op of this.#fn.ops) place(op.id);
    return order;
  }

  #hasBlockedUser(op: OpId): boolean {
    return (this.#users[op] ?? []).some((user) => (this.#waiting[user] ?? 0) > 1);
  }
}
