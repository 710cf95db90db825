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

/** Part of the combinations of an op that a join is asked about: its questions are the dear ones. */
const JOINED_PART = 1 / 8;

/**
 * Operands of all combinations that a join is asked about: each is looked at in every question, and what is launched for it
 * stays in memory. Joins of up to forty operands are listed as if there were no such limit.
 */
const MOST_READS = 100_000;

/** Mixtures that {@linkcode leastSums} tries at most on the way from one end to the other. */
const MOST_MIXTURES = 64;

/**
 * The ways of a join of so many operands that their combinations cannot be listed: 27 operands in DRAM or L1 have 134 million.
 * Each kind of layout that all operands may have in common is one combination here. Where an operand has several layouts of the
 * kind it reads any one of them ({@linkcode WayTable.eitherOf}), whatever the others read. The op takes the least time that
 * any real combination takes, which is a bound.
 *
 * To find that least time not all combinations need to be asked about. A join copies what it reads page by page (`joinPages`).
 * So it makes no difference which of several equal operands (same shape, format and layouts) lies where, but only how many of
 * them have each layout. Each such distribution is asked about once. Where there are too many distributions, there are two
 * cases. The op may take the sum of what each operand takes ({@linkcode leastSums}); then the least sum is taken. Otherwise
 * nothing is known, and the op takes no time.
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
    const most = Math.min(JOINED_PART * limits.combinations, MOST_READS / axes.length);
    const ask = (inputs: LayoutIds): Feed["cheapest"] => explore(feedOf(asRead, inputs, 0));
    return leastRows(classesOf(evaluator, op, axes), axes, most, ask);
  });
  const declared = declaredFeed(evaluator, op, reads, groups, collector);
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

/**
 * Per output the row that stands for all combinations of layouts of one kind, with the least time that any of them takes.
 *
 * @param most combinations that are asked about one by one
 */
function leastRows(
  classes: readonly (readonly number[])[],
  axes: readonly (readonly LayoutId[])[],
  most: number,
  ask: (inputs: LayoutIds) => ReadonlyMap<number, WayRow>,
): readonly WayRow[] {
  const listed = distributions(classes, axes, most);
  const least = new Map<number, WayRow>();
  for (const inputs of listed ?? alike(axes)) {
    for (const [output, row] of ask(inputs)) {
      if (row.microseconds < (least.get(output)?.microseconds ?? Infinity)) least.set(output, row);
    }
  }
  const sums = listed === undefined ? leastSums(classes, axes, ask, MOST_READS) : undefined;
  // Of L1 it needs what all combinations have in common, and nobody knows that.
  return [...least.values()].map((row) => ({
    ...row,
    microseconds: listed === undefined ? sums?.get(row.output) ?? 0 : row.microseconds,
    l1Bytes: 0,
    aliases: true,
  }));
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

/** Operands by what makes it indifferent which of them lies where: shape, format, and the layouts that they may have. */
function classesOf(
  evaluator: OpEvaluator,
  op: OpId,
  axes: readonly (readonly LayoutId[])[],
): readonly (readonly number[])[] {
  const { operands } = evaluator.op(op);
  const classes = Map.groupBy(operands.entries(), ([operand, value]) => {
    const { tensor } = evaluator.value(value);
    return `${tensor?.shape.join("x")}:${tensor?.dataType}:${axes[operand]?.join()}`;
  });
  return [...classes.values()].map((members) => members.map(([operand]) => operand));
}

/**
 * One combination per way to distribute the layouts of each class of equal operands over them; `undefined` where there are
 * more than `most`.
 */
function distributions(
  classes: readonly (readonly number[])[],
  axes: readonly (readonly LayoutId[])[],
  most: number,
): readonly (readonly (LayoutId | undefined)[])[] | undefined {
  let found: readonly (readonly (LayoutId | undefined)[])[] = [axes.map(([first]) => first)];
  for (const members of classes) {
    const axis = axes[members[0] ?? -1] ?? [];
    const own = multisets(axis, members.length, most / found.length);
    if (own === undefined) return undefined;
    found = found.flatMap((inputs) =>
      own.map((layouts) => {
        const next = [...inputs];
        members.forEach((operand, index) => next[operand] = layouts[index]);
        return next;
      })
    );
  }
  return found;
}

/** Every way to choose so many items, whatever their order; `undefined` where there are more than `most`. */
export function multisets<Item>(
  items: readonly Item[],
  count: number,
  most: number,
): readonly (readonly Item[])[] | undefined {
  let found: { readonly chosen: readonly Item[]; readonly from: number }[] = [{ chosen: [], from: 0 }];
  for (let size = 0; size < count; size++) {
    found = found.flatMap(({ chosen, from }) =>
      items.slice(from).map((item, index) => ({ chosen: [...chosen, item], from: from + index }))
    );
    if (found.length > most) return undefined;
  }
  return found.map(({ chosen }) => chosen);
}

/** Share by which times of the same programs, added in another order, may differ. */
const SAME = 1e-9;

/**
 * Per output, the least µs over all combinations, where the op takes the sum of what each operand takes. Ops do that which
 * bring their operands into rows one after the other. Whether it is such a sum is tried: what an operand changes by lying
 * elsewhere has to be the same with all others in their first layouts and with all of them in their last ones, and
 * mixtures on the way from the one to the other, operand by operand, have to be the sum as well.
 *
 * @param classes of operands of which one is asked about for all
 * @param ask what the op does with some operands, by output
 * @param mostReads operands of all questions; without them nothing is known
 * @returns without outputs that are no such sum
 */
export function leastSums(
  classes: readonly (readonly number[])[],
  axes: readonly (readonly LayoutId[])[],
  ask: (inputs: LayoutIds) => ReadonlyMap<number, WayRow>,
  mostReads: number,
): ReadonlyMap<number, number> {
  const ends = [axes.map((axis) => axis[0]), axes.map((axis) => axis.at(-1))] as const;
  const axisOf = ([operand = -1]: readonly number[]): readonly LayoutId[] => axes[operand] ?? [];
  const mixtures = Math.min(axes.length, MOST_MIXTURES);
  const questions = 2 * classes.reduce((sum, members) => sum + axisOf(members).length, 1) + mixtures;
  if (questions * axes.length > mostReads) return new Map();
  const asked = ends.map((end) => ({
    whole: ask(end),
    changed: classes.map((members) =>
      axisOf(members).map((layout) => ask(end.with(members[0] ?? 0, layout)))
    ),
  }));
  const [first, last] = asked;
  const between = Array.from({ length: mixtures }, (_, index) => {
    const moved = Math.ceil((index + 1) * axes.length / mixtures);
    return { moved, rows: ask(ends[0].map((layout, at) => at < moved ? ends[1][at] : layout)) };
  });
  const sums = new Map<number, number>();
  for (const [output, { microseconds }] of first?.whole ?? []) {
    const slack = SAME * microseconds;
    const gainsAt = (end: typeof first): readonly (readonly number[])[] =>
      (end?.changed ?? []).map((byLayout) => {
        const us = byLayout.map((rows) => rows.get(output)?.microseconds ?? NaN);
        return us.map((each) => each - (us[0] ?? NaN));
      });
    const [gains, others] = [gainsAt(first), gainsAt(last)];
    const isSum = gains.every((own, at) =>
      own.every((gain, layout) => Math.abs(gain - (others[at]?.[layout] ?? NaN)) <= slack)
    );
    const isSumBetween = between.every(({ moved, rows }) => {
      const sum = gains.reduce((us, own, at) => {
        const members = classes[at]?.filter((operand) => operand < moved).length ?? 0;
        return us + members * (own.at(-1) ?? 0);
      }, microseconds);
      return Math.abs(sum - (rows.get(output)?.microseconds ?? NaN)) <= slack * axes.length;
    });
    if (!isSum || !isSumBetween) continue;
    const least = gains.reduce(
      (us, own, at) => us + (classes[at]?.length ?? 0) * Math.min(...own),
      microseconds,
    );
    sums.set(output, least);
  }
  return sums;
}

/** All operands in their first layout, all in their second one, and so on. */
function alike(axes: readonly (readonly LayoutId[])[]): readonly (readonly (LayoutId | undefined)[])[] {
  const most = axes.reduce((longest, axis) => Math.max(longest, axis.length), 0);
  return Array.from({ length: most }, (_, rank) => axes.map((axis) => axis[rank] ?? axis.at(-1)));
}
