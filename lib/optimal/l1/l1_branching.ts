// SPDX-License-Identifier: Apache-2.0
import { L1_SOLUTIONS } from "../limits.ts";
import type { OpId, ValueId } from "../../graph/graph.ts";
import { Heap } from "../../search/heap.ts";

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

/** Occupants of L1 at alternative steps: every plan has one of the steps, but it is unknown which. */
export type L1Row = readonly (readonly L1Item[])[];

/** Least µs under some caps, and the L1 demand of the solution. */
export interface CappedSolution {
  readonly bound: number;
  readonly rows: readonly L1Row[];
}

interface Node<Solution> {
  /** At least that of its parent node. */
  readonly bound: number;
  readonly order: number;
  readonly caps: L1Caps;
  readonly solution: Solution;
}

/**
 * Lower bound in µs over solutions that fit L1 by byte sums, by branch and bound. If a step of a solution
 * lacks L1, each branch caps one occupant at its bytes minus an equal share of the shortage. Best first: the
 * first solution that fits is optimal. If the limit of solutions ends the search, the bound is the least open
 * one. Branches for pairs of implementations that do not fit by address were removed: they raised no bound of
 * 28 runs.
 *
 * @param capacity bytes per core
 * @param isSpent asked before branching from a solution: whether to stop there
 * @returns the bound and its solution; `undefined` if the solution without caps fits, or none does
 */
export function leastThatFits<Solution extends CappedSolution>(
  solve: (caps: L1Caps) => Solution,
  capacity: number,
  isSpent: () => boolean = () => false,
): { readonly bound: number; readonly solution: Solution } | undefined {
  const open = new Heap<Node<Solution>>((a, b) =>
    a.bound < b.bound || (a.bound === b.bound && a.order < b.order)
  );
  let solutions = 0;
  const visit = (caps: L1Caps, atLeast: number): void => {
    const solution = solve(caps);
    open.push({ bound: Math.max(solution.bound, atLeast), solution, caps, order: solutions++ });
  };
  visit(NO_CAPS, 0);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { bound, caps, solution } = node;
    if (bound === Infinity) return undefined;
    const worst = mostMissing(solution.rows, capacity);
    if (worst === undefined) return node.order === 0 ? undefined : { bound, solution };
    if (solutions >= L1_SOLUTIONS || isSpent()) return { bound, solution };
    for (const items of worst) {
      const share = missingBytes(items, capacity) / items.length;
      for (const item of items) {
        if (item.bytes >= share) visit(withCaps(caps, [item], share), bound);
      }
    }
  }
  return undefined;
}

/** The row that lacks most; `undefined` if none does. A row fits if one of its steps does. */
function mostMissing(rows: readonly L1Row[], capacity: number): L1Row | undefined {
  let worst: L1Row | undefined;
  let most = 0;
  for (const row of rows) {
    const missing = row.reduce((least, items) => Math.min(least, missingBytes(items, capacity)), Infinity);
    if (missing <= most) continue;
    most = missing;
    worst = row;
  }
  return worst;
}

function missingBytes(items: readonly L1Item[], capacity: number): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0) - capacity;
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
