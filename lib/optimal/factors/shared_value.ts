// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import type { ConversionTable } from "../exploration/conversions.ts";
import { separateShares, type Sharing } from "./sharing.ts";

/**
 * How a value and its copies serve its readers: the layout in which it is produced, and the first copy of a
 * branch.
 */
export interface CopyTree {
  /** Index of the layout in which the value is produced. */
  readonly produced: number;
  /**
   * The layout of a branch's first copy, if that copy is paid in full. Otherwise `common`: one branch for all
   * readers; `apart`: several branches or none; `any`: either.
   */
  readonly branch: LayoutId | "any" | "common" | "apart";
}

/** Whether a value may be in a layout at some time before a reader comes. */
export type MayWait = (layout: LayoutId, producedIn: LayoutId) => boolean;

/**
 * The costs of converting a value for several readers, as a choice among copy trees. A plan pays a copy once, for any
 * number of readers; factors of single readers cannot express that.
 *
 * Let T be the tree of copies of value v in a plan, t(c) the price of copy c, and s_r(c) the share of it that
 * reader r pays along its path from the root. If Σ_r s_r(c) ≤ 1 for every copy c, then Σ_r Σ_c s_r(c)·t(c) ≤
 * Σ_{c ∈ T} t(c). So the least over all copy trees is a lower bound. The cases, by the first copy of T's
 * branches (up to the first layout that is read or where T forks):
 *
 * - {@linkcode CopyTree.branch} is a layout: the first copy of a branch, which is paid in full. Readers of other
 *   layouts pay a share of their path from that copy or from the root; all shares except the least add up to 1
 *   ({@linkcode separateShares}), because no branch serves all readers.
 * - `apart`: all branches begin with other copies, and none serves all readers: as above, without a paid copy.
 * - `common`: one branch serves all readers: every reader pays its share of a path through a copy, even back to the
 *   root's layout; all shares add up to 1.
 *
 * With two readers and all copies paid the bound is exact (derived:shared-copies).
 */
export class SharedValue {
  readonly copyTrees: readonly CopyTree[];
  /** Layouts in which the value may be produced. */
  readonly producedLayouts: LayoutIds;
  readonly #copies: readonly LayoutId[];
  readonly #layouts: readonly LayoutId[];
  readonly #conversions: Pick<ConversionTable, "microseconds"> | undefined;
  readonly #shares: readonly number[];
  /** Share per reader of a path that not all readers have in common. */
  readonly #separateShares: readonly number[];
  readonly #mayWait: readonly (readonly MayWait[])[] | undefined;
  /** µs from a layout to every layout that is not paid in full. */
  readonly #pricesFrom: Map<LayoutId, Float64Array> = new Map();
  /** By condition: µs from a layout to every layout that satisfies it. */
  readonly #pricesThereOf: Map<MayWait, Map<LayoutId, Float64Array>> = new Map();
  /** µs to a layout from each of these. */
  readonly #pricesTo: Map<LayoutId, Float64Array> = new Map();
  /** {@linkcode intermediatesBetween} two layouts, which the values of equal layers have in common. */
  readonly #intermediatesFrom: Map<LayoutId, Map<LayoutId, readonly LayoutId[]>> = new Map();

  /**
   * @param producedLayouts layouts in which the value may be produced
   * @param sharing how readers share copies; for a bound its shares add up to 1
   * @param layouts all layouts in which the value may be read
   * @param conversions their prices; `undefined` if the value is not a tensor and costs nothing
   * @param mayWait per reader: conditions, each of which some layout of the value must satisfy before the
   * reader comes; only without paid copies
   */
  constructor(
    producedLayouts: LayoutIds,
    sharing: Sharing,
    layouts: readonly LayoutId[],
    conversions: Pick<ConversionTable, "microseconds"> | undefined,
    mayWait?: readonly (readonly MayWait[])[],
  ) {
    const { paid, shares, separatesBranches } = sharing;
    this.#mayWait = mayWait;
    this.producedLayouts = producedLayouts;
    this.#copies = paid;
    this.#layouts = layouts;
    this.#conversions = conversions;
    this.#shares = shares;
    this.#separateShares = separateShares(shares);
    const others = separatesBranches ? ["common", "apart"] as const : ["any"] as const;
    this.copyTrees = producedLayouts.flatMap((from, produced): CopyTree[] => [
      ...others.map((branch) => ({ produced, branch })),
      ...paid.flatMap((branch) =>
        from === undefined || from === branch || this.#price(from, branch) === Infinity
          ? []
          : [{ produced, branch }]
      ),
    ]);
  }

  /**
   * The layout c of `candidates` in which a value produced in `from` waits for a reader of `to`: it satisfies all
   * conditions of the reader, and price(from, c) + price(c, to) is least, of equals the first. A plan that changes
   * the layout during the wait passes the smallest of its layouts, too, and pays at least as much.
   *
   * @param candidates by default all layouts of the value
   * @returns `from` if no candidate satisfies the conditions and can be reached
   */
  waitingLayoutOf(
    from: LayoutId,
    reader: number,
    to: LayoutId,
    candidates: readonly LayoutId[] = this.#layouts,
  ): LayoutId {
    let waiting = from;
    let least = Infinity;
    for (const layout of candidates) {
      const pathUs = this.#price(from, layout) + this.#price(layout, to);
      const us = (this.#shares[reader] ?? 1) * pathUs;
      if (us >= least || this.#conditions(reader).some((mayWait) => !mayWait(layout, from))) continue;
      least = us;
      waiting = layout;
    }
    return waiting;
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
    const share = this.#shares[reader] ?? 1;
    let least = Infinity;
    for (let intermediate = 0; intermediate < there.length; intermediate++) {
      const us = share * ((there[intermediate] ?? Infinity) + (on[intermediate] ?? Infinity));
      if (us < least) least = us;
    }
    return least;
  }

  /** µs from a layout to every layout that satisfies a condition. */
  #pricesThere(from: LayoutId, mayWait: MayWait): Float64Array {
    let cached = this.#pricesThereOf.get(mayWait);
    if (cached === undefined) this.#pricesThereOf.set(mayWait, cached = new Map());
    return cached.get(from) ?? this.#pricesVia(
      cached,
      from,
      (intermediate) => mayWait(intermediate, from) ? this.#price(from, intermediate) : Infinity,
    );
  }

  /**
   * µs that a reader pays to read a layout under a copy tree: s_r · t(branch) for a branch that is paid in full, even
   * if the reader reads another layout, plus its share of its own path. Without the first term, trees with a paid copy
   * would lower the minimum over all trees.
   */
  shareOf({ produced, branch }: CopyTree, reader: number, to: LayoutId | undefined): number {
    const from = this.producedLayouts[produced];
    const own = this.#shares[reader] ?? 1;
    const paid = from === undefined || typeof branch === "string" ? 0 : own * this.#price(from, branch);
    if (from === undefined || to === undefined) return paid;
    if (this.#conditions(reader).length > 0 && typeof branch === "string") {
      return this.#carried(from, reader, to);
    }
    if (branch === "common") return shareAmong(own, this.#firstOther(from, to));
    if (to === from || to === branch) return paid;
    if (branch === "any") return shareAmong(own, this.#firstOther(from, to));
    const share = this.#separateShares[reader] ?? 1;
    if (branch === "apart") return shareAmong(share, this.#firstOther(from, to));
    return paid + shareAmong(share, Math.min(this.#price(from, to), this.#price(branch, to)));
  }

  /** Readers with equal keys pay the same if only shares of their values differ. */
  sharesKey(reader: number): string {
    return `${this.#shares[reader]}/${this.#separateShares[reader]}`;
  }

  /**
   * Layouts i ≠ `from` without a paid copy, by ascending µs from `from` via i to `to`; of equals `to` first.
   */
  intermediatesBetween(from: LayoutId, to: LayoutId): readonly LayoutId[] {
    const fromHere = this.#intermediatesFrom.get(from) ?? new Map<LayoutId, readonly LayoutId[]>();
    this.#intermediatesFrom.set(from, fromHere);
    let intermediates = fromHere.get(to);
    if (intermediates === undefined) fromHere.set(to, intermediates = this.#findIntermediates(from, to));
    return intermediates;
  }

  #findIntermediates(from: LayoutId, to: LayoutId): readonly LayoutId[] {
    return this.#layouts.filter((intermediate) =>
      intermediate !== from && !this.#copies.includes(intermediate)
    )
      .map((intermediate) => ({
        intermediate,
        us: this.#price(from, intermediate) + this.#price(intermediate, to),
      }))
      .sort((a, b) => a.us - b.us || Number(b.intermediate === to) - Number(a.intermediate === to))
      .map(({ intermediate }) => intermediate);
  }

  #firstOther(from: LayoutId, to: LayoutId): number {
    const there = this.#pricesFrom.get(from) ?? this.#pricesVia(
      this.#pricesFrom,
      from,
      (intermediate) => intermediate === from ? Infinity : this.#price(from, intermediate),
    );
    const on = this.#pricesOn(to);
    let least = Infinity;
    for (let intermediate = 0; intermediate < there.length; intermediate++) {
      const path = (there[intermediate] ?? Infinity) + (on[intermediate] ?? Infinity);
      if (path < least) least = path;
    }
    return least;
  }

  /** µs from every intermediate layout to a layout. */
  #pricesOn(to: LayoutId): Float64Array {
    return this.#pricesTo.get(to) ??
      this.#pricesVia(this.#pricesTo, to, (intermediate) => this.#price(intermediate, to));
  }

  /** Computes and caches prices by intermediate layout for one end. */
  #pricesVia(
    cache: Map<LayoutId, Float64Array>,
    end: LayoutId,
    price: (intermediate: LayoutId) => number,
  ): Float64Array {
    const layouts = this.#layouts;
    const prices = new Float64Array(layouts.length).fill(Infinity);
    for (let at = 0; at < layouts.length; at++) {
      const intermediate = layouts[at];
      if (intermediate !== undefined && !this.#copies.includes(intermediate)) {
        prices[at] = price(intermediate);
      }
    }
    cache.set(end, prices);
    return prices;
  }

  #price(from: LayoutId, to: LayoutId): number {
    return this.#conversions?.microseconds(from, to) ?? 0;
  }
}

/** share × price; `Infinity` for an impossible conversion even if the share is 0. */
function shareAmong(share: number, microseconds: number): number {
  return microseconds === Infinity ? Infinity : share * microseconds;
}

/** µs that a reader pays, by copy tree (varies slowly) and index into `reads` (varies fast). */
export function sharesOf(shared: SharedValue, reader: number, reads: LayoutIds): Float64Array {
  return Float64Array.from(
    shared.copyTrees.flatMap((copyTree) => reads.map((to) => shared.shareOf(copyTree, reader, to))),
  );
}

/**
 * 0 for a copy tree (varies fast) that starts in the produced layout (varies slowly; left out without a
 * producer), otherwise `Infinity`.
 */
export function copyTreeTable(
  { copyTrees, producedLayouts }: SharedValue,
  isProduced: boolean,
): Float64Array {
  if (!isProduced) return new Float64Array(copyTrees.length);
  const table = new Float64Array(producedLayouts.length * copyTrees.length).fill(Infinity);
  copyTrees.forEach((copyTree, index) => table[copyTree.produced * copyTrees.length + index] = 0);
  return table;
}
