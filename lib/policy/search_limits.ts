// SPDX-License-Identifier: Apache-2.0

/**
 * Every budget and threshold of the search for one function, each with its source, or that none is
 * recorded. Size classes of functions are in `lib/search/limits.ts`,
 * limits of a single algorithm (rounds, states, combinations) in `lib/optimal/limits.ts` and
 * `lib/search/limits.ts`.
 *
 * @module
 */

/**
 * Relative tolerance within which a plan's time (summed by the simulator) and a bound (summed by elimination)
 * count as equal, which proves the plan optimal. Floating-point sums of equal times in another order differ
 * by less (no source recorded).
 */
export const ON_BOUND = 1e-6;

/**
 * Relative gap to the bound: a larger function's search ends there, a small one's skips placement by address
 * and tightening the bound, and `auto` tries fewer other policies. A sixth of the least error of prices; with a fifth of
 * it, the plans of 156 models took 0.01 % less (at most 0.8 %), and prefill layers of 250 ops a quarter more processor
 * time (derived:close-enough).
 */
export const CLOSE = 1e-2;

/**
 * Largest share s of its µs that pass 2 may save an assignment: a larger function drops an assignment with µs ·
 * (1 − s) ≥ incumbent. Spills rarely make an op faster, least of all if layouts were chosen by time. Of 139
 * beam assignments that had to spill, none got faster; of 15 by cheaper policies three did, one by 5.8 %
 * (derived:close-enough).
 */
export const SAVED_BY_SPILLS = { ofBeams: 1e-3, ofCheaperPolicies: 8e-2 } as const;

/**
 * Larger functions: largest share by which a later beam may be faster than the widest beam by time, before pass
 * 2. In 19 runs the best of the others (refined and fed-back ones included) was at most 0.14 % faster, and
 * slower in 16 (derived:close-enough).
 */
export const SAVED_BY_OTHER_BEAMS = 2e-3;

/**
 * µs of work per op on top of `--time-budget`: a function of 7,000 ops needs 1.5 s of work, without which its
 * plan takes 4 % longer; most models need less than one such allowance (docs/optimality.md).
 */
export const US_PER_OP = 1000;

/** Largest share of the remaining budget of all functions for exploring a single one (no source recorded). */
export const EXPLORING_SHARE = 0.5;

/**
 * µs of work that exploring a function may always take: in a graph of many functions each share is small, and
 * without exploration there is no bound (no source recorded).
 */
export const EXPLORED_ANYWAY = 100_000;

/**
 * Share of `--time-budget` reserved for beams. Small functions rarely need more for beams, and other steps
 * need the rest. In larger functions the first step of the beams, which always runs, takes about this much:
 * with a smaller reserve the search overran the budget and found nothing better (no source recorded).
 */
export const BEAMS_SHARE = { small: 0.35, larger: 0.45 } as const;

/**
 * Relative gap to the bound above which the search may exceed the budget by {@linkcode FAR_ALLOWANCE}, and placing by
 * address is worth its work in a larger function: the least error of prices (derived:close-enough).
 */
export const FAR_GAP = 6e-2;

/**
 * µs of work beyond the budget that the searches of a graph may take while their incumbents are more than
 * {@linkcode FAR_GAP} above the bound. Two Llama graphs of 2,300 and 2,500 ops take 1.2 ms per op until a program fits
 * by address, and are 7 and 9 % faster than what spills make of the exact assignment; ResNet-50 at batch 32 takes 1.7 s
 * and is 3 % faster (derived:close-enough).
 */
export const FAR_ALLOWANCE = { perGraphUs: 1_500_000, perOpUs: 1500 } as const;

/**
 * Relative gap to the bound above which beams run in what is left of the budget of a small function, although an exact
 * assignment fits. Of 184 runs of networks of many kinds one was slower without, by 0.9 %; where they find nothing they
 * take up to 30 % more (derived:close-enough).
 */
export const BEAMS_ANYWAY = 1e-2;

/**
 * Most solutions in a row that placing by address tries without finding a faster one that fits (no source recorded).
 */
export const PLACED = 160;

/**
 * µs of work by which {@linkcode Portfolio.reorderSpilled} may exceed the budget of a small function (no source
 * recorded).
 */
export const REORDERED_ANYWAY = 50_000;

/** Assignments of a larger function that are tried in an order that needs less L1 (derived:close-enough). */
export const REORDERED_OF_LARGER = 2;

/** Limits of the refinement of an assignment op by op. On the model zoo, later sweeps change nothing (no source recorded). */
export const REFINEMENT = { sweeps: 4, combinations: 64 } as const;

/** Rounds over all lists of configs of an op, because the best entry of one list depends on the others (no source recorded). */
export const CONFIG_ROUNDS = 3;
