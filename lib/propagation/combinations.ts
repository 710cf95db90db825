// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";
import { Heap } from "../search/heap.ts";
import { VISITED_COMBINATIONS } from "../search/limits.ts";

/** One operand of one op in one layout. */
export interface OperandCandidate {
  readonly layout: LayoutId | undefined;
  /** Beam slot of the producer; `-1` or `undefined` if the producer has no beam. */
  readonly slot?: number;
  /** Candidates are tried in ascending priority; equal ones in the order of the list. */
  readonly priority: number;
}

/** One operand of one op in one layout, in a beam (tt-mlir `InputCandidate`). */
export interface InputCandidate extends OperandCandidate {
  readonly slot: number;
  readonly isReshard: boolean;
  /** µs of the reshard. */
  readonly reshardMicroseconds: number;
}

/**
 * Combinations of one candidate per operand, most promising first, without repetition, at most `limit`:
 *
 * 1. uniform ones, in which every operand with a choice has the same layout (required by concat, fast for
 *    sharded element-wise kernels), by the sum of their priorities;
 * 2. all others by the sum of their priorities, found without enumerating the product; those whose operands of one
 *    producer use different slots are skipped, and the search ends after `4 · limit` combinations.
 *
 * @param sameProducer groups of operands produced by one op; they must use the same slot of it
 * @param uniformKey equal for layouts that count as the same for operands of different shapes
 */
export function combineCandidates<Candidate extends OperandCandidate>(
  operands: readonly (readonly Candidate[])[],
  sameProducer: readonly (readonly number[])[],
  uniformKey: (layout: LayoutId) => string | number,
  limit: number,
): readonly (readonly Candidate[])[] {
  if (operands.some((candidates) => candidates.length === 0)) return [];
  const sorted = operands.map((candidates) =>
    candidates.length === 1 ? candidates : [...candidates].sort((a, b) => a.priority - b.priority)
  );
  const found: Candidate[][] = [];
  const seen = new Set<number | string>();
  const count = sorted.reduce((product, candidates) => product * candidates.length, 1);
  const accept = (indices: readonly number[]): boolean => {
    let code = 0;
    const combination: Candidate[] = [];
    for (let operand = 0; operand < sorted.length; operand++) {
      const candidates = sorted[operand];
      const index = indices[operand] ?? 0;
      const candidate = candidates?.[index];
      if (candidates === undefined || candidate === undefined) return true;
      code = code * candidates.length + index;
      combination.push(candidate);
    }
    // With more tuples than exact integers, different tuples would share a code.
    const key = count <= Number.MAX_SAFE_INTEGER ? code : keyOf(indices);
    if (!seen.has(key)) {
      seen.add(key);
      if (sameProducer.every((group) => agree(combination, group))) found.push(combination);
    }
    return found.length < limit;
  };
  if (sameProducer.length > 0 || operands.length > 1) {
    for (const indices of uniformCombinations(sorted, uniformKey)) {
      if (!accept(indices)) return found;
    }
  }
  visitBestFirst(sorted, limit * VISITED_COMBINATIONS, accept);
  return found;
}

/** The operands that differ from the first tuple, each with its candidate. */
function keyOf(indices: readonly number[]): string {
  return indices.flatMap((index, operand) => (index === 0 ? [] : [`${operand}:${index}`])).join();
}

/** Whether all operands of one producer use the same slot of it. */
function agree(combination: readonly OperandCandidate[], group: readonly number[]): boolean {
  const slot = combination[group[0] ?? -1]?.slot;
  return group.every((operand) => combination[operand]?.slot === slot);
}

/** For every layout that all operands with a choice offer: the first candidate of each operand that has it. */
function uniformCombinations(
  operands: readonly (readonly OperandCandidate[])[],
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

/** Visits index tuples in ascending sum of priorities, until `visit` returns `false` or `most` were visited. */
function visitBestFirst(
  operands: readonly (readonly OperandCandidate[])[],
  most: number,
  visit: (indices: readonly number[]) => boolean,
): void {
  const first = operands.reduce((sum, candidates) => sum + (candidates[0]?.priority ?? 0), 0);
  const heap = new Heap<Tuple>((a, b) =>
    a.priority < b.priority || (a.priority === b.priority && a.order < b.order)
  );
  heap.push({ parent: undefined, from: 0, index: 0, priority: first, order: 0 });
  let order = 1;
  for (let visited = 0; visited < most; visited++) {
    const top = heap.pop();
    if (top === undefined || !visit(indicesOf(top, operands.length))) return;
    // Only the last raised operand and those after it are raised further, so every tuple is reached exactly once.
    for (let operand = top.from; operand < operands.length; operand++) {
      const index = operand === top.from ? top.index : 0;
      const present = operands[operand]?.[index];
      const next = operands[operand]?.[index + 1];
      if (present === undefined || next === undefined) continue;
      const priority = top.priority + next.priority - present.priority;
      heap.push({ parent: top, from: operand, index: index + 1, priority, order: order++ });
    }
  }
}

/**
 * A tuple as a difference from its predecessor: with hundreds of operands, most have the candidate of the
 * first tuple.
 */
interface Tuple {
  readonly parent: Tuple | undefined;
  /** The operand raised last, which is the first that may be raised further. */
  readonly from: number;
  /** The candidate of that operand. */
  readonly index: number;
  readonly priority: number;
  readonly order: number;
}

/** Candidate index per operand. */
function indicesOf(tuple: Tuple, operands: number): readonly number[] {
  const indices = new Array<number>(operands).fill(0);
  for (let at: Tuple | undefined = tuple; at !== undefined; at = at.parent) {
    indices[at.from] = Math.max(indices[at.from] ?? 0, at.index);
  }
  return indices;
}
