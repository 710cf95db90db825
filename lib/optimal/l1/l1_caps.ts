// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";

/** Caps in bytes of L1 per core: on the needs of an op, and on a value while it waits for one of its readers. */
export interface L1Caps {
  readonly ops: ReadonlyMap<OpId, number>;
  /** By value, then by reader: every use in order, then `return`. */
  readonly values: ReadonlyMap<ValueId, ReadonlyMap<number, number>>;
  /** By value: readers before which the value must be copied out of its produced layout, because of its address. */
  readonly moved: ReadonlyMap<ValueId, ReadonlySet<number>>;
}

/** No restrictions. */
export const NO_CAPS: L1Caps = {
  ops: new Map(),
  values: new Map(),
  moved: new Map(),
};

/** An occupant of L1 while an op runs: the op itself, or a live value. */
export type L1Item =
  & { readonly bytes: number }
  & (
    | { readonly kind: "op"; readonly op: OpId }
    | { readonly kind: "value"; readonly value: ValueId; readonly reader: number }
  );

/** A value that waits for a reader, numbered as in {@linkcode L1Caps}. */
export interface Wait {
  readonly value: ValueId;
  readonly reader: number;
}

/** Caps items at their bytes minus `fewer`, at least 0; replaces earlier caps of the same items. */
export function withCaps(caps: L1Caps, items: readonly L1Item[], fewer: number): L1Caps {
  const [ops, values] = [new Map(caps.ops), new Map(caps.values)];
  for (const item of items) {
    const bytes = Math.max(0, item.bytes - fewer);
    if (item.kind === "op") ops.set(item.op, bytes);
    else values.set(item.value, new Map(values.get(item.value)).set(item.reader, bytes));
  }
  return { ...caps, ops, values };
}

/** Lifts the cap of a value before a reader. */
export function withoutCap(caps: L1Caps, { value, reader }: Wait): L1Caps {
  const values = new Map(caps.values);
  const readers = new Map(values.get(value));
  readers.delete(reader);
  if (readers.size > 0) values.set(value, readers);
  else values.delete(value);
  return { ...caps, values };
}

/** Adds the caps that values wait for readers in other layouts than they were produced in. */
export function withMoves(caps: L1Caps, waits: readonly Wait[]): L1Caps {
  const moved = new Map(caps.moved);
  for (const { value, reader } of waits) moved.set(value, new Set(moved.get(value)).add(reader));
  return { ...caps, moved };
}

/** Readers of a value for which caps restrict how it waits; `undefined` if there are none. */
export function cappedReaders(caps: L1Caps, value: ValueId): ReadonlySet<number> | undefined {
  const [bytes, moved] = [caps.values.get(value), caps.moved.get(value)];
  return bytes === undefined && moved === undefined
    ? undefined
    : new Set([...bytes?.keys() ?? [], ...moved?.keys() ?? []]);
}
