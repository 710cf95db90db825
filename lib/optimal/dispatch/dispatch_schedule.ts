// SPDX-License-Identifier: Apache-2.0
import { SIZE_CLASSES } from "../../search/limits.ts";
import { OPS_AHEAD, ORDER_RULES } from "../limits.ts";
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { idAt, type OpId } from "../../graph/graph.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { DispatchClock, type Kernel, kernelsOf } from "./dispatch_clock.ts";

/**
 * How an order alternates between long ops, which take longer than dispatching them, and short ones, which
 * take less.
 */
interface OrderRule {
  /** With at most this many programs ready, long ops follow. */
  readonly few: number;
  /** With at least this share of the cores' ready programs, short ops follow. */
  readonly enough: number;
  /**
   * How many long ops are compared, each together with its unscheduled predecessors; 0 takes the first ready
   * long op.
   */
  readonly targets: number;
}

/**
 * Another execution order for a program whose short kernels wait for the dispatcher. The dispatcher runs
 * ahead until its queue is full. While the queue has programs, the order takes short ops; when it is nearly
 * empty, long ops, during which it fills again.
 *
 * Of the short ops the first ready one is taken; of the long ops either the first ready one, or the one that,
 * with everything that must precede it, gives the dispatcher most time. Returns the best of a few such
 * orders.
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
  const { firstThatMayCome, lookingAhead } = ORDER_RULES;
  const rules = [firstThatMayCome, ...(fn.ops.length > SIZE_CLASSES.large ? [] : lookingAhead)];
  const orders = rules.map((rule) => new DispatchOrder(kernelsByOp, before, dispatch, rule).make());
  const [best] = orders.toSorted((a, b) => a.microseconds - b.microseconds);
  return best === undefined || best.microseconds >= clock.end ? undefined : best.order;
}

/** An order of ops, and when its last program ends. */
interface TimedOrder {
  readonly order: readonly OpId[];
  readonly microseconds: number;
}

/** An order under construction. */
class DispatchOrder {
  readonly #kernels: readonly (readonly Kernel[])[];
  readonly #before: readonly ReadonlySet<OpId>[];
  readonly #after: readonly OpId[][];
  readonly #dispatch: DispatcherTimes;
  readonly #rule: OrderRule;
  readonly #clock: DispatchClock;
  readonly #order: OpId[] = [];
  /** Per op: number of unscheduled predecessors; -1 once the op itself is scheduled. */
  readonly #waiting: number[];
  /** Ops that may come next, in the input's order. */
  readonly #ready: OpId[];
  /** Per op: µs by which it takes longer than dispatching it; negative for short ones. */
  readonly #lead: readonly number[];
  /** Long ops that are not placed yet, in the input's order. */
  #long: readonly OpId[];
  /** By long op: the last result of {@linkcode #opsUpTo}. */
  readonly #upTo: Map<OpId, readonly OpId[]> = new Map();

  constructor(
    kernels: readonly (readonly Kernel[])[],
    before: readonly ReadonlySet<OpId>[],
    dispatch: DispatcherTimes,
    rule: OrderRule,
  ) {
    this.#kernels = kernels;
    this.#before = before;
    this.#dispatch = dispatch;
    this.#rule = rule;
    this.#clock = new DispatchClock(dispatch);
    this.#after = before.map(() => []);
    before.forEach((ops, op) => {
      for (const earlier of ops) this.#after[earlier]?.push(idAt(op));
    });
    this.#waiting = before.map((ops) => ops.size);
    this.#lead = kernels.map((own) => sumOf(own) - own.length * dispatch.dispatchMicroseconds);
    const ops: readonly OpId[] = before.map((_, op) => idAt(op));
    this.#ready = ops.filter((op) => this.#waiting[op] === 0);
    this.#long = ops.filter((op) => this.#leadOf(op) > 0);
  }

  make(): TimedOrder {
    const { few, enough } = this.#rule;
    let isFull = true;
    while (this.#ready.length > 0) {
      const { readyPrograms } = this.#clock;
      if (readyPrograms <= few) isFull = false;
      else if (readyPrograms >= enough * this.#dispatch.readyPrograms) isFull = true;
      const op = isFull ? this.#firstThat((lead) => lead < 0) : this.#towardsLong();
      if (op === undefined) break;
      this.#run(op);
    }
    return { order: this.#order, microseconds: this.#clock.end };
  }

  #leadOf(op: OpId): number {
    return this.#lead[op] ?? 0;
  }

  /** The first ready op with a wanted lead; the first ready op if there is none. */
  #firstThat(isWanted: (lead: number) => boolean): OpId | undefined {
    return this.#ready.find((op) => isWanted(this.#leadOf(op))) ?? this.#ready[0];
  }

  /** The next op when the dispatcher needs time. */
  #towardsLong(): OpId | undefined {
    if (this.#rule.targets === 0) return this.#firstThat((lead) => lead > 0);
    return this.#opsToBest().find((op) => this.#waiting[op] === 0) ?? this.#ready[0];
  }

  /** Among the next long ops, each with its unscheduled predecessors: the set with the largest total lead. */
  #opsToBest(): readonly OpId[] {
    this.#long = this.#long.filter((op) => this.#isOpen(op));
    let best: readonly OpId[] = [];
    let most = -Infinity;
    for (const target of this.#long.slice(0, this.#rule.targets)) {
      const ops = this.#opsUpTo(target);
      if (ops === undefined) continue;
      const lead = ops.reduce((sum, op) => sum + this.#leadOf(op), 0);
      if (lead > most) [best, most] = [ops, lead];
    }
    return best;
  }

  /**
   * The unscheduled ops up to and including an op, in the input's order; `undefined` if there are too many.
   */
  #opsUpTo(target: OpId): readonly OpId[] | undefined {
    const cached = this.#upTo.get(target);
    const ops = cached === undefined ? this.#findOpsUpTo(target) : cached.filter((op) => this.#isOpen(op));
    if (ops !== undefined) this.#upTo.set(target, ops);
    return ops;
  }

  #findOpsUpTo(target: OpId): readonly OpId[] | undefined {
    if ((this.#waiting[target] ?? 0) >= OPS_AHEAD) return undefined;
    const ops = new Set([target]);
    for (const op of ops) {
      for (const earlier of this.#before[op] ?? []) if (this.#isOpen(earlier)) ops.add(earlier);
      if (ops.size > OPS_AHEAD) return undefined;
    }
    return [...ops].sort((a, b) => a - b);
  }

  /** Whether an op is not placed yet. */
  #isOpen(op: OpId): boolean {
    return (this.#waiting[op] ?? -1) >= 0;
  }

  #run(op: OpId): void {
    this.#ready.splice(this.#ready.indexOf(op), 1);
    this.#waiting[op] = -1;
    this.#order.push(op);
    for (const { microseconds } of this.#kernels[op] ?? []) this.#clock.run(microseconds);
    for (const later of this.#after[op] ?? []) {
      const left = (this.#waiting[later] ?? 0) - 1;
      this.#waiting[later] = left;
      if (left === 0) insertSorted(this.#ready, later);
    }
  }
}

function sumOf(kernels: readonly Kernel[]): number {
  return kernels.reduce((sum, { microseconds }) => sum + microseconds, 0);
}

function insertSorted(ops: OpId[], op: OpId): void {
  const at = ops.findIndex((other) => other > op);
  ops.splice(at < 0 ? ops.length : at, 0, op);
}
