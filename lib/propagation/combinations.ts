// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";

/** One way to feed one operand (tt-mlir `InputCandidate`). */
export interface InputCandidate {
  readonly layout: LayoutId | undefined;
  /** Beam slot of the producer that it starts from; `-1` when the producer has no beam. */
  readonly slot: number;
  readonly isReshard: boolean;
  /** µs of the reshard. */
  readonly reshardMicroseconds: number;
  /** Order in which candidates are tried, ascending; ties keep the order of the list. */
  readonly priority: number;
}

/**
 * Combinations of one candidate per operand, most promising first, without repetition, never more than `limit`:
 *
 * 1. uniform ones, where every operand that offers choices has the same layout (what concat needs and native sharded
 *    element-wise kernels want), by the sum of their priorities;
 * 2. all others by the sum of their priorities, found without enumerating the product.
 *
 * @param sameProducer groups of operands that one op produces; they must agree on its slot
 * @param uniformKey what "same layout" means across operands of different shapes
 */
export function combineCandidates(
  operands: readonly (readonly InputCandidate[])[],
  sameProducer: readonly (readonly number[])[],
  uniformKey: (layout: LayoutId) => string | number,
  limit: number,
): readonly (readonly InputCandidate[])[] {
  if (operands.some((candidates) => candidates.length === 0)) return [];
  const sorted = operands.map((candidates) => [...candidates].sort((a, b) => a.priority - b.priority));
  const found: (readonly InputCandidate[])[] = [];
  const seen = new Set<string>();
  const accept = (indices: readonly number[]): void => {
    const key = indices.join(",");
    if (seen.has(key)) return;
    seen.add(key);
    const combination = indices.map((index, operand) => sorted[operand]?.[index]);
    if (!combination.every((candidate) => candidate !== undefined)) return;
    if (sameProducer.some((group) => new Set(group.map((operand) => combination[operand]?.slot)).size > 1)) {
      return;
    }
    found.push(combination);
  };
  for (const indices of uniformCombinations(sorted, uniformKey)) {
    if (found.length >= limit) return found;
    accept(indices);
  }
  for (const indices of bestFirst(sorted, limit * 4)) {
    if (found.length >= limit) break;
    accept(indices);
  }
  return found;
}

/** For every layout that all operands with a choice offer: the first candidate of each that has it. */
function uniformCombinations(
  operands: readonly (readonly InputCandidate[])[],
  uniformKey: (layout: LayoutId) => string | number,
): readonly (readonly number[])[] {
  const choosing = operands.flatMap((candidates, operand) => candidates.length > 1 ? [operand] : []);
  if (choosing.length < 2) return [];
  const byKey = new Map<string | number, { indices: number[]; hits: number; priority: number }>();
  for (const operand of choosing) {
    const mine = new Set<string | number>();
    operands[operand]?.forEach((candidate, index) => {
      if (candidate.layout === undefined) return;
      const key = uniformKey(candidate.layout);
      if (mine.has(key)) return;
      mine.add(key);
      const entry = byKey.get(key) ?? { indices: operands.map(() => 0), hits: 0, priority: 0 };
      entry.indices[operand] = index;
      entry.hits++;
      entry.priority += candidate.priority;
      byKey.set(key, entry);
    });
  }
  return [...byKey.values()]
    .filter((entry) => entry.hits === choosing.length)
    .sort((a, b) => a.priority - b.priority)
    .map((entry) => entry.indices);
}

/** Index tuples in ascending order of the sum of priorities (k best sums), at most `limit`. */
function bestFirst(operands: readonly (readonly InputCandidate[])[], limit: number): readonly number[][] {
  const start = operands.map(() => 0);
  const priorityOf = (indices: readonly number[]): number =>
    indices.reduce((sum, index, operand) => sum + (operands[operand]?.[index]?.priority ?? 0), 0);
  const heap: { indices: number[]; priority: number; from: number; order: number }[] = [];
  let order = 0;
  const push = (indices: number[], from: number): void => {
    heap.push({ indices, priority: priorityOf(indices), from, order: order++ });
    siftUp(heap);
  };
  push(start, 0);
  const result: number[][] = [];
  while (heap.length > 0 && result.length < limit) {
    const top = pop(heap);
    if (top === undefined) break;
    result.push(top.indices);
    // Only the last raised operand and those after it may be raised: every tuple is reached exactly once.
    for (let operand = top.from; operand < operands.length; operand++) {
      const next = (top.indices[operand] ?? 0) + 1;
      if (next >= (operands[operand]?.length ?? 0)) continue;
      const indices = top.indices.slice();
      indices[operand] = next;
      push(indices, operand);
    }
  }
  return result;
}

interface HeapEntry {
  readonly priority: number;
  readonly order: number;
}

function before(a: HeapEntry, b: HeapEntry): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.order < b.order);
}

function siftUp<Entry extends HeapEntry>(heap: Entry[]): void {
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    const low = heap[child];
    const high = heap[parent];
    if (low === undefined || high === undefined || !before(low, high)) return;
    heap[child] = high;
    heap[parent] = low;
    child = parent;
  }
}

function pop<Entry extends HeapEntry>(heap: Entry[]): Entry | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || heap.length === 0) return top;
  heap[0] = last;
  let parent = 0;
  while (true) {
    let best = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      const candidate = heap[child];
      const current = heap[best];
      if (candidate !== undefined && current !== undefined && before(candidate, current)) best = child;
    }
    if (best === parent) return top;
    const low = heap[best];
    const high = heap[parent];
    if (low === undefined || high === undefined) return top;
    heap[parent] = low;
    heap[best] = high;
    parent = best;
  }
}
