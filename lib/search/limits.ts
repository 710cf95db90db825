// SPDX-License-Identifier: Apache-2.0
/**
 * Thresholds of `lib/search`, passes 1 and 2, and the improvement of finished plans. Those of exact search are in
 * `lib/optimal/limits.ts`.
 *
 * @module
 */

/**
 * Size classes of functions: the most ops in each.
 *
 * - `short`, and `shortGraph` for all decided functions together: `auto` also computes plans of other policies. Chain
 *   policies query without hints: a clamp gains 5 %, a chain of matmuls 0.3 % (derived:close-enough). Dozens of
 *   functions would run chains and beams for several seconds.
 * - `reordered`: the search by address also starts from other orders.
 * - `small`: searched in full. In larger functions, an assignment that is slower before spilling than the incumbent
 *   is dropped, because spills hardly ever make a plan faster; chain plans are dropped likewise before they are made to
 *   fit, and the search ends within `CLOSE` of the bound (derived:close-enough).
 * - `large`: longer orders do not look ahead for long ops, and paths of more programs than this end near their
 *   stretches: examining one path takes as many steps as there are ops.
 * - `ordered`: all predecessors of each op are computed, without which waits for the dispatcher add nothing to the
 *   bound.
 */
export const SIZE_CLASSES = {
  short: 16,
  shortGraph: 64,
  reordered: 100,
  small: 400,
  large: 2000,
  ordered: 10_000,
} as const;

// Layouts.

/**
 * Shardings per type that are explored in any case. Measured alternatives (docs/exact-search.md): 4 per type
 * asked 20–50 % more queries and found the same or slower plans (BERT at batch 8: +2 %, because the budget
 * ended before L1 was placed); 1 per type lost 0.1 % on ResNet-50.
 */
export const EXPLORED_PER_TYPE: number = 2;

// Pass 1: beams.

/**
 * Most combinations of operand layouts that the compiler's pass 1 queries per op; tt-mlir has no such limit. It covers
 * all combinations of two operands; a larger limit for three would spend the budget of searches that start with this
 * pass.
 */
export const MOST_COMBINATIONS: number = 0x400;

/** The same for an op with many operands; for a join, per memory layout and grid of its operands (no source recorded). */
export const MOST_WIDE_COMBINATIONS: number = 16;

/** Most combinations of operand candidates that the beam search tries per op, for each slot of the beam (no source recorded). */
export const COMBINATIONS_PER_SLOT: number = 32;

/** Combinations that are tried at least, however narrow the beam is (no source recorded). */
export const LEAST_COMBINATIONS: number = 64;

/**
 * Combinations that are visited, times those that are tried: a visited one may repeat another or mix slots of a
 * producer (no source recorded).
 */
export const VISITED_COMBINATIONS: number = 4;

/**
 * Rounds of leaving ops as in the input whose operands no move can produce; each round adds at least one op (no source
 * recorded).
 */
export const KEEP_ROUNDS: number = 8;

// Pass 2: spills.

/**
 * Most replays of a program: some per tensor, and some for short programs. Each takes at least one tensor out of L1 (no
 * source recorded).
 */
export const SPILL_REPLAYS = { perTensor: 8, further: 64 } as const;

/** Most tensors for which a move is priced at a step: those that free the most bytes for longest (no source recorded). */
export const MOST_VICTIMS: number = 16;

/**
 * With more failing steps than this in one replay, hundreds of tensors have to leave L1: a step is then relieved at
 * once unless the bytes of earlier victims cover it, instead of one replay per tensor (no source recorded).
 */
export const MANY_FAILURES: number = 128;

/** Most programs that uniform-cost spilling extends by further moves (no source recorded). */
export const SPILLED_PROGRAMS: number = 256;

// Improvement of finished plans.

/** Rounds over all steps: one change may free L1 for another (no source recorded). */
export const IMPROVEMENT_ROUNDS: number = 2;

/** Most programs that one kind of move may replay; fewer in long functions (no source recorded). */
export const MOST_REPLAYS: number = 64;

/** Most ops of all programs that one kind of move may replay (no source recorded). */
export const MOST_REPLAYED_OPS: number = 40_000;

/**
 * Ops with more operands keep their validated layouts: each operand would cause a query, and each query
 * examines all operands (no source recorded).
 */
export const REREAD_OPERANDS: number = 128;

/** Most candidates of an op that are tried with other result layouts, the most promising ones (no source recorded). */
export const RESULTS_TRIED: number = 2;

/** Most intermediate layouts that are tried for one copy, the fastest ones (no source recorded). */
export const INTERMEDIATES_TRIED: number = 3;
