// SPDX-License-Identifier: Apache-2.0
import { Heap } from "../../search/heap.ts";
import type { L1Item } from "./l1_caps.ts";

/** A value that waits in L1 for a reader. */
export type WaitingItem = L1Item & { readonly kind: "value" };

/** A wait that may be spilled. */
interface SpillableWait {
  readonly item: WaitingItem;
  /** Steps that lack L1 while it waits, by index. */
  readonly steps: number[];
  /** µs of spilling it. */
  readonly microseconds: number;
}

/**
 * Waits to spill so that every step fits L1 by byte sums: greedily the one that frees the most missing bytes per µs,
 * summed over the steps; those that later ones make superfluous are dropped at the end. Steps that no wait can make fit
 * stay short.
 *
 * @param steps contents of L1 at each step
 * @param capacity bytes per core
 * @param costOf most µs that spilling a wait adds; `Infinity` if it cannot be spilled
 * @returns each wait once, the dearest first
 */
export function waitsToSpill(
  steps: readonly (readonly L1Item[])[],
  capacity: number,
  costOf: (item: WaitingItem) => number,
): readonly WaitingItem[] {
  const short = steps.filter((items) => bytesOf(items) > capacity);
  const missing = Float64Array.from(short, (items) => bytesOf(items) - capacity);
  const candidates = new Map<string, SpillableWait>();
  short.forEach((items, step) => {
    for (const item of items) {
      if (item.kind !== "value") continue;
      candidates.getOrInsertComputed(
        `${item.value}:${item.reader}`,
        () => ({ item, steps: [], microseconds: costOf(item) }),
      ).steps.push(step);
    }
  });
  const open = new Heap<{ readonly index: number; readonly wait: SpillableWait; readonly ratio: number }>(
    (a, b) => a.ratio > b.ratio || (a.ratio === b.ratio && a.index < b.index),
  );
  const ratioOf = (wait: SpillableWait): number =>
    freedBytes(wait, missing) / Math.max(wait.microseconds, Number.MIN_VALUE);
  const offer = (wait: SpillableWait, index: number): void => {
    const ratio = ratioOf(wait);
    if (ratio > 0) open.push({ index, wait, ratio });
  };
  candidates.values().filter(({ microseconds }) => microseconds < Infinity).forEach(offer);
  const chosen: SpillableWait[] = [];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { index, wait, ratio } = top;
    // What a wait frees only shrinks, so the first one whose ratio still holds is the best.
    if (ratioOf(wait) < ratio) {
      offer(wait, index);
      continue;
    }
    chosen.push(wait);
    for (const step of wait.steps) missing[step] = (missing[step] ?? 0) - wait.item.bytes;
  }
  const isNeeded = ({ item, steps }: SpillableWait): boolean =>
    steps.some((step) => (missing[step] ?? 0) <= 0 && (missing[step] ?? 0) + item.bytes > 0);
  return chosen.toSorted((a, b) => b.microseconds - a.microseconds).filter((candidate) => {
    if (isNeeded(candidate)) return true;
    for (const step of candidate.steps) missing[step] = (missing[step] ?? 0) + candidate.item.bytes;
    return false;
  }).map(({ item }) => item);
}

/** Missing bytes that spilling a wait frees, summed over steps. */
function freedBytes({ item, steps }: SpillableWait, missing: Float64Array): number {
  return steps.reduce((sum, step) => sum + Math.min(item.bytes, Math.max(0, missing[step] ?? 0)), 0);
}

function bytesOf(items: readonly L1Item[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}
