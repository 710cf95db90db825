// SPDX-License-Identifier: Apache-2.0

/**
 * Every size class, budget and threshold of the search for one function, each with its source. Limits inside of one
 * algorithm (rounds, states, combinations) stand beside that algorithm in `lib/optimal`, `lib/propagation` and
 * `lib/spill`.
 *
 * @module
 */

/**
 * Functions of up to this many ops always get plans by chains and beams: they take some hundredths of a second
 * (derived:close-enough).
 */
export const SHORT_OPS = 100;

/**
 * Functions of up to this many ops are searched thoroughly. In longer ones, an assignment that is slower before
 * spilling than the incumbent is dropped, because spills hardly ever make a plan faster; chains are dropped likewise
 * before they are made to fit. The search ends within {@linkcode CLOSE} of the bound (derived:close-enough).
 */
export const THOROUGH_OPS = 400;

/**
 * Functions of more ops than this stop as soon as the assignment behind the bound is within {@linkcode CLOSE} of it:
 * each further round over all ops takes a tenth of a second and gains less than a thousandth (derived:close-enough).
 */
export const VERY_LONG_OPS = 2000;

/**
 * Relative tolerance within which a plan's time, summed by the simulator, and a bound, summed by elimination, count as
 * equal: such a plan is optimal. Floating-point sums of the same times in another order differ by less.
 */
export const ON_BOUND = 1e-6;

/**
 * Gap at which a long function's plan is good enough: on every corpus file that came this close, everything else that
 * the tool can do took longer and could save no more (derived:close-enough).
 */
export const CLOSE = 1e-3;

/**
 * Gap below which a long function's plan competes only with the exact assignment that fits L1 by sums of bytes: on
 * every corpus input that came this close nothing else was faster still (derived:close-enough).
 */
export const NEAR = 2e-3;

/**
 * Gap below which policies of chains and, in thoroughly searched functions, beams are not worth trying: on every
 * corpus input whose plan came this close without being proven optimal theirs were slower, those of chains by at
 * least half a percent (a fifth in long functions), those of beams by 0.4 % (derived:close-enough).
 */
export const CLOSE_TO_ALL = { thorough: 1e-2, long: 3e-2 } as const;

/**
 * Largest share of its time that pass 2 may save an assignment, so that in a long function one that cannot beat
 * the incumbent can be dropped. Spilling hardly ever makes an op faster, least of all where layouts were chosen
 * by time. Of 139 beam assignments that had to spill, none got faster; of 15 by cheaper policies three did, one
 * by 5.8 % (derived:close-enough).
 */
export const SAVED_BY_SPILLS = { ofBeams: 1e-3, ofCheaperPolicies: 8e-2 } as const;

/**
 * In long functions: largest share of its time by which anything that later beams find may be faster than the
 * widest beam by time, before pass 2. In 19 runs the best of the others (refined and fed-back ones included)
 * was at most 0.14 % below it, and above it in 16 (derived:close-enough).
 */
export const SAVED_BY_OTHER_BEAMS = 2e-3;

/** Share of what is left for all functions that exploring a single one may take (set by hand, no measurement recorded). */
export const EXPLORING_SHARE = 0.5;

/**
 * µs of work that exploring a function may always take: one of many functions gets a small share, and without
 * exploration there is no bound (set by hand, no measurement recorded).
 */
export const EXPLORED_ANYWAY = 100_000;

/**
 * Share of `--time-budget` reserved for beams. In thoroughly searched functions they rarely need more, and everything
 * else needs the rest. In long ones their first step, which always runs, takes about this much: a smaller reserve
 * overruns the budget and finds nothing better (set by hand, no measurement recorded).
 */
export const BEAMS_SHARE = { thorough: 0.35, long: 0.45 } as const;

/**
 * µs of work after which a slow step is interrupted once by cheap ones that often find the better plan. These
 * are absolute, not shares of the budget, so that a larger budget does the same in the same order, and more
 * afterwards (set by hand, no measurement recorded).
 */
export const INTERRUPTED_AFTER = {
  /** Exploring: without all of it there is neither an exact assignment nor a bound, and beams are all there is. */
  exploring: 1_050_000,
  /** Raising the bound, and finding exact assignments that fit L1. */
  bounding: 525_000,
} as const;

/**
 * Most solutions placed by address before the bound of a function that lacks L1 is raised, which may take the whole
 * budget: until one fits, and after the first one that does (set by hand, no measurement recorded).
 */
export const FIRST_PLACED = { untilFits: 160, afterwards: 24 } as const;

/**
 * µs of work on the exact pass 2 for the most promising assignments of a thoroughly searched function that may exceed
 * the budget (set by hand, no measurement recorded).
 */
export const SPILLED_ANYWAY = 50_000;

/**
 * Assignments whose order is improved op by op: among several about equally good ones nobody can tell in advance
 * which gains most (set by hand, no measurement recorded).
 */
export const MOST_REORDERED_CLOSELY = 3;

/** Assignments of a long function that get the exact pass 2, which takes a second and more (derived:close-enough). */
export const THOROUGH_SPILLS = 2;

/** Rounds in which pass 1 runs again with the spilled values kept out of L1 (set by hand, no measurement recorded). */
export const FEEDBACK_ROUNDS = 2;

/** Refinement of an assignment op by op: sweeps, later ones of which change nothing on the model zoo, and combinations. */
export const REFINEMENT = { sweeps: 4, combinations: 64 } as const;
