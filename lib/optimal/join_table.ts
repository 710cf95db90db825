// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { LayoutIds } from "../search/ways.ts";
import { joinKindOf } from "./operand_combinations.ts";
import {
  declaredFeed,
  type ExplorationLimits,
  type Feed,
  feedOf,
  l1BytesOf,
  moreResults,
  RowCollector,
  type WayRow,
  type WayTable,
} from "./way_table.ts";

/**
 * The ways of a join of so many operands that their combinations cannot be listed: of 27 operands in DRAM or L1 there are
 * 134 million. Each kind of layout that the operands may have in common is one combination. Where an operand has several
 * of the kind it reads any one of them ({@linkcode WayTable.eitherOf}), whatever the others read, and the op takes the
 * least time that it takes while the operands are moved one by one from the first to the next: what pages cost in
 * either memory counts their bytes, in whichever operands they are. Of equal operands that is every combination. Of
 * others, moved the largest first and the smallest first, a combination may lie between two that are tried; the bound
 * takes off what the dearest move of one operand changes.
 *
 * @param groups as in `exploreOp`
 */
export function exploreJoin(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  groups: readonly number[],
  limits: ExplorationLimits,
): WayTable {
  const collector = new RowCollector(evaluator, limits.l1Bytes);
  const { usual } = moreResults(evaluator, op, limits.freedom);
  const allReads = reads.map((layouts) => [...layouts]);
  const eitherOf = reads.map(() => new Map<number, readonly LayoutId[]>());
  const explore = (feed: Feed): Feed["cheapest"] => {
    for (const way of evaluator.ways(op, feed.inputs)) collector.offer(feed, way);
    collector.ask(op, feed, usual);
    return feed.cheapest;
  };
  const rows = [...axesByKind(evaluator, reads)].flatMap((axes): readonly WayRow[] => {
    if (axes.every((axis) => axis.length === 1)) {
      const inputs = axes.map(([layout]) => layout);
      const asRead = axes.map(([layout], operand) => reads[operand]?.indexOf(layout) ?? 0);
      const l1Bytes = l1BytesOf(evaluator, inputs, groups);
      return [...explore(feedOf(asRead, inputs, l1Bytes)).values()];
    }
    const asRead = axes.map((axis, operand) => {
      if (axis.length === 1) return reads[operand]?.indexOf(axis[0]) ?? 0;
      const index = (allReads[operand]?.push(undefined) ?? 1) - 1;
      eitherOf[operand]?.set(index, axis);
      return index;
    });
    const walks = walksOf(evaluator, op, axes).map((order) =>
      oneByOne(axes, order).map((inputs) => explore(feedOf(asRead, inputs, 0)))
    );
    return leastOf(walks);
  });
  const declared = declaredFeed(evaluator, op, reads, collector);
  if (declared !== undefined) rows.push(...declared.cheapest.values());
  return {
    reads: allReads,
    eitherOf,
    outputs: collector.outputs,
    rows,
    smaller: [],
    least: rows.reduce((us, row) => Math.min(us, row.microseconds), Infinity),
    aliases: rows.some((row) => row.aliases),
    relaxed: false,
  };
}

/** Per kind that every operand can have, the layouts of each operand that are of it. */
function* axesByKind(
  evaluator: OpEvaluator,
  reads: readonly LayoutIds[],
): Generator<readonly (readonly LayoutId[])[]> {
  const byOperand = reads.map((layouts) => {
    const kinds = new Map<string, LayoutId[]>();
    for (const id of layouts) {
      if (id === undefined) continue;
      const kind = joinKindOf(evaluator, id);
      kinds.set(kind, [...kinds.get(kind) ?? [], id]);
    }
    return kinds;
  });
  for (const kind of byOperand[0]?.keys() ?? []) {
    const axes = byOperand.map((kinds) => kinds.get(kind) ?? []);
    if (axes.every((axis) => axis.length > 0)) yield axes;
  }
}

/** Orders in which to move operands; one where they are all equal. */
function walksOf(
  evaluator: OpEvaluator,
  op: OpId,
  axes: readonly (readonly LayoutId[])[],
): readonly (readonly number[])[] {
  const sizes = evaluator.op(op).operands.map((value) => evaluator.value(value).tensor?.shape ?? []);
  const kinds = new Set(axes.map((axis, operand) => `${sizes[operand]?.join("x")}:${axis.join()}`));
  const elements = sizes.map((shape) => shape.reduce((product, extent) => product * extent, 1));
  const ascending = axes.map((_, operand) => operand)
    .sort((a, b) => (elements[a] ?? 0) - (elements[b] ?? 0) || a - b);
  return kinds.size === 1 ? [ascending] : [ascending, ascending.toReversed()];
}

/** All first ones, then operand by operand the second ones, and so on. */
function oneByOne(
  axes: readonly (readonly LayoutId[])[],
  order: readonly number[],
): readonly (readonly (LayoutId | undefined)[])[] {
  const current = axes.map(([first]) => first);
  const tuples = [[...current]];
  const most = axes.reduce((longest, axis) => Math.max(longest, axis.length), 0);
  for (let rank = 1; rank < most; rank++) {
    for (const operand of order) {
      const next = axes[operand]?.[rank];
      if (next === undefined) continue;
      current[operand] = next;
      tuples.push([...current]);
    }
  }
  return tuples;
}

/** Per output the least row of some walks, less what is unknown between the combinations that they try. */
export function leastOf(walks: readonly (readonly Feed["cheapest"][])[]): readonly WayRow[] {
  const least = new Map<number, WayRow>();
  const dearestMove = new Map<number, number>();
  for (const walk of walks) {
    walk.forEach((cheapest, at) => {
      for (const [output, row] of cheapest) {
        const { microseconds } = row;
        if (microseconds < (least.get(output)?.microseconds ?? Infinity)) least.set(output, row);
        const before = walk[at - 1]?.get(output)?.microseconds ?? microseconds;
        const move = Math.abs(microseconds - before);
        dearestMove.set(output, Math.max(dearestMove.get(output) ?? 0, move));
      }
    });
  }
  return [...least].map(([output, row]) => {
    const unknown = walks.length > 1 ? dearestMove.get(output) ?? 0 : 0;
    // Of L1 it needs what all combinations have in common, and nobody knows that.
    return { ...row, microseconds: Math.max(0, row.microseconds - unknown), l1Bytes: 0, aliases: true };
  });
}
