// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";

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

/** Ops before a place of the schedule that depend on a value. */
function opsAfter(evaluator: OpEvaluator, value: ValueId, last: number): ReadonlySet<OpId> {
  const found = new Set<OpId>();
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { op } of evaluator.value(next).uses) {
      if (op >= last || found.has(op)) continue;
      found.add(op);
      open.push(...evaluator.op(op).results);
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
