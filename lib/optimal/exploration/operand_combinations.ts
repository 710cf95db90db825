// SPDX-License-Identifier: Apache-2.0
import { JOIN_MIXTURES, JOIN_READS, LEAST_VARIETY, LISTED_JOINS, VARIED_SHARE } from "../limits.ts";
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import { isJoin, joinKindOf } from "../../search/joins.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";

/**
 * The combinations of operand layouts for which an op is explored, each a tuple of indices into `reads`: all
 * combinations if there are at most `limit`; otherwise those of the layouts that each operand accepts;
 * otherwise those of the first layouts of each buffer type and memory layout. Of a join with more combinations than
 * {@linkcode LISTED_JOINS} allows, {@linkcode mixtures}.
 *
 * @param reads per operand: the layouts in which it may be read
 * @param producedLayouts per operand of a join: the layouts that it may be produced in
 * @returns `undefined` if each of these sets has more than `limit` combinations
 */
export function feasibleCombinations(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  producedLayouts: readonly LayoutIds[],
  limit: number,
): readonly (readonly number[])[] | undefined {
  const isListed = isJoin(evaluator, op);
  const within = (tried: readonly (readonly number[])[]) =>
    combinationsOf(evaluator, op, reads, tried, isListed ? LISTED_JOINS * limit : limit);
  const all = within(reads.map((layouts) => layouts.map((_, index) => index)));
  if (all !== undefined) return all;
  if (isListed) return mixtures(evaluator, op, reads, producedLayouts);
  return within(acceptedReads(evaluator, op, reads)) ?? within(variedReads(evaluator, reads, limit));
}

/**
 * A few combinations for a join with too many operands to list all: 27 operands in DRAM or L1 have 134 million. For
 * each kind of layout that all operands may share ({@linkcode joinKindOf}): all operands in one place (buffer type and
 * grid), and where a kind has several, from all in one to all in the next, the smallest operands first and the largest
 * first. Operands that are produced in one layout, such as arguments, also stay there while the others change.
 * Rejected: every operand chooses alone, with a charge that bounds its share of the time: 400 lines, for plans 0.07 %
 * faster at most.
 */
function mixtures(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  producedLayouts: readonly LayoutIds[],
): readonly (readonly number[])[] {
  const kindOf = (id: LayoutId | undefined): string =>
    id === undefined ? "" : joinKindOf(evaluator.layouts.get(id));
  const placeOf = (id: LayoutId | undefined): string =>
    id === undefined ? "" : evaluator.facts(id).uniformKey;
  const { operands } = evaluator.op(op);
  const bytesOf = (operand: number): number => {
    const layout = evaluator.declared[operands[operand] ?? -1];
    return layout === undefined ? 0 : evaluator.facts(layout).totalBytes;
  };
  const bySize = [...reads.keys()].sort((a, b) => bytesOf(a) - bytesOf(b) || a - b);
  const { least, most } = JOIN_MIXTURES;
  const steps = Math.min(most, Math.max(least, Math.floor(JOIN_READS / reads.length)), reads.length);
  const found = new Map<string, readonly number[]>();
  for (const kind of new Set(reads[0]?.map(kindOf))) {
    const axes = reads.map((layouts) =>
      new Map(layouts.flatMap((id, index) => kindOf(id) === kind ? [[placeOf(id), index] as const] : []))
    );
    if (axes.some((axis) => axis.size === 0)) continue;
    const places = [...new Set(axes.flatMap((axis) => [...axis.keys()]))];
    const all = (place: string): readonly number[] =>
      axes.map((axis) => axis.get(place) ?? axis.values().next().value ?? 0);
    const ends = places.map(all);
    const home = (combination: readonly number[]): readonly number[] =>
      combination.map((index, operand) => {
        const [only, ...more] = producedLayouts[operand] ?? [];
        return only === undefined || more.length > 0 ? index : axes[operand]?.get(placeOf(only)) ?? index;
      });
    const ramps = ends.slice(1).flatMap((to, at) =>
      [bySize, bySize.toReversed()].flatMap((order) =>
        Array.from({ length: steps }, (_, step) => {
          const moved = new Set(order.slice(0, Math.ceil((step + 1) * reads.length / (steps + 1))));
          return to.map((index, operand) => moved.has(operand) ? index : ends[at]?.[operand] ?? index);
        })
      )
    );
    for (const combination of [...ends, ...ends.map(home), ...ramps]) {
      found.set(combination.join(), combination);
    }
  }
  return [...found.values()];
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
 * Per operand, indices of m = ⌊(combinations · {@linkcode VARIED_SHARE})^(1/n)⌋ layouts, n operands: the first one of
 * every buffer type and memory layout, then the second ones and so on; all layouts if m is below
 * {@linkcode LEAST_VARIETY}.
 */
function variedReads(
  evaluator: OpEvaluator,
  reads: readonly LayoutIds[],
  combinations: number,
): readonly (readonly number[])[] {
  const most = Math.floor((combinations * VARIED_SHARE) ** (1 / Math.max(1, reads.length)));
  return reads.map((layouts) => {
    const ofKind = new Map<string, number>();
    const ranked = layouts.map((layout, index) => {
      const kind = layout === undefined ? "" : evaluator.facts(layout).kind;
      const rank = ofKind.get(kind) ?? 0;
      ofKind.set(kind, rank + 1);
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
