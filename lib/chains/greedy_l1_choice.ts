// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";

/** An op that could keep its output in L1; bytes per core. */
export interface L1Candidate {
  readonly op: OpId;
  /** Bytes of the output in L1. */
  readonly outputBytes: number;
  /** L1 bytes needed by the op itself and everything it depends on. */
  readonly requiredBytes: number;
}

/** The candidates that stay in L1, and the best order of computing the operands. */
export interface L1Choice {
  readonly inL1: ReadonlySet<OpId>;
  /** Operands: those that go to DRAM first, then those in L1. */
  readonly precedence: readonly OpId[];
}

/** Beyond this number, the smallest candidates stay in DRAM: the search tries every subset in every order. */
const MAX_CANDIDATES = 8;

/**
 * Chooses which of an op's tensors stay in L1 (tt-mlir `L1InterleavedPolicy::getGreedyConfig`): of all
 * subsets of the op and its operands, the one with most bytes in L1 that has an order of the operands whose
 * peak is below the limit. Peak of an order = max over its operands of (bytes of earlier outputs + bytes that
 * the operand requires). Takes the order with the lowest peak.
 *
 * @param base the op itself, `undefined` if its output cannot stay in L1
 * @param operands its operands that could be in L1, in operand order
 * @param limit bytes per core
 */
export function greedyL1Choice(
  base: L1Candidate | undefined,
  operands: readonly L1Candidate[],
  limit: number,
): L1Choice {
  const considered = new Set(
    operands.toSorted((a, b) => b.outputBytes - a.outputBytes).slice(0, MAX_CANDIDATES - 1),
  );
  const kept = operands.filter((one) => considered.has(one));
  // Operands take the lower bits, so that on a tie they stay in L1 rather than their reader.
  const candidates = base === undefined ? kept : [...kept, base];
  let best: L1Choice = { inL1: new Set(), precedence: operands.map(({ op }) => op) };
  let bestBytes = 0;
  for (let mask = 0; mask < 1 << candidates.length; mask++) {
    const selected = candidates.filter((_, index) => (mask & (1 << index)) !== 0);
    const bytes = selected.reduce((sum, { outputBytes }) => sum + outputBytes, 0);
    if (bytes <= bestBytes || bytes > limit) continue;
    const order = bestOrder(selected.filter((one) => one !== base), limit);
    if (order === undefined) continue;
    const inL1 = new Set(selected.map(({ op }) => op));
    const inDram = operands.filter(({ op }) => !inL1.has(op)).map(({ op }) => op);
    best = { inL1, precedence: [...inDram, ...order] };
    bestBytes = bytes;
  }
  return best;
}

/** The order with the lowest peak, if it is below the limit; the first one in lexicographic order. */
function bestOrder(operands: readonly L1Candidate[], limit: number): readonly OpId[] | undefined {
  let best: readonly OpId[] | undefined;
  let bestPeak = limit;
  const extend = (order: readonly OpId[], rest: readonly L1Candidate[], used: number, peak: number): void => {
    if (peak >= bestPeak) return;
    if (rest.length === 0) {
      best = order;
      bestPeak = peak;
      return;
    }
    for (const next of rest) {
      extend(
        [...order, next.op],
        rest.filter((one) => one !== next),
        used + next.outputBytes,
        Math.max(peak, used + next.requiredBytes),
      );
    }
  };
  extend([], operands, 0, 0);
  return best;
}
