// SPDX-License-Identifier: Apache-2.0
/**
 * Thresholds of exact search, with their trade-offs; those of its steps are in `lib/policy/search_limits.ts`. All count
 * work or sizes, never seconds, so that equal inputs get equal plans. Tolerances of sums and sizes on which no result
 * depends stay in their files.
 *
 * @module
 */

/** Under a second per function on the model zoo, seconds on models of a thousand ops (no source recorded). */
export const DEFAULT_OPTIMIZER_LIMITS = { combinations: 600, work: 50_000_000 } as const;

// Exploration.

/**
 * Limits for a function with more distinct ops than the budget can explore fully: fewer hints per sharding type and
 * fewer operand layouts (`LayoutSpace`), about 1/10 of the queries per op.
 */
export const NARROW = { hintsPerType: 3, readsPerType: 2 } as const;

/** Most shardings that an op may request of one operand: the fastest ones (no source recorded). */
export const MOST_EXTRA_SHARDINGS: number = 3;

/**
 * Most hints of one kind with which an op is queried about a sharding: those with the most shards. With five,
 * and grids in steps of 1.4, 5 % more questions gave the same 15 plans.
 */
export const EXTRA_SHARDING_HINTS: number = 2;

/**
 * The search for extra shardings ends without a result once `share` of its budget is spent and the distinct ops, at the
 * mean work per op so far, would take more than `times` the budget (no source recorded).
 */
export const FORESEEN = { share: 0.125, times: 2 } as const;

/** Share of its time that a sharding must save an op (no source recorded). */
export const WORTHWHILE_SHARE: number = 1e-3;

/**
 * Share of L1 that extra shardings and the op's other buffers may fill. An op that fills nearly all of L1
 * fits by byte sums but hardly ever by address: the bound would count on it, and the search would find no
 * plan with it (no source recorded).
 */
export const MOST_OF_L1: number = 3 / 4;

/**
 * Least ratio between consecutive grid extents that are tried, among those that do not divide the tensor
 * evenly (no source recorded).
 */
export const GRID_STEP: number = 2;

/** Most operands, summed over all queried combinations of a join: each query examines all of them (no source recorded). */
export const JOIN_READS: number = 50_000;

/**
 * Number of combinations of a join in which some operands have one layout and the others the next one of the list (no
 * source recorded).
 */
export const JOIN_MIXTURES = { least: 4, most: 32 } as const;

/**
 * Factor on the number of combinations that may be explored for a join: examining one takes as many steps as there are
 * operands (no source recorded).
 */
export const LISTED_JOINS: number = 1 / 6;

/**
 * Factor on the number of combinations that may be explored for an op of many operands: each of its queries is
 * expensive (no source recorded).
 */
export const VARIED_SHARE: number = 1 / 4;

/** Least layouts per operand that are explored: with fewer, too little is known about an op to price it (no source recorded). */
export const LEAST_VARIETY: number = 3;

// Factors and elimination.

/**
 * Most entries of an op's table. Above that, its row becomes a variable (`row_factors.ts`). If that still has too many
 * entries, operands that would exceed them cost the least of all choices, which only loosens the bound (no source
 * recorded).
 */
export const MAX_ENTRIES: number = 1_000_000;

/** Most rows that a variable may choose among: elimination stores its values in 16 bits. */
export const MOST_ROWS: number = 2 ** 16;

/**
 * An elimination is tried if its predicted work is at most this many times the limit: messages that repeat are computed
 * only once, so it may stay within the limit. After one that does not, no other is tried with the same cache (no source
 * recorded).
 */
export const HOPED_FOR: number = 64;

/** Work per entry of a message besides its joint choices, in joint choices (no source recorded). */
export const ENTRY_CHOICES: number = 8;

/** From this many joint choices on, it pays to search for dominated values (no source recorded). */
export const MANY_CHOICES: number = 50_000;

/** Cost comparisons that take as long as examining one joint choice (no source recorded). */
export const COMPARISONS_PER_CHOICE: number = 4;

/**
 * After this many further entries (10 bytes each), cached messages that were not used meanwhile are dropped. Searches
 * return to problems of many solutions ago, and in long functions a single elimination has more entries than this.
 */
export const KEPT_ENTRIES: number = 2_000_000;

// Shares of copies.

/**
 * A paid-copy round of at least `work` joint choices that raises the bound by at most `gain` (a share) is the last (no
 * source recorded).
 */
export const IN_VAIN = { work: 500_000, gain: 1e-4 } as const;

/**
 * Rounds by kind. `paid`: one round that separates branches and four that pay copies in full; later ones gain little.
 * `congested`: rounds that only update prices with congestion. Each finds other layouts, of which dozens may be equally
 * fast without congestion, so there are more of them (`cheapCongested`) if a round takes little work
 * ({@linkcode IN_VAIN}) (no source recorded).
 */
export const TIGHTENING_ROUNDS = { paid: 5, congested: 8, cheapCongested: 64 } as const;

/** Most copies that one round of tightening adds for one undercharged copy (no source recorded). */
export const COPIES_A_ROUND: number = 4;

// L1 by address.

/** Most solutions that `leastByAddress` examines (no source recorded). */
export const ADDRESS_SOLUTIONS: number = 2000;

/**
 * The search by address ends at a step without room at which more than this many tensors are in L1: no change to one of
 * them makes it fit, and 4,000 readers of one tensor took two minutes.
 */
export const MOST_OBSTACLES: number = 256;

/**
 * Shares of L1 that waits are spilled for, until one leaves a program that fits by address (no source recorded).
 */
export const SPILLED_SHARES: readonly number[] = [1, 0.9, 0.8, 0.7];

/** Most rounds of spilling further waits while the solution still exceeds L1 (no source recorded). */
export const SPILLED_ROUNDS: number = 8;

/** Assumed cost of resolving a conflict, as a share of the function's time, until one is known (no source recorded). */
export const GUESSED_CONFLICT_SHARE: number = 0.05;

/** After this many solutions of which none fits, the assumed price of a step is doubled (no source recorded). */
export const DOUBLED_AFTER: number = 24;

/**
 * A step that lacks s bytes counts STEP_SHARE + (1 − STEP_SHARE)·s / s̄, where s̄ is
 * the mean shortage of the first solution.
 */
export const STEP_SHARE: number = 0.3;

/** Most detours that are tried for one copy, the cheapest ones (no source recorded). */
export const DETOURS_OF_A_COPY: number = 3;

/** Rounds of solving a followed solution again after its copies are priced with congestion (no source recorded). */
export const CONGESTION_ROUNDS: number = 1;

// Dispatch.

/** Number of paths whose mean is the dispatch bound; further ones hardly raise it (no source recorded). */
export const DISPATCH_PATHS: number = 4;

/**
 * The ends of a path (`DispatchPaths`) around a stretch of waiting programs are searched among this many adjacent
 * programs: up to `SIZE_CLASSES.large` programs, and beyond (no source recorded).
 */
export const NEAR_STRETCH = { large: 16, beyond: 4 } as const;

/**
 * Ops that precede or follow a whole stretch in every order are searched among this many adjacent programs (no source
 * recorded).
 */
export const STRETCH_REACH: number = 512;

/** Most stretches of waiting programs of a function that are examined (no source recorded). */
export const MOST_STRETCHES: number = 32;

/**
 * A long op is scheduled early only if at most this many unscheduled ops, itself included, have to run for it (no
 * source recorded).
 */
export const OPS_AHEAD: number = 60;

/** Rules of orders (`OrderRule`) of which the fastest is taken: each was best for some functions (derived:sent-before). */
export const ORDER_RULES = {
  firstThatMayCome: { few: 0, enough: 1, targets: 0 },
  lookingAhead: [
    { few: 0, enough: 1, targets: 24 },
    { few: 2, enough: 1, targets: 24 },
    { few: 0, enough: 0.75, targets: 24 },
  ],
} as const;
