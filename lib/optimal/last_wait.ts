// SPDX-License-Identifier: Apache-2.0
import { takesNoTime } from "../cost/takes_no_time.ts";
import type { OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import { choiceFor } from "../search/assignment.ts";
import type { Assignment, LayoutIds } from "../search/ways.ts";
import type { WayRow, WayTable } from "./way_table.ts";

/**
 * Prices hold the dispatcher's wait after every step (tt-metal:pgm-dispatch), but nothing waits after the last step of
 * a function. Where it can only be one op (and then the copy of its result for `return`), the op's ways and that copy
 * are priced without; else the longest wait of any op that could be last is taken off the whole.
 */
export class LastWait {
  readonly #evaluator: OpEvaluator;
  /** The only op that can be the last step of a plan, but for a copy behind it. */
  readonly #onlyLast: OpId | undefined;
  readonly #candidates: readonly OpId[];

  constructor(evaluator: OpEvaluator) {
    this.#evaluator = evaluator;
    this.#candidates = lastOps(evaluator);
    const [op, ...more] = this.#candidates;
    const { results } = evaluator.fn;
    const isOnly = op !== undefined && more.length === 0 && results.length === 1 &&
      evaluator.op(op).results.some((value) => value === results[0]);
    this.#onlyLast = isOnly ? op : undefined;
  }

  /**
   * µs to take off a bound that holds all other waits.
   *
   * @param tableOf ways of an op
   * @param birthsOf layouts that a value may be born in
   */
  microseconds(
    tableOf: (op: OpId) => WayTable,
    birthsOf: (value: ValueId) => readonly (LayoutId | undefined)[],
  ): number {
    if (this.#onlyLast !== undefined) return 0;
    const { fn, declared } = this.#evaluator;
    let longest = 0;
    for (const op of this.#candidates) {
      const table = tableOf(op);
      if (table.relaxed) return this.#send;
      for (const row of table.rows) longest = Math.max(longest, this.#waitOf(op, table, row));
    }
    for (const value of new Set(fn.results)) {
      const to = declared[value];
      if (to !== undefined) longest = Math.max(longest, this.#waitOfCopy(value, birthsOf(value), to));
    }
    return longest;
  }

  /** The table of an op; the last one's rows without the wait where no copy of its result follows. */
  tableOf(op: OpId, table: WayTable): WayTable {
    if (op !== this.#onlyLast || table.relaxed) return table;
    const rows = table.rows.map((row) =>
      this.#isReturned(op, table.outputs[row.output] ?? [])
        ? { ...row, microseconds: row.microseconds - this.#waitOf(op, table, row) }
        : row
    );
    const least = rows.reduce((us, row) => Math.min(us, row.microseconds), Infinity);
    return { ...table, rows, least };
  }

  /** Most µs that a copy for `return`, if it is the last step, is priced with and does not wait. */
  ofReturn(value: ValueId, from: readonly (LayoutId | undefined)[], to: LayoutId): number {
    return this.#onlyLast === undefined ? 0 : this.#waitOfCopy(value, from, to);
  }

  /** µs that the last op of an assignment is priced with and does not wait; 0 where that is not known. */
  inAssignment(assignment: Assignment): number {
    const op = this.#onlyLast;
    if (op === undefined) return 0;
    const { inputs, ...chosen } = choiceFor(assignment, op);
    if (!this.#isReturned(op, chosen.outputs)) return 0;
    return this.#evaluator.runtime(op, inputs, chosen) - this.#evaluator.ownMicroseconds(op, inputs, chosen);
  }

  get #send(): number {
    return this.#evaluator.cost.programSendMicroseconds ?? 0;
  }

  #waitOf(op: OpId, table: WayTable, row: WayRow): number {
    if (row.microseconds === 0 || row.microseconds > this.#send) return 0;
    const inputs = row.reads.map((read, operand) => table.reads[operand]?.[read]);
    const outputs = table.outputs[row.output] ?? [];
    return row.microseconds - this.#evaluator.ownMicroseconds(op, inputs, { outputs, config: row.config });
  }

  #waitOfCopy(value: ValueId, from: readonly (LayoutId | undefined)[], to: LayoutId): number {
    const { tensor } = this.#evaluator.value(value);
    if (tensor === undefined || this.#send === 0) return 0;
    const waits = from.map((layout) =>
      layout === undefined || layout === to
        ? 0
        : this.#send - this.#evaluator.cost.getReshardRuntime(tensor, layout, to).microseconds
    );
    return Math.max(0, ...waits);
  }

  #isReturned(op: OpId, outputs: LayoutIds): boolean {
    const { declared, fn } = this.#evaluator;
    return this.#evaluator.op(op).results.every((value, index) =>
      value !== fn.results[0] || outputs[index] === declared[value]
    );
  }
}

/** Ops that may be the last one of a plan that takes time, in any order of the ops. */
function lastOps(evaluator: OpEvaluator): readonly OpId[] {
  const { fn } = evaluator;
  const trailing: boolean[] = fn.ops.map(() => true);
  for (const { id, results } of fn.ops.toReversed()) {
    trailing[id] = results.every((value) =>
      evaluator.value(value).uses.every((use) =>
        trailing[use.op] === true && mayTakeNoTime(evaluator, use.op)
      )
    );
  }
  return fn.ops.map(({ id }) => id).filter((id) => trailing[id] === true && mayWait(evaluator, id));
}

/** Whether the dispatcher may be done with what comes before when the op begins: views, and ops of the host. */
function mayTakeNoTime(evaluator: OpEvaluator, op: OpId): boolean {
  const traits = evaluator.traits(op);
  return !mayWait(evaluator, op) || traits.viewOf !== undefined;
}

function mayWait(evaluator: OpEvaluator, op: OpId): boolean {
  const signature = evaluator.signature(op);
  if (takesNoTime(signature, evaluator.traits(op), undefined)) return false;
  const { inputs, outputs, config } = evaluator.asInput(op);
  return evaluator.cost.getOpRuntime(signature, inputs, outputs, config).bound !== "HOST";
}
