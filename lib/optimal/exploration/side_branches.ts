// SPDX-License-Identifier: Apache-2.0
import { SIDE_BRANCH_OPS } from "../limits.ts";
import type { GraphFunction, OpId, ValueId } from "../../graph/graph.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";

/** A value that waits for a reader, by the reader's index among its uses. */
export interface WaitingValue {
  readonly value: ValueId;
  readonly reader: number;
}

/**
 * A chain of ops that no dependency ties to another op: it starts from a value that always exists before that op
 * and ends in a reader that always runs after it. Whatever part of the chain runs first, one of the chain's
 * values is live while the op runs.
 */
export interface SideBranch {
  readonly op: OpId;
  readonly waits: readonly WaitingValue[];
}

/**
 * Every side branch of a function in which each result but the first value has a single reader; none in functions of
 * more than {@linkcode SIDE_BRANCH_OPS} ops.
 */
export function sideBranches(evaluator: OpEvaluator): readonly SideBranch[] {
  const { fn } = evaluator;
  if (fn.ops.length > SIDE_BRANCH_OPS) return [];
  const before = opsBefore(fn, evaluator);
  const isBefore = (first: OpId, then: OpId): boolean => before[then]?.has(first) === true;
  const isBeside = (a: OpId, b: OpId): boolean => a !== b && !isBefore(a, b) && !isBefore(b, a);
  return fn.values.flatMap((value) => {
    const maker = evaluator.producer(value.id);
    if (maker === undefined) return [];
    return value.uses.flatMap((use, reader) =>
      fn.ops.flatMap(({ id: op, operands }): SideBranch[] => {
        if (!isBefore(maker, op) || !isBeside(use.op, op) || operands.includes(value.id)) return [];
        const waits: WaitingValue[] = [{ value: value.id, reader }];
        for (let next = use.op; isBeside(next, op);) {
          const [result, ...more] = evaluator.op(next).results;
          if (result === undefined || more.length > 0) return [];
          const { uses: [only, ...others], returned } = evaluator.value(result);
          if (only === undefined || others.length > 0 || returned > 0) return [];
          waits.push({ value: result, reader: 0 });
          next = only.op;
        }
        return [{ op, waits }];
      })
    );
  });
}

/** Per op: the ops that it depends on. */
function opsBefore(fn: GraphFunction, evaluator: OpEvaluator): readonly ReadonlySet<OpId>[] {
  const before: Set<OpId>[] = [];
  for (const { operands } of fn.ops) {
    const own = new Set<OpId>();
    for (const value of operands) {
      const maker = evaluator.producer(value);
      if (maker === undefined) continue;
      own.add(maker);
      for (const op of before[maker] ?? []) own.add(op);
    }
    before.push(own);
  }
  return before;
}
