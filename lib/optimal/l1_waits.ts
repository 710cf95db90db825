// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../graph/graph.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";

/**
 * Per reader of a value, the ops during which it waits for that reader and no earlier one, whatever the order of ops: those
 * that must come after the op that makes it and before the reader. An op that reads the value itself is none of them: what
 * it reads, which counts as the op's, may be what waits.
 */
export function waitsOf(evaluator: OpEvaluator, value: ValueId): readonly (readonly number[])[] {
  const { fn } = evaluator;
  const { definition, uses, returned } = evaluator.value(value);
  const ends: number[] = uses.map(({ op }) => op);
  if (returned > 0) ends.push(fn.ops.length);
  const first = definition.kind === "result" ? definition.op + 1 : 0;
  const after = new Set<number>([value]);
  const inside = fn.ops.slice(first, Math.max(0, ...ends)).filter(({ operands, results }) => {
    if (!operands.some((operand) => after.has(operand))) return false;
    for (const result of results) after.add(result);
    return true;
  });
  const taken = new Set<number>(uses.map(({ op }) => op));
  return ends.map((end) => {
    const before = new Set<number>(fn.ops[end]?.operands ?? fn.results);
    const waits: number[] = [];
    for (const { id, operands, results } of inside.toReversed()) {
      if (id >= end || (end < fn.ops.length && !results.some((result) => before.has(result)))) continue;
      for (const operand of operands) before.add(operand);
      if (taken.has(id)) continue;
      taken.add(id);
      waits.push(id);
    }
    return waits;
  });
}
