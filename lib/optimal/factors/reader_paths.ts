// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../../layout/layout_table.ts";
import { separateShares, type SharesInto, type Sharing } from "./sharing.ts";

/** Paths that readers pay shares of: `shared` paths may serve all readers, paths `apart` do not. */
export type PathKind = "shared" | "apart";

/**
 * The paths of the readers of a value, where a reader's share of a copy depends on the copy's target layout.
 */
export class PathsByLayout {
  readonly #layouts: readonly LayoutId[];
  readonly #indices: ReadonlyMap<LayoutId, number>;
  /** By layout: the index of its list of shares. */
  readonly #listOf: readonly number[];
  /** Readers' shares of a copy, by list of target layouts; the last entry is for layouts in no list. */
  readonly #shares: Readonly<Record<PathKind, readonly (readonly number[])[]>>;
  readonly #prices: Float64Array;
  /** By layout: whether copies into it are paid in full. */
  readonly #isPaid: readonly boolean[];
  readonly #paths: Readonly<Record<PathKind, (IndexedPaths | undefined)[]>> = { shared: [], apart: [] };

  /**
   * @param layouts of the value
   * @param sharesInto shares per list of target layouts
   * @param sharing copies that are paid in full, and shares of copies into layouts that are in no list
   * @param price µs of the cheapest path
   */
  constructor(
    layouts: readonly LayoutId[],
    sharesInto: readonly SharesInto[],
    { shares, paid }: Sharing,
    price: (from: LayoutId, to: LayoutId) => number,
  ) {
    this.#layouts = layouts;
    this.#indices = new Map(layouts.map((layout, index) => [layout, index]));
    const shared = [...sharesInto.map((list) => list.shares), shares];
    this.#shares = { shared, apart: shared.map(separateShares) };
    const listOf = new Map(
      sharesInto.flatMap((list, index) => list.layouts.map((layout) => [layout, index])),
    );
    this.#listOf = layouts.map((layout) => listOf.get(layout) ?? sharesInto.length);
    this.#isPaid = layouts.map((layout) => paid.includes(layout));
    this.#prices = new Float64Array(layouts.length * layouts.length);
    let at = 0;
    for (const from of layouts) for (const to of layouts) this.#prices[at++] = price(from, to);
  }

  /** A reader's share of the price of a copy that all readers may share, in µs. */
  shareOfCopy(reader: number, from: LayoutId, to: LayoutId): number {
    const [start, end] = [this.#indexOf(from), this.#indexOf(to)];
    const share = this.#shares.shared[this.#listOf[end] ?? 0]?.[reader] ?? 1;
    return shareAmong(share, this.#prices[start * this.#layouts.length + end] ?? Infinity);
  }

  /** µs of a reader's cheapest path. */
  microseconds(kind: PathKind, reader: number, from: LayoutId, to: LayoutId): number {
    return this.#pathsOf(kind, reader).microseconds(this.#indexOf(from), this.#indexOf(to));
  }

  /** Layouts on that path, both ends included. */
  path(kind: PathKind, reader: number, from: LayoutId, to: LayoutId): readonly LayoutId[] {
    return this.#along(this.#pathsOf(kind, reader).path(this.#indexOf(from), this.#indexOf(to)));
  }

  /** µs of a reader's cheapest path through a layout that is not paid in full, or to such a layout. */
  microsecondsUnpaid(kind: PathKind, reader: number, from: LayoutId, to: LayoutId): number {
    const paths = this.#pathsOf(kind, reader);
    const [start, end] = [this.#indexOf(from), this.#indexOf(to)];
    const intermediate = this.#firstUnpaid(paths, start, end);
    return intermediate === undefined ? Infinity : paths.via(start, intermediate, end);
  }

  /** Layouts on that path, both ends included; empty if there is none. */
  pathUnpaid(kind: PathKind, reader: number, from: LayoutId, to: LayoutId): readonly LayoutId[] {
    const paths = this.#pathsOf(kind, reader);
    const [start, end] = [this.#indexOf(from), this.#indexOf(to)];
    const intermediate = this.#firstUnpaid(paths, start, end);
    if (intermediate === undefined) return [];
    return this.#along([...paths.path(start, intermediate), ...paths.path(intermediate, end).slice(1)]);
  }

  /** Equal if a reader pays the same of copies into the same lists of layouts. */
  key(reader: number): string {
    const { shared, apart } = this.#shares;
    return shared.map((shares, list) => `${shares[reader]}/${apart[list]?.[reader]}`).join();
  }

  #firstUnpaid(paths: IndexedPaths, from: number, to: number): number | undefined {
    if (from !== to && this.#isPaid[to] === false) return to;
    let first: number | undefined;
    let least = Infinity;
    for (let intermediate = 0; intermediate < this.#layouts.length; intermediate++) {
      if (intermediate === from || this.#isPaid[intermediate] === true) continue;
      const us = paths.via(from, intermediate, to);
      if (us >= least) continue;
      least = us;
      first = intermediate;
    }
    return first;
  }

  #pathsOf(kind: PathKind, reader: number): IndexedPaths {
    const shares = this.#shares[kind];
    return this.#paths[kind][reader] ??= new IndexedPaths(
      this.#prices,
      this.#listOf.map((list) => shares[list]?.[reader] ?? 1),
    );
  }

  #along(path: readonly number[]): readonly LayoutId[] {
    return path.flatMap((index) => this.#layouts[index] ?? []);
  }

  #indexOf(layout: LayoutId): number {
    const index = this.#indices.get(layout);
    if (index === undefined) {
      throw new RangeError(`Cannot find a path of copies: the value has no layout ${layout}`);
    }
    return index;
  }
}

/** Cheapest paths to one layout. */
interface PathsTo {
  /** µs by the layout where they start. */
  readonly us: Float64Array;
  /** The layout before the last, by the layout where they start; -1 if one copy leads there. */
  readonly before: Int32Array;
}

/**
 * Cheapest paths of one reader between layouts, by index. The reader pays a share of every copy that depends
 * on the copy's target layout, so a path may be cheaper through a layout with a small share.
 *
 * Prices are those of cheapest paths, so an intermediate layout only helps if its share is smaller than that
 * of the next layout; otherwise leaving it out costs no more. Paths to a layout therefore follow from those
 * to layouts with smaller shares.
 */
class IndexedPaths {
  readonly #prices: Float64Array;
  readonly #fractions: readonly number[];
  readonly #to: (PathsTo | undefined)[] = [];

  /**
   * @param prices µs of cheapest paths, by source layout (varies slowly) and target layout (varies fast)
   * @param fractions the reader's share by target layout of a copy
   */
  constructor(prices: Float64Array, fractions: readonly number[]) {
    this.#prices = prices;
    this.#fractions = fractions;
  }

  microseconds(from: number, to: number): number {
    return (this.#to[to] ??= this.#find(to)).us[from] ?? Infinity;
  }

  via(from: number, intermediate: number, to: number): number {
    return this.microseconds(from, intermediate) + this.microseconds(intermediate, to);
  }

  path(from: number, to: number): readonly number[] {
    const path = [to];
    for (let at = to; at !== from;) {
      const { before } = this.#to[at] ??= this.#find(at);
      const intermediate = before[from] ?? -1;
      path.push(at = intermediate < 0 ? from : intermediate);
    }
    return path.reverse();
  }

  #find(to: number): PathsTo {
    const prices = this.#prices;
    const count = this.#fractions.length;
    const fraction = this.#fractions[to] ?? 1;
    const us = new Float64Array(count);
    for (let from = 0; from < count; from++) {
      if (from !== to) us[from] = shareAmong(fraction, prices[from * count + to] ?? Infinity);
    }
    const before = new Int32Array(count).fill(-1);
    for (let intermediate = 0; intermediate < count; intermediate++) {
      if (!((this.#fractions[intermediate] ?? 1) < fraction)) continue;
      const on = shareAmong(fraction, prices[intermediate * count + to] ?? Infinity);
      if (on === Infinity) continue;
      const there = (this.#to[intermediate] ??= this.#find(intermediate)).us;
      for (let from = 0; from < count; from++) {
        const path = (there[from] ?? Infinity) + on;
        if (from === to || path >= (us[from] ?? Infinity)) continue;
        us[from] = path;
        before[from] = intermediate;
      }
    }
    return { us, before };
  }
}

/** share × price; `Infinity` for an impossible conversion even if the share is 0. */
export function shareAmong(share: number, microseconds: number): number {
  return microseconds === Infinity ? Infinity : share * microseconds;
}
