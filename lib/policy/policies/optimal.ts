// SPDX-License-Identifier: Apache-2.0
import { WITHOUT_CAPACITY } from "../../optimal/layout_optimizer.ts";
import type { Assignment } from "../../search/ways.ts";
import {
  explore,
  fitL1,
  placingByAddress,
  searchByStep,
  solveAsSent,
  solveOnce,
  solveWithinL1,
  solveWithRefusedOps,
  tightenParts,
} from "../exact_programs.ts";
import type { FunctionContext } from "../function_context.ts";
import { raiseL1Prices } from "../l1_prices.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions, TIME_BUDGET } from "../options.ts";
import type { FinishedProgram } from "../pass_pipeline.ts";
import { type FunctionBudget, planWithinBudget } from "../plan_within_budget.ts";
import type { Policy } from "../policy.ts";
import type { Portfolio } from "../portfolio.ts";
import { BeamSearch, openPortfolio } from "./beam_cost.ts";
import { greedy } from "./greedy.ts";

/** The exact assignment without L1 capacity, made to fit, against everything that `beam-cost` finds. */
export const policy: Policy = {
  name: "optimal",
  summary:
    "Exact layouts without L1 capacity, then priced and spilled until they fit, beside what beam-cost finds",
  place: 6,
  freedom: "hinted",
  options: [TIME_BUDGET, BEAM_WIDTH, ...PASS_OPTIONS],
  tellsGap: true,
  decide: (context) => planWithinBudget(context, policy.name, searchExactly),
};

/**
 * Solutions of a function that lacks L1 that are placed by address before its bound is raised, which may take all there is to
 * spend: until one fits, and after it.
 */
const FIRST_PLACED = { untilFits: 160, afterwards: 24 } as const;

/**
 * µs of work that may be spent even if the budget is: what one layer of a long function lacks all layers lack, and nothing
 * else comes as near the bound for so little.
 */
const PARTS_ANYWAY = {
  /** Solving the parts that layers repeat; the first solution of all of them takes that much less. */
  solving: 150_000,
  /** Looking for room for them. */
  placing: 200_000,
} as const;

/**
 * µs of work after which what may take long makes way, once, for what is cheap and often finds the better plan. No shares of
 * the budget: a larger one does the same in the same order, and more behind it.
 */
const MAKES_WAY_AFTER = {
  /** Exploring for the exact assignment; without all of it there is neither that nor a bound, and beams are all there is. */
  exploring: 1_050_000,
  /** Raising the bound, and looking for exact assignments that fit L1. */
  bounding: 525_000,
} as const;

/**
 * The cheapest program of exact assignments and of everything that `beam-cost` finds, with a lower bound of the
 * predicted time. The exact assignment comes first: where it fits and takes no longer than the bound, nothing can be
 * better, and the search ends.
 *
 * Of a long function that lacks L1 the beams come before the exact assignments that fit it: one of these costs as much as a
 * beam, and where many layers lack L1 few of them fit.
 *
 * @param budget where it runs short before every op is explored, there is neither a bound nor an exact assignment. When all
 * of it but the part of the beams is spent, these go on, and the best program so far is the answer. That is never dearer than
 * with a smaller budget, nor, unless beams are left out because the bound is near, than what `beam-cost` finds with the same
 */
export function searchExactly(
  fn: FunctionContext,
  options: PolicyOptions,
  { whole, beamsUs, exploringUs }: FunctionBudget,
): FinishedProgram {
  const beams = new BeamSearch(fn, options, beamsUs, () => whole.leftUs === 0);
  let ofBeams: FinishedProgram | undefined;
  const tryBeams = (): void => {
    beams.goOn();
    const winner = beams.winner();
    if (winner !== undefined && winner !== ofBeams) portfolio.offer(ofBeams = winner);
  };
  // Beams may need less than is kept for them, so that the search goes on behind them.
  const isSpent = (): boolean => {
    if (whole.leftUs <= beams.leftUs) tryBeams();
    return whole.leftUs <= beams.leftUs;
  };
  const isAllSpent = (): boolean => whole.leftUs === 0;
  const portfolio = openPortfolio(fn, options, isSpent);
  // Overrides bind ops to layouts and configs that the exact assignment knows nothing of. What is explored in part is of no
  // use, so that exploring may take what is kept for beams: they have their turn behind it all the same.
  let optimizer = fn.evaluator.hasOverrides
    ? undefined
    : explore(fn, exploringUs, makingWay(fn, MAKES_WAY_AFTER.exploring, tryBeams, isAllSpent));
  const place = optimizer === undefined ? () => {} : placingByAddress(optimizer, portfolio, fn, options);
  const placeFirst = once(() => {
    if (portfolio.isThorough) place(orEnough(isSpent));
  });
  const placeParts = once(() => {
    const isEnough = afterwards(fn, PARTS_ANYWAY.placing, isSpent);
    place((fits) => fits || isEnough());
  });
  const tryCheaply = (): void => {
    if (portfolio.isThorough) tryBeams();
    placeFirst();
    if (optimizer !== undefined) raiseL1Prices(optimizer, portfolio, fn, isSpent);
  };
  const isSpentOnBounds = makingWay(fn, MAKES_WAY_AFTER.bounding, tryCheaply, isSpent);
  if (optimizer !== undefined && !portfolio.isThorough && !isSpent()) {
    tightenParts(optimizer, fn, options, afterwards(fn, PARTS_ANYWAY.solving, isSpent));
  }
  const exact = optimizer === undefined ? undefined : solveOnce(optimizer, portfolio, fn, (isShort) => {
    if (isShort && optimizer?.knowsParts === true) placeParts();
    // Where nothing is short, a long function's bound may end the search and leave no beams to keep anything for.
    return portfolio.isThorough || isShort ? isSpentOnBounds() : isAllSpent();
  });
  let lowerBoundUs = exact?.bound ?? Infinity;
  // No bound is infinite but where no assignment is possible: then the op model refuses ops in every plan.
  if (optimizer !== undefined && lowerBoundUs === Infinity) {
    optimizer = undefined;
    lowerBoundUs = solveWithRefusedOps(fn, portfolio, exploringUs, isAllSpent);
  }
  let isFitted = false;
  if (optimizer !== undefined && exact !== undefined) {
    let proven = portfolio.provenBy(lowerBoundUs);
    if (proven === undefined) {
      lowerBoundUs = Math.max(lowerBoundUs, solveAsSent(optimizer, portfolio, fn, exact, isSpent));
      proven = portfolio.provenBy(lowerBoundUs);
    }
    if (proven === undefined && (portfolio.isThorough || !isSpent())) addAll(exact.cheaper, portfolio);
    if (proven === undefined && portfolio.isNear(lowerBoundUs)) {
      // No beams come behind it for which anything would have to be kept.
      lowerBoundUs = Math.max(lowerBoundUs, solveWithinL1(optimizer, portfolio, isAllSpent));
      proven = portfolio.winner();
    }
    const isLeftForLater = exact.isShort && !portfolio.isThorough;
    if (proven === undefined && !isLeftForLater && !isSpent()) {
      isFitted = true;
      lowerBoundUs = Math.max(
        lowerBoundUs,
        fitL1(optimizer, portfolio, place, isSpentOnBounds),
      );
      proven = portfolio.provenBy(lowerBoundUs);
    }
    if (proven !== undefined) return { ...proven, lowerBoundUs };
  }
  if (optimizer === undefined || !portfolio.isTooGoodForBeams(lowerBoundUs)) tryBeams();
  if (optimizer !== undefined && !isSpent()) {
    // What is kept for beams may leave time that there was none of before them.
    if (!isFitted) {
      placeFirst();
      lowerBoundUs = Math.max(lowerBoundUs, fitL1(optimizer, portfolio, place, isSpent));
    }
    raiseL1Prices(optimizer, portfolio, fn, isSpent);
  }
  portfolio.spillThoroughly();
  portfolio.readPresent();
  if (optimizer !== undefined && !isSpent()) {
    lowerBoundUs = searchByStep(optimizer, portfolio, fn, options, { lowerBoundUs, isSpent });
  }
  const winner = portfolio.winner() ?? greedy(fn, options);
  return lowerBoundUs === Infinity ? winner : { ...winner, lowerBoundUs };
}

/**
 * Adds assignments of a bound that was raised step by step, each of which a smaller budget may end with: all of them, but for
 * those of a long function that has no time left, where pass 2 takes longest.
 */
function addAll(cheaper: readonly Assignment[], portfolio: Portfolio): void {
  for (const assignment of cheaper) portfolio.add(WITHOUT_CAPACITY, assignment);
  portfolio.settle(portfolio.isThorough ? () => false : undefined);
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

/** `isSpent`, or asked often enough since a solution fits, or as long as none does. */
function orEnough(isSpent: () => boolean): (fits: boolean) => boolean {
  let [untilFits, left] = [FIRST_PLACED.untilFits, FIRST_PLACED.afterwards];
  return (fits) => (fits ? left-- : untilFits--) <= 0 || isSpent();
}

/** `isSpent`, but not before so many µs of work are done. */
function afterwards(
  { evaluator: { work } }: FunctionContext,
  microseconds: number,
  isSpent: () => boolean,
): () => boolean {
  const end = work.microseconds + microseconds;
  return () => work.microseconds >= end && isSpent();
}

/** `isSpent`, which lets something else be done once, as soon as so many µs of work were done since. */
function makingWay(
  { evaluator: { work } }: FunctionContext,
  microseconds: number,
  act: () => void,
  isSpent: () => boolean,
): () => boolean {
  const start = work.microseconds;
  const actOnce = once(act);
  return () => {
    if (!isSpent() && work.microseconds - start >= microseconds) actOnce();
    return isSpent();
  };
}
