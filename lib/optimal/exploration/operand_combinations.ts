// SPDX-License-Identifier: Apache-2.0
import { LEAST_VARIETY, VARIED_SHARE } from "../limits.ts";
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import { isJoin, joinKindOf } from "../../search/joins.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";

/**
 * The combinations of operand layouts for which an op is explored, each a tuple of indices into `reads`: all
 * combinations if there are at most `limit`; otherwise those of the layouts that each operand accepts;
 * otherwise those of the first layouts of each buffer type and memory layout.
 *
 * @param reads per operand: the layouts in which it may be read
 * @returns `undefined` if each of these sets has more than `limit` combinations
 */
export function feasibleCombinations(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  limit: number,
): readonly (readonly number[])[] | undefined {
  const within = (tried: readonly (readonly number[])[]) =>
    combinationsOf(evaluator, op, reads, tried, limit);
  const all = within(reads.map((layouts) => layouts.map((_, index) => index)));
  // A join accepts both interleaved layouts for any operand, so with many operands no filter leaves few enough.
  if (all !== undefined || (isJoin(evaluator, op) && 2 ** reads.length > limit)) return all;
  return within(acceptedReads(evaluator, op, reads)) ?? within(variedReads(evaluator, reads, limit));
}

/**
 * The product of the tried layouts of all operands. `concat` refuses operands of different memory layouts or
 * grids (tt-metal:concat), so for joins only tuples that agree in them are listed.
 *
 * @param tried per operand: indices into its `reads`
 * @returns `undefined` for more than `limit` tuples
 */
function combinationsOf(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  tried: readonly (readonly number[])[],
  limit: number,
): readonly (readonly number[])[] | undefined {
  const mustAgree = isJoin(evaluator, op);
  const kindOf = (id: LayoutId | undefined): string =>
    !mustAgree || id === undefined ? "" : joinKindOf(evaluator.layouts.get(id));
  const kinds = reads.map((layouts) => layouts.map(kindOf));
  const found: (readonly number[])[] = [];
  for (const kind of new Set(kinds[0] ?? [""])) {
    const axes = kinds.map((axis, operand) => (tried[operand] ?? []).filter((index) => axis[index] === kind));
    const count = axes.reduce((product, axis) => product * axis.length, 1);
    if (found.length + count > limit) return undefined;
    let tuples: (readonly number[])[] = [[]];
    for (const axis of axes) tuples = tuples.flatMap((tuple) => axis.map((index) => [...tuple, index]));
    found.push(...tuples);
  }
  return found;
}

/**
 * Per operand: indices of the layouts that the op accepts in one of three cases: the other operands are as
 * declared, or interleaved in L1, or in the same buffer type, memory layout and grid. An operand that cannot
 * be read so stays as declared. Attention, for example, refuses every sharded operand in all three cases.
 */
function acceptedReads(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
): readonly (readonly number[])[] {
  const { operands } = evaluator.op(op);
  const keyOf = (id: LayoutId | undefined) => id === undefined ? undefined : evaluator.facts(id).uniformKey;
  return reads.map((layouts, operand) =>
    layouts.flatMap((layout, index) => {
      const others = (like: (axis: LayoutIds, value: ValueId) => LayoutId | undefined): LayoutIds =>
        operands.map((value, other) => other === operand ? layout : like(reads[other] ?? [], value));
      const declared = (value: ValueId) => evaluator.declared[value];
      const probes = [
        others((_, value) => declared(value)),
        others((axis, value) => axis.find((id) => isInterleavedL1(evaluator, id)) ?? declared(value)),
        others((axis, value) => axis.find((id) => keyOf(id) === keyOf(layout)) ?? declared(value)),
      ];
      return probes.some((inputs) => evaluator.impls(op, inputs).length > 0) ? [index] : [];
    })
  );
}

/**
 * Per operand, indices of m = ⌊(combinations · {@linkcode VARIED_SHARE})^(1/n)⌋ layouts, n operands: the first one of every
 * buffer type and memory layout, then the second ones and so on; all layouts if m is below {@linkcode LEAST_VARIETY}.
 */
function variedReads(
  evaluator: OpEvaluator,
  reads: readonly LayoutIds[],
  combinations: number,
): readonly (readonly number[])[] {
  const most = Math.floor((combinations * VARIED_SHARE) ** (1 / Math.max(1, reads.length)));
  return reads.map((layouts) => {
    const known = new Map<string, number>();
    const ranked = layouts.map((layout, index) => {
      const kind = layout === undefined ? "" : evaluator.facts(layout).kind;
      const rank = known.get(kind) ?? 0;
      known.set(kind, rank + 1);
      return { index, rank };
    }).toSorted((a, b) => a.rank - b.rank || a.index - b.index);
    return (most < LEAST_VARIETY ? ranked : ranked.slice(0, most)).map(({ index }) => index)
      .toSorted((a, b) => a - b);
  });
}

function isInterleavedL1(evaluator: OpEvaluator, id: LayoutId | undefined): boolean {
  if (id === undefined) return false;
  const { isL1, isSharded } = evaluator.facts(id);
  return isL1 && !isSharded;
}
