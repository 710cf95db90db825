// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "./ttnn_layout.ts";

/** Index of an interned layout in its {@linkcode LayoutTable}. */
export type LayoutId = number;

/** Interns layouts: equal layouts get equal ids, ids are dense and given in order of first sight. */
export class LayoutTable {
  readonly #layouts: TtnnLayout[] = [];
  readonly #idByKey: Map<string, LayoutId> = new Map();
  readonly #idByObject: WeakMap<TtnnLayout, LayoutId> = new WeakMap();

  /** Returns the id of a layout, adding it when it is new. */
  intern(layout: TtnnLayout): LayoutId {
    const known = this.#idByObject.get(layout);
    if (known !== undefined) return known;
    const key = layoutKey(layout);
    let id = this.#idByKey.get(key);
    if (id === undefined) {
      id = this.#layouts.length;
      this.#layouts.push(layout);
      this.#idByKey.set(key, id);
    }
    this.#idByObject.set(layout, id);
    return id;
  }

  /**
   * Returns the layout of an id.
   *
   * @throws {RangeError} when the id was not given by this table
   */
  get(id: LayoutId): TtnnLayout {
    const layout = this.#layouts[id];
    if (layout === undefined) {
      throw new RangeError(`Cannot look up layout ${id}: the table holds ${this.#layouts.length}`);
    }
    return layout;
  }

  /** Number of distinct layouts. */
  get size(): number {
    return this.#layouts.length;
  }
}

/** Structural key: two layouts are the same layout exactly when their keys are equal. */
export function layoutKey(layout: TtnnLayout): string {
  const cores = layout.coreRanges
    .map((range) => `${range.start.x},${range.start.y}-${range.end.x},${range.end.y}`)
    .join("+");
  const tile = layout.tile === undefined ? "rm" : `${layout.tile.height}x${layout.tile.width}`;
  return [
    layout.bufferType,
    layout.memoryLayout ?? "none",
    layout.dataType,
    tile,
    layout.gridShape.join("x"),
    layout.shardShape.join("x"),
    cores,
    layout.shardOrientation,
    layout.ignorePhysicalLayout ? "any" : "exact",
  ].join("/");
}
