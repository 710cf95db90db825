// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";

/** The possible conversions of one operand (tt-mlir `MemReconfigEntry`). */
export class MemReconfigEntry {
  /** Per consumer config: the layouts that the operand may be converted to, in the order of the candidates. */
  readonly reshardLayouts: ReadonlyMap<number, readonly LayoutId[]>;
  #selected: number | undefined;

  constructor(reshardLayouts: ReadonlyMap<number, readonly LayoutId[]>) {
    this.reshardLayouts = reshardLayouts;
  }

  /** The picked consumer config; `undefined` until one is picked. */
  get selected(): number | undefined {
    return this.#selected;
  }

  /**
   * Picks the consumer config.
   *
   * @throws {RangeError} if the entry does not have the config, or another one was picked before
   */
  select(config: number): void {
    if (!this.reshardLayouts.has(config)) {
      throw new RangeError(`Cannot select config ${config}: no conversion of the operand leads to it`);
    }
    if (this.#selected !== undefined && this.#selected !== config) {
      throw new RangeError(`Cannot select config ${config}: config ${this.#selected} is selected`);
    }
    this.#selected = config;
  }

  /** Layouts for the picked config, best first; empty until one is picked. */
  get selectedLayouts(): readonly LayoutId[] {
    return this.#selected === undefined ? [] : this.reshardLayouts.get(this.#selected) ?? [];
  }
}
