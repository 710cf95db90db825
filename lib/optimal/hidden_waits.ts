// SPDX-License-Identifier: Apache-2.0
import { takesNoTime } from "../cost/takes_no_time.ts";
import type { GraphFunction, OpId, ValueId } from "../graph/graph.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { WayRow, WayTable } from "./way_table.ts";

/**
 * Steps after which the dispatcher's wait may be hidden. Prices hold that wait after every step (tt-metal:pgm-dispatch),
 * but nothing waits after the last step of a function, nor after a step that an op of the host follows. A bound prices
 * what may stand there without the wait, in the input's order of ops: copies that are read or returned there, the ops
 * before that may take no time, and the first op before them that does.
 */
export interface HiddenWaits {
  readonly ops: ReadonlySet<OpId>;
  /** Values whose copies may be the step in question. */
  readonly values: ReadonlySet<ValueId>;
  readonly endings: readonly Ending[];
}

/** The last op that takes time before the end or before an op of the host; it waits after all where a copy follows it. */
export interface Ending {
  readonly op: OpId;
  /** What follows from the op and is read there, as the input declares it: born otherwise, it is copied in between. */
  readonly value: ValueId;
}

/** @param tableOf ways of an op */
export function hiddenWaits(evaluator: OpEvaluator, tableOf: (op: OpId) => WayTable): HiddenWaits {
  const { fn } = evaluator;
  const ops = new Set<OpId>();
  const values = new Set<ValueId>(fn.results);
  const endings: Ending[] = [];
  const followBelow = (end: number, read: readonly ValueId[]): void => {
    for (const { id, operands } of fn.ops.slice(0, end).reverse()) {
      if (runsOnHost(evaluator, id)) return;
      ops.add(id);
      if (tableOf(id).least > 0) {
        const value = read.find((value) => followsFrom(fn, id, end).has(value));
        if (value !== undefined) endings.push({ op: id, value });
        return;
      }
      for (const value of operands) values.add(value);
    }
  };
  followBelow(fn.ops.length, fn.results);
  for (const { id, operands } of fn.ops) {
    if (!runsOnHost(evaluator, id)) continue;
    for (const value of operands) values.add(value);
    followBelow(id, operands);
  }
  return { ops, values, endings };
}

/** Values that an op makes, and those that ops before `end` make of them. */
function followsFrom({ ops }: GraphFunction, first: OpId, end: number): ReadonlySet<ValueId> {
  const values = new Set(ops[first]?.results);
  for (const { operands, results } of ops.slice(first + 1, end)) {
    if (operands.some((value) => values.has(value))) { for (const result of results) values.add(result); }
  }
  return values;
}

/** The ways of an op without the wait after it, and behind them the same ways with it: their outputs come twice. */
export function withAndWithoutWait(waiting: WayTable, hidden: WayTable): WayTable {
  const { outputs } = hidden;
  const behind = (row: WayRow): WayRow => ({ ...row, output: row.output + outputs.length });
  return {
    ...hidden,
    outputs: [...outputs, ...waiting.outputs],
    rows: [...hidden.rows, ...waiting.rows.map(behind)],
    smaller: [...hidden.smaller, ...waiting.smaller.map(behind)],
  };
}

/** Whether an output of {@linkcode withAndWithoutWait} is one of those with the wait. */
export function isWithWait({ outputs }: WayTable, output: number): boolean {
  return output >= outputs.length / 2;
}

/** The ways of an op, priced without the wait after it. */
export function withoutWait(evaluator: OpEvaluator, op: OpId, table: WayTable): WayTable {
  const send = evaluator.cost.programSendMicroseconds ?? 0;
  const own = (row: WayRow): WayRow => {
    if (row.microseconds === 0 || row.microseconds > send) return row;
    // Of operands that read any one of several layouts, nobody knows what the rest takes.
    if (row.reads.some((read, operand) => table.eitherOf?.[operand]?.has(read))) {
      return { ...row, microseconds: 0 };
    }
    const inputs = row.reads.map((read, operand) => table.reads[operand]?.[read]);
    const outputs = table.outputs[row.output] ?? [];
    return {
      ...row,
      microseconds: evaluator.ownMicroseconds(op, inputs, { outputs, config: row.config }),
    };
  };
  const rows = table.rows.map(own);
  return {
    ...table,
    rows,
    smaller: table.smaller.map(own),
    least: rows.reduce((us, row) => Math.min(us, row.microseconds), Infinity),
  };
}

/** Whether an op runs on the host as the input has it. */
export function runsOnHost(evaluator: OpEvaluator, op: OpId): boolean {
  const signature = evaluator.signature(op);
  if (takesNoTime(signature, evaluator.traits(op), undefined)) return false;
  const { inputs, outputs, config } = evaluator.asInput(op);
  return evaluator.cost.getOpRuntime(signature, inputs, outputs, config).bound === "HOST";
}
