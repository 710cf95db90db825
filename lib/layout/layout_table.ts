// SPDX-License-Identifier: Apache-2.0
import { mergeCoreRanges } from "./core_range.ts";
import { isSharded, type TtnnLayout } from "./ttnn_layout.ts";

/**
 * Index of an interned layout in its {@linkcode LayoutTable}. The property exists only for the type checker,
 * so that only the table creates ids.
 */
export type LayoutId = number & { readonly isLayoutId: true };

/** Layout per operand or result; `undefined` if it is not a tensor or its layout is not understood. */
export type LayoutIds = readonly (LayoutId | undefined)[];

/**
 * Interns layouts: equal layouts get equal ids, ids are dense and given in order of first sight. Returned layouts list
 * their fields in a fixed order, so that documents do not depend on which of equal layouts was seen first.
 *
 * @example
 * ```ts
 * import { LayoutTable, makeLayout } from "@tilewright/tilewright/layout";
 * import { assertEquals } from "@std/assert";
 *
 * const request = { shape: [256, 64], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" } as const;
 * const layout = makeLayout(request, { rows: 8, columns: 8 });
 * const layouts = new LayoutTable();
 * assertEquals(layouts.intern(layout), layouts.intern({ ...layout }));
 * assertEquals(layouts.get(layouts.intern(layout)), layout);
 * ```
 */
export class LayoutTable {
  readonly #layouts: TtnnLayout[] = [];
  readonly #ids: Map<string, LayoutId> = new Map();

  /** Returns the id of a layout, adding it when it is new. */
  intern(layout: TtnnLayout): LayoutId {
    return this.#ids.getOrInsertComputed(layoutKey(layout), () => this.#add(layout));
  }

  #add(layout: TtnnLayout): LayoutId {
    return this.id(this.#layouts.push(inOrderOfFields(layout)) - 1);
  }

  /** Ids of layouts, interned in order; `undefined` where there is none. */
  internAll(layouts: readonly (TtnnLayout | undefined)[]): LayoutIds {
    return layouts.map((layout) => layout === undefined ? undefined : this.intern(layout));
  }

  /** Whether this table gave a number as an id. */
  has(id: number): id is LayoutId {
    return Number.isInteger(id) && id >= 0 && id < this.#layouts.length;
  }

  /**
   * Casts an integer, for example of an array of ids, to a layout id.
   *
   * @throws {RangeError} if this table gave no such id
   */
  id(number: number): LayoutId {
    if (!this.has(number)) throw this.#unknown(number);
    return number;
  }

  /**
   * Returns the layout of an id.
   *
   * @throws {RangeError} if the id was not given by this table
   */
  get(id: LayoutId): TtnnLayout {
    const layout = this.#layouts[id];
    if (layout === undefined) throw this.#unknown(id);
    return layout;
  }

  #unknown(id: number): RangeError {
    return new RangeError(`Cannot look up layout ${id}: the table holds ${this.#layouts.length}`);
  }

  /** Number of distinct layouts. */
  get size(): number {
    return this.#layouts.length;
  }
}

function inOrderOfFields(layout: TtnnLayout): TtnnLayout {
  return {
    bufferType: layout.bufferType,
    memoryLayout: layout.memoryLayout,
    dataType: layout.dataType,
    tile: layout.tile,
    gridShape: layout.gridShape,
    shardShape: layout.shardShape,
    coreRanges: layout.coreRanges,
    shardOrientation: layout.shardOrientation,
    ignorePhysicalLayout: layout.ignorePhysicalLayout,
  };
}

/** Structural equality; core ranges count as written (see {@linkcode canonicalLayout}). */
export function layoutsEqual(a: TtnnLayout, b: TtnnLayout): boolean {
  return a === b || layoutKey(a) === layoutKey(b);
}

/**
 * The canonical form: core ranges merged as far as the shard order allows, no orientation for unsharded
 * layouts. Layouts with equal placement of every byte (by name and ranges) have equal canonical forms.
 */
export function canonicalLayout(layout: TtnnLayout): TtnnLayout {
  if (!isSharded(layout)) return { ...layout, shardOrientation: "row_major" };
  if (layout.memoryLayout === "block_sharded") return layout;
  return {
    ...layout,
    coreRanges: mergeCoreRanges(layout.coreRanges, layout.shardOrientation === "col_major"),
  };
}

/** Structural key: two layouts are the same layout exactly when their keys are equal. */
export function layoutKey(layout: TtnnLayout): string {
  const { tile, bufferType, memoryLayout, dataType, shardOrientation } = layout;
  const cores = layout.coreRanges
    .map(({ start, end }) => `${start.x},${start.y}-${end.x},${end.y}`)
    .join("+");
  const unit = tile === undefined ? "rm" : `${tile.height}x${tile.width}`;
  const extents = `${layout.gridShape.join("x")}/${layout.shardShape.join("x")}`;
  const physical = layout.ignorePhysicalLayout ? "any" : "exact";
  return `${bufferType}/${
    memoryLayout ?? "none"
  }/${dataType}/${unit}/${extents}/${cores}/${shardOrientation}/${physical}`;
}
