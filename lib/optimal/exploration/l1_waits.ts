// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";

/** A value that is live while some op runs, in every order of ops. */
export interface LiveValue {
  readonly value: ValueId;
  /** Its readers after that op in every order, at least one: indices among every use in order, then `return`. */
  readonly after: readonly number[];
  /** Its readers before that op in every order. */
  readonly before: ReadonlySet<number>;
}

/**
 * The ops during which a value is live in every schedule: those that must come after its producer and before
 * a reader. Listed per reader, each op at the first reader after it. Ops that read the value are left out:
 * their operands already count with the op, and may be that very value.
 */
export function waitsOf(evaluator: OpEvaluator, value: ValueId): readonly (readonly OpId[])[] {
  const { fn } = evaluator;
  const { uses, returned } = evaluator.value(value);
  const last = returned > 0 ? fn.ops.length : uses.at(-1)?.op ?? 0;
  const after = opsAfter(evaluator, value, last);
  const taken = new Set<OpId>(uses.map(({ op }) => op));
  const take = (ops: ReadonlySet<OpId>): readonly OpId[] => {
    for (const op of ops) taken.add(op);
    return [...ops].sort((a, b) => b - a);
  };
  const waits = uses.map(({ op }) => take(opsLeadingTo(evaluator, op, after, taken)));
  return returned > 0 ? [...waits, take(after.difference(taken))] : waits;
}

/**
 * The values that are live while one op runs, in every order: the op needs them made before, directly or not, and they
 * have readers that need the op. Its own operands are left out, as in {@linkcode waitsOf}; no op makes an argument, so it
 * is live from the start.
 */
export function liveDuring(evaluator: OpEvaluator, op: OpId): readonly LiveValue[] {
  const { operands, results } = evaluator.op(op);
  const before = reached(operands, (value) => {
    const { definition } = evaluator.value(value);
    return definition.kind === "result" ? [definition.op] : [];
  }, (maker) => evaluator.op(maker).operands);
  const after = reached(
    results,
    (value) => evaluator.value(value).uses.map((use) => use.op),
    (reader) => evaluator.op(reader).results,
  );
  return evaluator.fn.values.flatMap(({ id, definition, uses, returned }): LiveValue[] => {
    if (operands.includes(id) || definition.kind === "result" && !before.has(definition.op)) return [];
    const readersIn = (ops: ReadonlySet<OpId>): readonly number[] =>
      uses.flatMap((use, reader) => ops.has(use.op) ? [reader] : []);
    const waiting = [...readersIn(after), ...returned > 0 ? [uses.length] : []];
    return waiting.length === 0 ? [] : [{ value: id, after: waiting, before: new Set(readersIn(before)) }];
  });
}

/** Ops before a place of the schedule that depend on a value. */
function opsAfter(evaluator: OpEvaluator, value: ValueId, last: number): ReadonlySet<OpId> {
  return reached(
    [value],
    (of) => evaluator.value(of).uses.flatMap(({ op }) => op < last ? [op] : []),
    (op) => evaluator.op(op).results,
  );
}

/** All ops that a walk from some values finds. */
function reached(
  from: readonly ValueId[],
  opsOf: (value: ValueId) => readonly OpId[],
  valuesOf: (op: OpId) => readonly ValueId[],
): ReadonlySet<OpId> {
  const found = new Set<OpId>();
  const open = [...from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const op of opsOf(next)) {
      if (found.has(op)) continue;
      found.add(op);
      open.push(...valuesOf(op));
    }
  }
  return found;
}

/**
 * The ops of `among` that one op depends on, transitively. Ops taken by an earlier call, and their
 * dependencies, are skipped.
 */
function opsLeadingTo(
  evaluator: OpEvaluator,
  op: OpId,
  among: ReadonlySet<OpId>,
  taken: ReadonlySet<OpId>,
): ReadonlySet<OpId> {
  const found = new Set<OpId>();
  const open = [op];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const operand of evaluator.op(next).operands) {
      const { definition } = evaluator.value(operand);
      if (definition.kind !== "result") continue;
      const { op: maker } = definition;
      if (!among.has(maker) || taken.has(maker) || found.has(maker)) continue;
      found.add(maker);
      open.push(maker);
    }
  }
  return found;
}
