// SPDX-License-Identifier: Apache-2.0
import { explore, solveOnce, solveWithDispatch } from "./exact_programs.ts";
import type { FunctionSearch, PlannedStep } from "./function_search.ts";
import { offerInterleaved } from "./policies/beam_cost.ts";
import { BEAMS_ANYWAY, FAR, REORDERED_ANYWAY } from "./search_limits.ts";
import type { WorkAccount } from "../search/work_account.ts";
import { WorkBudget } from "./work_budget.ts";

const isExact = ({ exact }: FunctionSearch): boolean => exact !== undefined;

/**
 * Whether to search by L1 address ({@linkcode FunctionSearch.place}): in a small function unless the incumbent is close to
 * the bound, in a long one only if it is far from it. Not if exploration was narrowed because too many ops are distinct:
 * pricing the copies of each with congestion took 3 s and saved 0.1 % of the time of 200 matmuls.
 */
const mayPlace = ({ exact, optimizer, isSmall, isClose, isFar }: FunctionSearch): boolean =>
  exact !== undefined && (isSmall ? !isClose : isFar) && optimizer?.isNarrowed !== true;

/** Reorders the ops of spilled assignments so that less L1 is live at once. */
const MEMORY_ORDER: PlannedStep = {
  step: "memory-order",
  applies: () => true,
  run: (search) =>
    search.portfolio.reorderSpilled(withAllowance(search, search.fn.evaluator.work, REORDERED_ANYWAY)),
};

/**
 * The steps in order. The exact assignment comes first: if it fits and meets the bound, the search ends.
 * Steps that find plans come before those that only raise the bound.
 */
export const SEARCH_PLAN: readonly PlannedStep[] = [
  {
    step: "explore",
    applies: () => true,
    run: (search) => search.explored(explore(search.fn, search.budget.exploringUs, () => search.isAllSpent)),
  },
  {
    step: "eliminate",
    applies: ({ optimizer }) => optimizer !== undefined,
    run: eliminate,
    ends: true,
  },
  {
    step: "dispatch",
    applies: isExact,
    run(search) {
      const { optimizer, exact, portfolio, fn } = search;
      if (optimizer === undefined || exact === undefined) return;
      search.raiseBound(solveWithDispatch(optimizer, portfolio, fn, exact, search.mustStop));
    },
    ends: true,
  },
  {
    step: "addresses",
    applies: mayPlace,
    skippedWhenSpent: true,
    run: (search) => search.place(),
    ends: true,
  },
  // First for the assignments so far: a faster incumbent lets later steps drop theirs early. Below for those of later steps.
  MEMORY_ORDER,
  {
    step: "interleaved",
    applies: ({ needsBeams }) => !needsBeams,
    run: ({ portfolio }) => offerInterleaved(portfolio),
  },
  {
    step: "beams",
    applies: ({ needsBeams }) => needsBeams,
    run: (search) => search.runBeams(),
  },
  MEMORY_ORDER,
  {
    step: "beams",
    applies: ({ needsBeams, exceedsBound, isSmall }) => !needsBeams && isSmall && exceedsBound(BEAMS_ANYWAY),
    skippedWhenSpent: true,
    run: (search) => search.runBeams(),
  },
];

/**
 * Adds the exact assignment without L1 capacity. A long function with enough L1 may spend the beams' reserve on it, because
 * the bound may end the search before any beam runs.
 */
function eliminate(search: FunctionSearch): void {
  const { optimizer, portfolio, fn, isSmall } = search;
  if (optimizer === undefined) return;
  const exact = solveOnce(
    optimizer,
    portfolio,
    fn,
    (isShort, gap) =>
      (isSmall || isShort ? search.mustStop() : search.isAllSpent) && (gap <= FAR || search.isFarBudgetSpent),
  );
  // The bound is infinite only if no assignment is possible: the op model then refuses ops in every plan.
  if (exact.bound !== Infinity) search.solved(exact);
}

/** A stop check that gives a step of a small function an allowance of µs of work beyond the budget. */
export function withAllowance(
  { isSmall, mustStop }: Pick<FunctionSearch, "isSmall" | "mustStop">,
  work: WorkAccount,
  microseconds: number,
): () => boolean {
  const allowance = new WorkBudget(work, isSmall ? microseconds : 0);
  return () => allowance.leftUs === 0 && mustStop();
}
