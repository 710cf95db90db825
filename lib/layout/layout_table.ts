// SPDX-License-Identifier: Apache-2.0
import { mergeCoreRanges } from "./core_range.ts";
import { sameExtents } from "./extents.ts";
import { isSharded, type TtnnLayout } from "./ttnn_layout.ts";

/**
 * Index of an interned layout in its {@linkcode LayoutTable}. The property exists only for the type checker,
 * so that only the table creates ids.
 */
export type LayoutId = number & { readonly isLayoutId: true };

/** Layout per operand or result; `undefined` if it is not a tensor or its layout is not understood. */
export type LayoutIds = readonly (LayoutId | undefined)[];

const INITIAL_SLOTS = 256;

/**
 * Interns layouts: equal layouts get equal ids, ids are dense and given in order of first sight. Returned layouts list
 * their fields in a fixed order, so that documents do not depend on which of equal layouts was seen first.
 *
 * Open addressing over a structural hash; a lookup compares the fields of one candidate in the usual case.
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
  readonly #hashes: number[] = [];
  /** Id + 1 per slot, 0 for a free slot; the length is a power of two, at most half full. */
  #slots: Int32Array = new Int32Array(INITIAL_SLOTS);

  /** Returns the id of a layout, adding it when it is new. */
  intern(layout: TtnnLayout): LayoutId {
    const hash = layoutHash(layout);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry = this.#slots[slot] ?? 0; entry !== 0; entry = this.#slots[slot] ?? 0) {
      const id = entry - 1;
      const known = this.#layouts[id];
      if (known === layout) return this.id(id);
      if (known !== undefined && this.#hashes[id] === hash && layoutsEqual(known, layout)) return this.id(id);
      slot = (slot + 1) & mask;
    }
    const id = this.#layouts.length;
    this.#layouts.push(inOrderOfFields(layout));
    this.#hashes.push(hash);
    this.#slots[slot] = id + 1;
    if ((id + 1) * 2 > this.#slots.length) this.#grow();
    return this.id(id);
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

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (const [id, hash] of this.#hashes.entries()) {
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
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

/** Structural equality, field by field; core ranges count as written (see {@linkcode canonicalLayout}). */
export function layoutsEqual(a: TtnnLayout, b: TtnnLayout): boolean {
  if (a === b) return true;
  if (
    a.bufferType !== b.bufferType || a.memoryLayout !== b.memoryLayout || a.dataType !== b.dataType ||
    a.shardOrientation !== b.shardOrientation || a.ignorePhysicalLayout !== b.ignorePhysicalLayout ||
    a.tile?.height !== b.tile?.height || a.tile?.width !== b.tile?.width ||
    !sameExtents(a.gridShape, b.gridShape) || !sameExtents(a.shardShape, b.shardShape) ||
    a.coreRanges.length !== b.coreRanges.length
  ) return false;
  for (let index = 0; index < a.coreRanges.length; index++) {
    const left = a.coreRanges[index];
    const right = b.coreRanges[index];
    if (
      left?.start.x !== right?.start.x || left?.start.y !== right?.start.y ||
      left?.end.x !== right?.end.x || left?.end.y !== right?.end.y
    ) return false;
  }
  return true;
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

/**
 * 32-bit hash over all fields; enumerations enter by length and one distinguishing letter, equality decides.
 */
function layoutHash(layout: TtnnLayout): number {
  let hash = mix(17, nameCode(layout.bufferType));
  hash = mix(hash, layout.memoryLayout === undefined ? 0 : nameCode(layout.memoryLayout));
  hash = mix(hash, nameCode(layout.dataType));
  hash = mix(hash, nameCode(layout.shardOrientation) * 2 + (layout.ignorePhysicalLayout ? 1 : 0));
  if (layout.tile !== undefined) hash = mix(mix(hash, layout.tile.height), layout.tile.width);
  for (let index = 0; index < layout.gridShape.length; index++) {
    hash = mix(hash, layout.gridShape[index] ?? 0);
  }
  for (let index = 0; index < layout.shardShape.length; index++) {
    hash = mix(hash, layout.shardShape[index] ?? 0);
  }
  for (let index = 0; index < layout.coreRanges.length; index++) {
    const range = layout.coreRanges[index];
    if (range === undefined) continue;
    hash = mix(mix(hash, range.start.x * 256 + range.start.y), range.end.x * 256 + range.end.y);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

function nameCode(name: string): number {
  return name.length * 31 + name.charCodeAt(0) * 7 + name.charCodeAt(name.length - 1);
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x9e3779b1) ^ (hash >>> 13);
}
