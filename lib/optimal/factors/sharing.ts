// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";

/** How the readers of a value share what its copies cost (see {@linkcode SharedValue}). */
export interface Sharing {
  /** Whether it is told apart if one branch of copies serves all readers or several do ({@linkcode Supply}). */
  readonly tellsApart: boolean;
  /** Copies that are paid in full. */
  readonly paid: readonly LayoutId[];
  /** Parts of other copies that each reader pays: every use in order, then `return`; together 1, or it is no bound. */
  readonly parts: readonly number[];
}

/** How a solution shares the copies of a value, and what would raise the bound. */
export interface SharedCharge {
  readonly value: ValueId;
  readonly sharing: Sharing;
  /** µs per reader that its part of 1 is of. */
  readonly paths: readonly number[];
  /** What to pay in full: copies that are charged too little for, and what would be charged less for in their place. */
  readonly payNext: readonly LayoutId[];
}

/** Readers for which a value must wait in less L1 pay for its way in equal parts. */
export function partsOf(waits: ReadonlySet<number>, readers: number): Sharing {
  return {
    tellsApart: false,
    paid: [],
    parts: Array.from({ length: readers }, (_, reader) => waits.has(reader) ? 1 / waits.size : 0),
  };
}

/** Every reader pays its whole way, as if none shared a copy: no bound, but no way is free. */
export function wholeParts(readers: number): Sharing {
  return { tellsApart: false, paid: [], parts: Array.from({ length: readers }, () => 1) };
}

/** Every reader pays as much. */
export function equalParts(readers: number): Sharing {
  return { tellsApart: false, paid: [], parts: Array.from({ length: readers }, () => 1 / readers) };
}
