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
 * The values that are live while one op runs, in every order: the op needs them made before, directly or not, and they
 * have readers that need the op. Its own operands are left out: they count with the op. No op makes an argument, so it is
 * live from the start.
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
