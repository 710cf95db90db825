// SPDX-License-Identifier: Apache-2.0
import { JOIN_MIXTURES, JOIN_READS } from "../limits.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import type { Impl } from "./impl_table.ts";

/** The layouts of one kind (`joinKindOf`) in which a join may read each of its operands. */
export interface JoinAxes {
  /** Layouts per operand. */
  readonly axes: readonly (readonly LayoutId[])[];
  /** Classes of equal operands, among which it does not matter which one has which layout. */
  readonly classes: readonly (readonly number[])[];
  /** Per operand: the layouts that it has without a copy; empty if it has to be copied in any case. */
  readonly atHome: readonly (readonly LayoutId[])[];
}

/**
 * A lower bound on a join's µs for one result, over layouts l_o of operands o: `microseconds` + Σ_o
 * `extraUs`.
 */
export interface JoinTime {
  /** An implementation that produces the result; its time and operand layouts are replaced. */
  readonly row: Impl;
  /** Base µs of the lower bound. */
  readonly microseconds: number;
  /** Least µs over queried combinations. */
  readonly ownUs: number;
  /** Per operand and layout of its axis: the operand's charge, ≥ 0 µs. */
  readonly extraUs: readonly (readonly number[])[];
}

/** The implementations of a join with given operands, by result. */
export type AskJoin = (inputs: LayoutIds) => ReadonlyMap<number, Impl>;

/** A combination of operand layouts and its answer. */
interface Sample {
  readonly inputs: LayoutIds;
  readonly rows: ReadonlyMap<number, Impl>;
}

/**
 * Lower bounds on the time of a join for each result, as a base time plus a charge per operand, so that
 * operands choose independently. Charge of an operand in a layout: the change of the time if only this
 * operand leaves its home layout. Operands in DRAM thus get the time of a join that reads DRAM. Base time:
 * the least remainder (time minus charges) over all combinations. Any charges give a lower bound: of those, of the
 * savings alone, and of none, the bound that is highest is taken.
 *
 * With too many combinations, it is the least over mixtures: from all operands in one layout to all in the
 * next, one operand more at a time, smallest first and largest first. The time depends on how many operands
 * have which layout and on their sums of bytes; the two orders reach the extremes of these sums
 * (derived:join-times).
 *
 * @param bytesOf bytes of an operand
 * @param mostListed most combinations that are queried one by one
 */
export function joinTimes(
  { axes, classes, atHome }: JoinAxes,
  bytesOf: (operand: number) => number,
  mostListed: number,
  ask: AskJoin,
): readonly JoinTime[] {
  const sample = (inputs: LayoutIds): Sample => ({ inputs, rows: ask(inputs) });
  const uniform = uniformCombinations(axes).map(sample);
  const home = sample(homeOf(axes, atHome, uniform));
  const singles = classes.reduce((sum, [member = -1]) => sum + (axes[member]?.length ?? 0), 0);
  const isEachAsked = singles * axes.length <= JOIN_READS;
  const changed = classes.map(([member = -1]) =>
    isEachAsked ? (axes[member] ?? []).map((layout) => sample(home.inputs.with(member, layout))) : []
  );
  const listed = distributions(classes, axes, Math.min(mostListed, JOIN_READS / axes.length));
  const samples = [
    ...uniform,
    home,
    ...changed.flat(),
    ...(listed ?? mixtures(axes, bytesOf)).map(sample),
  ];
  const made = new Map(samples.flatMap(({ rows }) => [...rows]));
  // Operands that have exactly one layout without a copy.
  const isBound = (index: number): boolean => atHome[classes[index]?.[0] ?? -1]?.length === 1;
  return [...made].map(([output, row]) => {
    const usOf = ({ rows }: Sample): number => rows.get(output)?.microseconds ?? Infinity;
    const homeUs = usOf(home);
    const changes = changed.map((byLayout) =>
      byLayout.map((each) => Number.isFinite(usOf(each) - homeUs) ? usOf(each) - homeUs : 0)
    );
    const answered = samples.filter(({ rows }) => rows.has(output));
    const ownUs = answered.reduce((us, each) => Math.min(us, usOf(each)), Infinity);
    const remaining = (charges: readonly (readonly number[])[]): number =>
      answered.reduce(
        (us, each) => Math.min(us, usOf(each) - sumOf(charges, classes, axes, each.inputs)),
        Infinity,
      );
    const gains = changes.map((byLayout) => byLayout.map((us) => Math.min(0, us)));
    const gainsOfBound = gains.map((byLayout, index) => isBound(index) ? byLayout : []);
    const tried = [changes, gains, gainsOfBound, []].map((charges) => {
      const rest = remaining(charges);
      const least = classes.reduce((us, members, index) => {
        const own = isBound(index) ? [] : charges[index] ?? [];
        return us + members.length * own.reduce((us, each) => Math.min(us, each), 0);
      }, rest);
      return { charges, rest, least };
    });
    const best = tried.reduce((a, b) => b.least > a.least ? b : a);
    return { row, ownUs, ...perOperand(best.rest, best.charges, classes, axes) };
  });
}

/** Charges per operand, ≥ 0: moves the least charge of each class into the base time. */
function perOperand(
  rest: number,
  charges: readonly (readonly number[])[],
  classes: readonly (readonly number[])[],
  axes: readonly (readonly LayoutId[])[],
): Pick<JoinTime, "microseconds" | "extraUs"> {
  const extraUs: (readonly number[])[] = axes.map((axis) => axis.map(() => 0));
  let microseconds = rest;
  classes.forEach((members, index) => {
    const own = charges[index] ?? [];
    if (own.length === 0) return;
    const least = Math.min(...own);
    const extra = own.map((us) => us - least);
    microseconds += members.length * least;
    for (const operand of members) extraUs[operand] = extra;
  });
  return { microseconds, extraUs };
}

/** Sum over all operands of their charges in the given layouts, in µs. */
function sumOf(
  charges: readonly (readonly number[])[],
  classes: readonly (readonly number[])[],
  axes: readonly (readonly LayoutId[])[],
  inputs: LayoutIds,
): number {
  let sum = 0;
  classes.forEach((members, index) => {
    const own = charges[index] ?? [];
    for (const operand of members) {
      const layout = inputs[operand];
      sum += layout === undefined ? 0 : own[axes[operand]?.indexOf(layout) ?? -1] ?? 0;
    }
  });
  return sum;
}

/**
 * The home layout of each operand: of several, the one in which the join is fastest when all operands have
 * that layout.
 */
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
function uniformCombinations(axes: readonly (readonly LayoutId[])[]): readonly LayoutIds[] {
  const most = axes.reduce((longest, axis) => Math.max(longest, axis.length), 0);
  return Array.from({ length: most }, (_, rank) => axes.map((axis) => axis[rank] ?? axis.at(-1)));
}

/** Combinations between all operands in one layout and all in the next one. */
function mixtures(
  axes: readonly (readonly LayoutId[])[],
  bytesOf: (operand: number) => number,
): readonly LayoutIds[] {
  const operands = [...axes.keys()];
  const ascending = operands.toSorted((a, b) => bytesOf(a) - bytesOf(b) || a - b);
  const ends = uniformCombinations(axes);
  const ramps = 2 * Math.max(1, ends.length - 1);
  const count = Math.min(
    axes.length,
    JOIN_MIXTURES,
    Math.max(4, Math.floor(JOIN_READS / (ramps * axes.length))),
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
 * One combination for each distribution of layouts over every class of equal operands; `undefined` if there are
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

/** All multisets of `count` items; `undefined` if more than `most`. */
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
