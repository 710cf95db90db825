// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../../layout/layout_table.ts";
import type { ConversionTable } from "../exploration/conversions.ts";

/** Prices of the L1 that a value occupies until its readers run. Readers: every use in order, then `return`. */
export interface WaitPrices {
  /** Per reader: µs per byte of L1 per core of the layout in which the value waits; 0 for readers that it need not wait for. */
  readonly perByte: readonly number[];
  /** Readers that run before every op with a price, in every order of ops. */
  readonly before: ReadonlySet<number>;
}

/**
 * The costs of a value that must be live while ops with prices of L1 run.
 *
 * The copies of a value form a tree whose root is the produced layout. While a priced op runs, some layout c on the path to
 * each later reader is live: the path from the root to c was copied before the op, the path from c to the reader is copied
 * after it. Lower bounds that charge no copy twice:
 * - each of the W readers after the op pays 1/W of its path from c, and 1/W of the least copy into c if c is not in L1;
 * - each of the B readers before the op pays 1/B of the least copy into its own layout if that is in L1;
 * - readers that may run before or after the op pay nothing, since either kind of copy may serve them.
 */
export class PricedWaits {
  readonly #prices: WaitPrices;
  readonly #waiting: number;
  readonly #layouts: readonly LayoutId[];
  readonly #conversions: Pick<ConversionTable, "microseconds">;
  readonly #bytesOf: (layout: LayoutId) => number;
  readonly #leastInto: Map<LayoutId, number> = new Map();

  /**
   * @param layouts all layouts in which the value may be
   * @param bytesOf bytes of L1 per core
   */
  constructor(
    prices: WaitPrices,
    layouts: readonly LayoutId[],
    conversions: Pick<ConversionTable, "microseconds">,
    bytesOf: (layout: LayoutId) => number,
  ) {
    this.#prices = prices;
    this.#waiting = prices.perByte.filter((price) => price > 0).length;
    this.#layouts = layouts;
    this.#conversions = conversions;
    this.#bytesOf = bytesOf;
  }

  /** Readers with equal keys pay the same. */
  key(reader: number): string {
    const { perByte, before } = this.#prices;
    return `${perByte[reader]}/${this.#waiting}/${before.has(reader) ? before.size : 0}`;
  }

  /** µs that a reader of a layout pays if the value is produced in another. */
  microseconds(from: LayoutId, reader: number, to: LayoutId): number {
    if (this.#conversions.microseconds(from, to) === Infinity) return Infinity;
    if (this.#perByte(reader) > 0) return this.#waitingUs(from, reader, to, this.carrierOf(from, reader, to));
    const { before } = this.#prices;
    return to === from || !before.has(reader) || this.#bytesOf(to) === 0
      ? 0
      : this.#leastUsInto(to) / before.size;
  }

  /** The layout in which a value produced in `from` waits for a reader of `to` at the least cost, of equals the first. */
  carrierOf(from: LayoutId, reader: number, to: LayoutId): LayoutId {
    let carrier = from;
    let least = this.#waitingUs(from, reader, to, from);
    for (const layout of this.#layouts) {
      const us = this.#waitingUs(from, reader, to, layout);
      if (us < least) [carrier, least] = [layout, us];
    }
    return carrier;
  }

  #perByte(reader: number): number {
    return this.#prices.perByte[reader] ?? 0;
  }

  #waitingUs(from: LayoutId, reader: number, to: LayoutId, carrier: LayoutId): number {
    if (this.#conversions.microseconds(from, carrier) === Infinity) return Infinity;
    const bytes = this.#bytesOf(carrier);
    const intoUs = carrier === from || bytes > 0 ? 0 : this.#leastUsInto(carrier);
    return this.#perByte(reader) * bytes +
      (intoUs + this.#conversions.microseconds(carrier, to)) / Math.max(1, this.#waiting);
  }

  /** Least µs of a copy into a layout. */
  #leastUsInto(layout: LayoutId): number {
    return this.#leastInto.getOrInsertComputed(layout, () =>
      this.#layouts.reduce(
        (least: number, from) =>
          from === layout ? least : Math.min(least, this.#conversions.microseconds(from, layout)),
        Infinity,
      ));
  }
}
