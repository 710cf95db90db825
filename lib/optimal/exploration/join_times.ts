// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../../layout/layout_table.ts";
import type { LayoutIds } from "../../search/ways.ts";
import type { WayRow } from "./way_table.ts";

/** Operands of all combinations that a join is asked about: each is looked at in every question. */
const MOST_READS = 50_000;

/** Mixtures that are tried at most on the way from one layout of all operands to the next. */
const MOST_MIXTURES = 32;

/** What the operands of a join may be read in where all of them have a layout of one kind. */
export interface JoinAxes {
  /** Layouts per operand. */
  readonly axes: readonly (readonly LayoutId[])[];
  /** Operands of which it makes no difference which one lies where. */
  readonly classes: readonly (readonly number[])[];
  /** Per operand, the layouts that it has anyway; none where it has to be copied whatever it is read in. */
  readonly atHome: readonly (readonly LayoutId[])[];
}

/** What a join takes at least to make one result, whatever its operands lie in. */
export interface JoinTime {
  /** A way to make it; its time and layouts are of no concern. */
  readonly row: WayRow;
  /** µs that it takes together with what {@linkcode extraUs} says of each operand, or more. */
  readonly microseconds: number;
  /** Least µs that it takes by itself. */
  readonly ownUs: number;
  /** Per operand and layout of its axis, µs; none is below 0. */
  readonly extraUs: readonly (readonly number[])[];
}

/** What a join does with some operands, by what it makes. */
export type AskJoin = (inputs: LayoutIds) => ReadonlyMap<number, WayRow>;

/** A combination of operand layouts and what was said to it. */
interface Sample {
  readonly inputs: LayoutIds;
  readonly rows: ReadonlyMap<number, WayRow>;
}

/**
 * What a join takes at least for each of its results, as a time of its own and a part for each operand, so that its operands
 * can choose one by one. The parts are what one operand changes by lying elsewhere while all others are at home: operands in
 * DRAM that nobody makes in L1 do not get the time of a join that reads L1 for nothing. The rest is the least of what remains
 * over all combinations.
 *
 * Where these are too many to list, it is the least over mixtures: from all operands in one layout to all in the next one, by
 * their number, the smallest first and the largest first. What a join takes rests on how many operands lie where and on the
 * sums of their bytes; of these the two orders meet the extremes (derived:join-times).
 *
 * @param bytesOf an operand
 * @param mostListed combinations that are asked about one by one
 */
export function joinTimes(
  { axes, classes, atHome }: JoinAxes,
  bytesOf: (operand: number) => number,
  mostListed: number,
  ask: AskJoin,
): readonly JoinTime[] {
  const sample = (inputs: LayoutIds): Sample => ({ inputs, rows: ask(inputs) });
  const uniform = alike(axes).map(sample);
  const home = sample(homeOf(axes, atHome, uniform));
  const singles = classes.reduce((sum, [member = -1]) => sum + (axes[member]?.length ?? 0), 0);
  const isEachAsked = singles * axes.length <= MOST_READS;
  const changed = classes.map(([member = -1]) =>
    isEachAsked ? (axes[member] ?? []).map((layout) => sample(home.inputs.with(member, layout))) : []
  );
  const listed = distributions(classes, axes, Math.min(mostListed, MOST_READS / axes.length));
  const samples = [
    ...uniform,
    home,
    ...changed.flat(),
    ...(listed ?? mixtures(axes, bytesOf)).map(sample),
  ];
  const made = new Map(samples.flatMap(({ rows }) => [...rows]));
  // Operands that nobody has elsewhere than where they are.
  const isBound = (index: number): boolean => atHome[classes[index]?.[0] ?? -1]?.length === 1;
  return [...made].map(([output, row]) => {
    const usOf = ({ rows }: Sample): number => rows.get(output)?.microseconds ?? Infinity;
    const homeUs = usOf(home);
    const changes = changed.map((byLayout) =>
      byLayout.map((each) => Number.isFinite(usOf(each) - homeUs) ? usOf(each) - homeUs : 0)
    );
    const known = samples.filter(({ rows }) => rows.has(output));
    const ownUs = known.reduce((us, each) => Math.min(us, usOf(each)), Infinity);
    const remaining = (parts: readonly (readonly number[])[]): number =>
      known.reduce(
        (us, each) => Math.min(us, usOf(each) - sumOf(parts, classes, axes, each.inputs)),
        Infinity,
      );
    const gains = changes.map((byLayout) => byLayout.map((us) => Math.min(0, us)));
    const gainsOfBound = gains.map((byLayout, index) => isBound(index) ? byLayout : []);
    const tried = [changes, gains, gainsOfBound, []].map((parts) => {
      const rest = remaining(parts);
      const least = classes.reduce((us, members, index) => {
        const own = isBound(index) ? [] : parts[index] ?? [];
        return us + members.length * own.reduce((us, each) => Math.min(us, each), 0);
      }, rest);
      return { parts, rest, least };
    });
    const best = tried.reduce((a, b) => b.least > a.least ? b : a);
    return { row, ownUs, ...inParts(best.rest, best.parts, classes, axes) };
  });
}

/** Parts per class, none below 0, as parts per operand. */
function inParts(
  rest: number,
  parts: readonly (readonly number[])[],
  classes: readonly (readonly number[])[],
  axes: readonly (readonly LayoutId[])[],
): Pick<JoinTime, "microseconds" | "extraUs"> {
  const extraUs: (readonly number[])[] = axes.map((axis) => axis.map(() => 0));
  let microseconds = rest;
  classes.forEach((members, index) => {
    const own = parts[index] ?? [];
    if (own.length === 0) return;
    const least = Math.min(...own);
    const extra = own.map((us) => us - least);
    microseconds += members.length * least;
    for (const operand of members) extraUs[operand] = extra;
  });
  return { microseconds, extraUs };
}

/** µs of the parts of all operands with some layouts. */
function sumOf(
  parts: readonly (readonly number[])[],
  classes: readonly (readonly number[])[],
  axes: readonly (readonly LayoutId[])[],
  inputs: LayoutIds,
): number {
  let sum = 0;
  classes.forEach((members, index) => {
    const own = parts[index] ?? [];
    for (const operand of members) {
      const layout = inputs[operand];
      sum += layout === undefined ? 0 : own[axes[operand]?.indexOf(layout) ?? -1] ?? 0;
    }
  });
  return sum;
}

/** Each operand where it is anyway, of several such layouts in the one in which a join of operands in their like is quickest. */
function homeOf(
  axes: readonly (readonly LayoutId[])[],
  atHome: readonly (readonly LayoutId[])[],
  uniform: readonly Sample[],
): LayoutIds {
  const quickest = uniform.map(({ rows }, rank) => ({
    rank,
    us: [...rows.values()].reduce((us, row) => Math.min(us, row.microseconds), Infinity),
  })).toSorted((a, b) => a.us - b.us || a.rank - b.rank);
  return axes.map((axis, operand) => {
    const own = axis.filter((layout) => atHome[operand]?.includes(layout) === true);
    const among = own.length === 0 ? axis : own;
    const best = quickest.find(({ rank }) => {
      const layout = axis[rank];
      return layout !== undefined && among.includes(layout);
    });
    return axis[best?.rank ?? -1] ?? among[0];
  });
}

/** All operands in their first layout, all in their second one, and so on. */
function alike(axes: readonly (readonly LayoutId[])[]): readonly LayoutIds[] {
  const most = axes.reduce((longest, axis) => Math.max(longest, axis.length), 0);
  return Array.from({ length: most }, (_, rank) => axes.map((axis) => axis[rank] ?? axis.at(-1)));
}

/** Combinations on the way from all operands in one layout to all in the next one. */
function mixtures(
  axes: readonly (readonly LayoutId[])[],
  bytesOf: (operand: number) => number,
): readonly LayoutIds[] {
  const operands = [...axes.keys()];
  const ascending = operands.toSorted((a, b) => bytesOf(a) - bytesOf(b) || a - b);
  const ends = alike(axes);
  const ways = 2 * Math.max(1, ends.length - 1);
  const count = Math.min(
    axes.length,
    MOST_MIXTURES,
    Math.max(4, Math.floor(MOST_READS / (ways * axes.length))),
  );
  return ends.slice(1).flatMap((to, index) =>
    [ascending, ascending.toReversed()].flatMap((order) =>
      Array.from({ length: count }, (_, step) => {
        const moved = new Set(order.slice(0, Math.ceil((step + 1) * axes.length / (count + 1))));
        return to.map((layout, operand) => moved.has(operand) ? layout : ends[index]?.[operand]);
      })
    )
  );
}

/**
 * One combination per way to distribute the layouts of each class of equal operands over them; `undefined` where there are
 * more than `most`.
 */
function distributions(
  classes: readonly (readonly number[])[],
  axes: readonly (readonly LayoutId[])[],
  most: number,
): readonly LayoutIds[] | undefined {
  let found: readonly LayoutIds[] = [axes.map(([first]) => first)];
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
