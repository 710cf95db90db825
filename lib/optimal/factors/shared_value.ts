// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../../layout/layout_table.ts";
import type { LayoutIds } from "../../search/ways.ts";
import type { ConversionTable } from "../exploration/conversions.ts";
import type { EitherRead } from "../exploration/way_table.ts";
import { partOf, PathsByLayout } from "./reader_paths.ts";
import { partsApart, type Sharing } from "./sharing.ts";

/**
 * How a value and its copies serve its readers: the layout in which it is produced, and the first copy of a
 * branch.
 */
export interface Supply {
  /** Index of the layout in which the value is produced. */
  readonly birth: number;
  /**
   * The first copy of a branch, which is paid in full. Without such a copy: `common` is a single branch for
   * all readers, `apart` several branches or none, and `any` either.
   */
  readonly branch: LayoutId | "any" | "common" | "apart";
}

/** Whether a value may be in a layout at some time before a reader comes. */
export type MayWait = (layout: LayoutId, born: LayoutId) => boolean;

/**
 * The costs of a value that several readers may convert, as a choice among supplies. A plan pays a copy once,
 * however many readers share it; factors of single readers cannot express that.
 *
 * Let T be the tree of copies of value v in a plan, t(c) the price of copy c, and s_r(c) the share of it that
 * reader r pays along its path from the root. If Σ_r s_r(c) ≤ 1 for every copy c, then Σ_r Σ_c s_r(c)·t(c) ≤
 * Σ_{c ∈ T} t(c). So the least over all supplies is a lower bound. The cases, by the first copy of T's
 * branches (up to the first layout that is read or where T forks):
 *
 * - The branch begins with the copy of a supply: t(c) is paid in full. Readers of other layouts pay a share
 *   of their path from there or from the root; all shares except the least add up to 1 ({@linkcode
 *   partsApart}), because no branch then has all readers.
 * - All branches begin with other copies, and none has all readers: as above, without a paid copy.
 * - One branch has all readers: every reader pays its share of a path through a copy, even back to the root's
 *   layout; all shares add up to 1.
 *
 * With two readers and all copies paid the bound is exact.
 *
 * Shares may differ by copy: a reader then pays for the cheapest path by its own shares ({@linkcode
 * PathsByLayout}), at most its path in T. Here they depend on the layout that a copy produces ({@linkcode
 * Sharing.partsInto}), so that readers of different copies each pay theirs in full. With the best shares for
 * every single copy, the cost of given reads would be their multi-commodity flow (derived:shared-copies).
 */
export class SharedValue {
  readonly supplies: readonly Supply[];
  /** Layouts in which the value may be produced. */
  readonly births: LayoutIds;
  readonly #copies: readonly LayoutId[];
  readonly #layouts: readonly LayoutId[];
  readonly #conversions: Pick<ConversionTable, "microseconds"> | undefined;
  readonly #parts: readonly number[];
  /** Fraction per reader of a path that not all of them share. */
  readonly #partsApart: readonly number[];
  readonly #mayWait: readonly (readonly MayWait[])[] | undefined;
  /** Costs by reader if shares depend on the target of a copy; `undefined` if they do not. */
  readonly #byLayout: PathsByLayout | undefined;
  /** µs from a layout to every layout that is not paid in full. */
  readonly #pricesFrom: Map<LayoutId, Float64Array> = new Map();
  /** By condition: µs from a layout to every layout that satisfies it. */
  readonly #pricesThereOf: Map<MayWait, Map<LayoutId, Float64Array>> = new Map();
  /** µs to a layout from each of these. */
  readonly #pricesTo: Map<LayoutId, Float64Array> = new Map();
  /** {@linkcode stopsBetween} two layouts, which the values of equal layers have in common. */
  readonly #stopsFrom: Map<LayoutId, Map<LayoutId, readonly LayoutId[]>> = new Map();

  /**
   * @param births layouts in which the value may be produced
   * @param sharing how readers share copies; its fractions must add up to 1 for a bound
   * @param layouts all layouts in which the value may be read
   * @param conversions their prices; `undefined` if it is not a tensor, which costs nothing
   * @param mayWait per reader: conditions, each of which must be satisfied by some layout of the value before
   * the reader comes; only without paid copies
   */
  constructor(
    births: LayoutIds,
    sharing: Sharing,
    layouts: readonly LayoutId[],
    conversions: Pick<ConversionTable, "microseconds"> | undefined,
    mayWait?: readonly (readonly MayWait[])[],
  ) {
    const { paid, parts, tellsApart, partsInto } = sharing;
    this.#mayWait = mayWait;
    this.births = births;
    this.#copies = paid;
    this.#layouts = layouts;
    this.#conversions = conversions;
    this.#parts = parts;
    this.#partsApart = partsApart(parts);
    this.#byLayout = partsInto === undefined
      ? undefined
      : new PathsByLayout(layouts, partsInto, sharing, (from, to) => this.#price(from, to));
    const others = tellsApart ? ["common", "apart"] as const : ["any"] as const;
    this.supplies = births.flatMap((from, birth): Supply[] => [
      ...others.map((branch) => ({ birth, branch })),
      ...paid.flatMap((branch) =>
        from === undefined || from === branch || this.#price(from, branch) === Infinity
          ? []
          : [{ birth, branch }]
      ),
    ]);
  }

  /**
   * The layout in which a value waits for a reader: of those that satisfy all conditions, the one with the
   * cheapest path through it; of equals the first of `preferred`. A plan may change the layout while the
   * value waits: its path then passes the smallest of its layouts, and costs no less.
   */
  carrierOf(
    from: LayoutId,
    reader: number,
    to: LayoutId,
    preferred: readonly LayoutId[] = this.#layouts,
  ): LayoutId {
    let carrier = from;
    let least = Infinity;
    for (const layout of preferred) {
      const way = this.#price(from, layout) + this.#price(layout, to);
      const us = (this.#parts[reader] ?? 1) * way;
      if (us >= least || this.#conditions(reader).some((mayWait) => !mayWait(layout, from))) continue;
      least = us;
      carrier = layout;
    }
    return carrier;
  }

  #conditions(reader: number): readonly MayWait[] {
    return this.#mayWait?.[reader] ?? [];
  }

  /**
   * µs that a reader pays for a value that has to wait for it: the most expensive of the conditions. A plan may
   * satisfy one condition in one layout and the next in another.
   */
  #carried(from: LayoutId, reader: number, to: LayoutId): number {
    return this.#conditions(reader).reduce(
      (us, mayWait) => Math.max(us, this.#carriedUnder(mayWait, from, reader, to)),
      0,
    );
  }

  #carriedUnder(mayWait: MayWait, from: LayoutId, reader: number, to: LayoutId): number {
    const there = this.#pricesThere(from, mayWait);
    const on = this.#pricesOn(to);
    const part = this.#parts[reader] ?? 1;
    let least = Infinity;
    for (let stop = 0; stop < there.length; stop++) {
      const us = part * ((there[stop] ?? Infinity) + (on[stop] ?? Infinity));
      if (us < least) least = us;
    }
    return least;
  }

  /** µs from a layout to every layout that satisfies a condition. */
  #pricesThere(from: LayoutId, mayWait: MayWait): Float64Array {
    let known = this.#pricesThereOf.get(mayWait);
    if (known === undefined) this.#pricesThereOf.set(mayWait, known = new Map());
    return known.get(from) ?? this.#pricesVia(
      known,
      from,
      (stop) => mayWait(stop, from) ? this.#price(from, stop) : Infinity,
    );
  }

  /**
   * µs that a reader pays to read a layout under a supply. Every reader pays its share of a copy that is paid
   * in full, also if it reads another layout, so that the least over all supplies is at least the cost
   * without paid copies.
   */
  shareOf({ birth, branch }: Supply, reader: number, to: LayoutId | undefined): number {
    const from = this.births[birth];
    if (this.#byLayout !== undefined && from !== undefined) {
      return this.#shareByLayout(this.#byLayout, from, branch, reader, to);
    }
    const own = this.#parts[reader] ?? 1;
    const paid = from === undefined || typeof branch === "string" ? 0 : own * this.#price(from, branch);
    if (from === undefined || to === undefined) return paid;
    if (this.#conditions(reader).length > 0 && typeof branch === "string") {
      return this.#carried(from, reader, to);
    }
    if (branch === "common") return partOf(own, this.#firstOther(from, to));
    if (to === from || to === branch) return paid;
    if (branch === "any") return partOf(own, this.#firstOther(from, to));
    const part = this.#partsApart[reader] ?? 1;
    if (branch === "apart") return partOf(part, this.#firstOther(from, to));
    return paid + partOf(part, Math.min(this.#price(from, to), this.#price(branch, to)));
  }

  #shareByLayout(
    byLayout: PathsByLayout,
    from: LayoutId,
    branch: Supply["branch"],
    reader: number,
    to: LayoutId | undefined,
  ): number {
    if (typeof branch !== "string") {
      const paid = byLayout.partOfCopy(reader, from, branch);
      if (to === undefined || to === from || to === branch) return paid;
      return paid + Math.min(
        byLayout.microseconds("apart", reader, from, to),
        byLayout.microseconds("apart", reader, branch, to),
      );
    }
    if (to === undefined || (to === from && branch !== "common")) return 0;
    return byLayout.microsecondsUnpaid(branch === "apart" ? "apart" : "shared", reader, from, to);
  }

  /** The copies that a reader pays fractions of under a supply. */
  movesOf({ birth, branch }: Supply, reader: number, to: LayoutId | undefined): readonly Move[] {
    const from = this.births[birth];
    if (from === undefined || to === undefined || to === branch || (to === from && branch !== "common")) {
      return [];
    }
    const stops = this.#stopsOn(from, branch, reader, to);
    return stops.slice(1).map((into, at) => ({ into, us: this.#price(stops[at] ?? from, into) }));
  }

  /** The path that a reader pays fractions of, from where the readers' paths part. */
  #stopsOn(from: LayoutId, branch: Supply["branch"], reader: number, to: LayoutId): readonly LayoutId[] {
    const byLayout = this.#byLayout;
    if (typeof branch !== "string") {
      const us = (start: LayoutId): number =>
        byLayout?.microseconds("apart", reader, start, to) ?? this.#price(start, to);
      const start = us(branch) < us(from) ? branch : from;
      return byLayout?.path("apart", reader, start, to) ?? [start, to];
    }
    if (byLayout !== undefined) {
      return byLayout.pathUnpaid(branch === "apart" ? "apart" : "shared", reader, from, to);
    }
    const [stop = to] = this.stopsBetween(from, to);
    return stop === to ? [from, to] : [from, stop, to];
  }

  /** Equal for readers that pay the same, if the values differ in fractions only. */
  partsKey(reader: number): string {
    return this.#byLayout?.key(reader) ?? `${this.#parts[reader]}/${this.#partsApart[reader]}`;
  }

  /** First stops of paths between two layouts that are not paid in full, the cheapest path first. */
  stopsBetween(from: LayoutId, to: LayoutId): readonly LayoutId[] {
    const fromHere = this.#stopsFrom.get(from) ?? new Map<LayoutId, readonly LayoutId[]>();
    this.#stopsFrom.set(from, fromHere);
    let stops = fromHere.get(to);
    if (stops === undefined) fromHere.set(to, stops = this.#findStops(from, to));
    return stops;
  }

  #findStops(from: LayoutId, to: LayoutId): readonly LayoutId[] {
    return this.#layouts.filter((stop) => stop !== from && !this.#copies.includes(stop))
      .map((stop) => ({ stop, us: this.#price(from, stop) + this.#price(stop, to) }))
      .sort((a, b) => a.us - b.us || Number(b.stop === to) - Number(a.stop === to))
      .map(({ stop }) => stop);
  }

  #firstOther(from: LayoutId, to: LayoutId): number {
    const there = this.#pricesFrom.get(from) ?? this.#pricesVia(
      this.#pricesFrom,
      from,
      (stop) => stop === from ? Infinity : this.#price(from, stop),
    );
    const on = this.#pricesOn(to);
    let least = Infinity;
    for (let stop = 0; stop < there.length; stop++) {
      const path = (there[stop] ?? Infinity) + (on[stop] ?? Infinity);
      if (path < least) least = path;
    }
    return least;
  }

  /** µs from every stop to a layout. */
  #pricesOn(to: LayoutId): Float64Array {
    return this.#pricesTo.get(to) ??
      this.#pricesVia(this.#pricesTo, to, (stop) => this.#price(stop, to));
  }

  /** Computes and caches prices by stop for one end. */
  #pricesVia(
    known: Map<LayoutId, Float64Array>,
    end: LayoutId,
    price: (stop: LayoutId) => number,
  ): Float64Array {
    const layouts = this.#layouts;
    const prices = new Float64Array(layouts.length).fill(Infinity);
    for (let at = 0; at < layouts.length; at++) {
      const stop = layouts[at];
      if (stop !== undefined && !this.#copies.includes(stop)) prices[at] = price(stop);
    }
    known.set(end, prices);
    return prices;
  }

  #price(from: LayoutId, to: LayoutId): number {
    return this.#conversions?.microseconds(from, to) ?? 0;
  }
}

/** A copy that a reader pays a fraction of. */
export interface Move {
  readonly into: LayoutId;
  readonly us: number;
}

/** µs by supply (varies slowly) and layout that a reader may read (varies fast); of several layouts the cheapest. */
export function sharesOf(
  shared: SharedValue,
  reader: number,
  reads: LayoutIds,
  eitherOf?: ReadonlyMap<number, readonly EitherRead[]>,
): Float64Array {
  return Float64Array.from(
    shared.supplies.flatMap((supply) =>
      reads.map((to, index) => {
        const several = eitherOf?.get(index);
        return several === undefined ? shared.shareOf(supply, reader, to) : several.reduce(
          (us, { layout, extraUs }) => Math.min(us, shared.shareOf(supply, reader, layout) + extraUs),
          Infinity,
        );
      })
    ),
  );
}

/**
 * Which supplies a value may have: 0 per birth (varies slowly, if an op produces the value) and supply (varies
 * fast), otherwise `Infinity`.
 */
export function supplyTable({ supplies, births }: SharedValue, isProduced: boolean): Float64Array {
  if (!isProduced) return new Float64Array(supplies.length);
  const table = new Float64Array(births.length * supplies.length).fill(Infinity);
  supplies.forEach((supply, index) => table[supply.birth * supplies.length + index] = 0);
  return table;
}
