// SPDX-License-Identifier: Apache-2.0
import type { FunctionSearch } from "./function_search.ts";
import { SIZE_CLASSES } from "../search/limits.ts";
import {
  BEAMS_ANYWAY,
  CLOSE,
  EXPLORED_ANYWAY,
  EXPLORING_SHARE,
  FAR_ALLOWANCE,
  FAR_GAP,
  PLACED,
  REORDERED_ANYWAY,
} from "./search_limits.ts";
import { afterAllowance } from "./work_budget.ts";

/** A named step of the search for one function. */
export type SearchStepName =
  | "explore"
  | "eliminate"
  | "dispatch"
  | "addresses"
  | "interleaved"
  | "beams"
  | "memory-order"
  | "other-policies";

/** When a step has a turn, in words and asked; asking changes nothing. */
interface StepCondition<State> {
  readonly words: string;
  holds(state: State): boolean;
}

/** Work that a step may do, in words and asked. */
interface StepBudget {
  readonly words: string;
  /** Called when the step begins; whether to stop is then asked between two units of work. */
  begin?(search: FunctionSearch): () => boolean;
}

/** A named step and everything that is said of it. */
interface SearchStep<State> {
  readonly step: SearchStepName;
  /** Functions and states of the search that it applies to. */
  readonly applies: StepCondition<State>;
  readonly budget: StepBudget;
  /** Its contribution to the search. */
  readonly adds: string;
  /** The plan that it finds. */
  readonly finds: string;
}

/** One turn of a step in the plan of the search. */
export interface PlannedStep extends SearchStep<FunctionSearch> {
  /** Whether to skip the step once the budget is spent except for the beams' reserve. */
  readonly skippedWhenSpent?: true;
  /** Whether the search ends after the step has run, if the incumbent is proven optimal. */
  readonly ends?: true;
  run(search: FunctionSearch, mustStop: () => boolean): void;
}

const percent = (share: number): string => `${100 * share} %`;

const BESIDE_BEAMS: Required<StepBudget> = {
  words: `the time budget minus the beams' reserve, while beams are needed; plus ${
    FAR_ALLOWANCE.perGraphUs / 1e6
  } s and ${FAR_ALLOWANCE.perOpUs / 1e3} ms per op of the graph while the gap exceeds ${percent(FAR_GAP)}`,
  begin: ({ mustStop }) => mustStop,
};

const BEAMS: Omit<PlannedStep, "applies"> = {
  step: "beams",
  budget: { words: "its reserve, and what is left of the time budget" },
  adds: "what beam-cost finds",
  finds: "A plan of beam-cost",
  run: (search) => search.runBeams(),
};

const MEMORY_ORDER: PlannedStep = {
  step: "memory-order",
  applies: { words: "assignments that needed spills", holds: ({ portfolio }) => portfolio.hasSpilled },
  budget: {
    words: `${REORDERED_ANYWAY / 1e6} s anyway up to ${SIZE_CLASSES.small} ops, else ${BESIDE_BEAMS.words}`,
    begin: ({ fn, isSmall, mustStop }) =>
      afterAllowance(fn.evaluator.work, isSmall ? REORDERED_ANYWAY : 0, mustStop),
  },
  adds: "their programs, where these could still win, in an order that needs less L1",
  finds: "An order of ops that needs less L1",
  run: ({ portfolio }, mustStop) => portfolio.reorderSpilled(mustStop),
};

/**
 * The steps in order. The exact assignment comes first: if it fits and meets the bound, the search ends. The cheapest
 * proof comes first: explore, eliminate, dispatch; then what fits a plan into L1. Each but `explore` may be left out of
 * a run to measure its benefit.
 */
export const SEARCH_PLAN: readonly PlannedStep[] = [
  {
    step: "explore",
    applies: { words: "every function", holds: () => true },
    budget: {
      words: `the function's share of the time budget; if that is less, ${
        percent(EXPLORING_SHARE)
      } of what is left for all functions, at least ${EXPLORED_ANYWAY / 1e6} s`,
      begin: (search) =>
        afterAllowance(search.fn.evaluator.work, search.budget.exploringUs, () => !search.maySpend(true)),
    },
    adds: "the candidates of every op; without all of them only beams follow",
    finds: "The layouts as written",
    run: (search, mustStop) => search.explore(mustStop),
  },
  {
    step: "eliminate",
    applies: { words: "explored functions", holds: ({ optimizer }) => optimizer !== undefined },
    budget: {
      words:
        `${BESIDE_BEAMS.words}; above ${SIZE_CLASSES.small} ops, where the first assignment fits L1, also that reserve`,
      // The bound may end the search of such a function before any beam runs.
      begin: (search) => () => !search.maySpend(!search.isSmall && !search.lacksL1),
    },
    adds: "the exact assignment without L1 capacity, and the first lower bound",
    finds: "The exact assignment of layouts",
    run: (search, mustStop) => search.eliminate(mustStop),
    ends: true,
  },
  {
    step: "dispatch",
    applies: {
      words: "exact assignments, where plans are priced with waits for the dispatcher",
      holds: ({ exact, fn }) => exact !== undefined && fn.detailedCost !== undefined,
    },
    budget: BESIDE_BEAMS,
    adds: "assignments and orders that wait less for the dispatcher, and the dispatch bound",
    finds: "An assignment that waits less for the dispatcher",
    run: (search, mustStop) => search.solveWithDispatch(mustStop),
    ends: true,
  },
  {
    step: "addresses",
    applies: {
      // Pricing the copies of each of 200 distinct matmuls with congestion took 3 s and saved 0.1 % of their time.
      words: `exact assignments of functions that were not explored narrowly: more than ${
        percent(CLOSE)
      } above the bound, above ${SIZE_CLASSES.small} ops more than ${percent(FAR_GAP)}`,
      holds: ({ exact, optimizer, isSmall, isClose, isFar }) =>
        exact !== undefined && (isSmall ? !isClose : isFar) && optimizer?.isNarrowed !== true,
    },
    budget: {
      words: `${BESIDE_BEAMS.words}; near the bound until ${PLACED} solutions in a row gave nothing faster`,
      begin: BESIDE_BEAMS.begin,
    },
    adds: "exact assignments that fit L1 by address",
    finds: "An exact assignment that fits L1 by address",
    skippedWhenSpent: true,
    run: (search, mustStop) => search.place(mustStop),
    ends: true,
  },
  // First for the assignments so far: a faster incumbent lets later steps drop theirs early. Below for those of later
  // steps.
  MEMORY_ORDER,
  {
    step: "interleaved",
    applies: {
      words: "functions with an exact assignment and a program that is known to fit",
      holds: ({ needsBeams }) => !needsBeams,
    },
    budget: { words: "two runs of pass 2" },
    adds: "everything in interleaved DRAM or L1",
    finds: "Everything interleaved in DRAM or L1",
    run: (search) => search.offerInterleaved(),
  },
  {
    ...BEAMS,
    applies: {
      words: "functions without an exact assignment or a program that is known to fit",
      holds: ({ needsBeams }) => needsBeams,
    },
  },
  MEMORY_ORDER,
  {
    ...BEAMS,
    applies: {
      words: `at the end those of up to ${SIZE_CLASSES.small} ops more than ${
        percent(BEAMS_ANYWAY)
      } above the bound`,
      holds: ({ needsBeams, exceedsBound, isSmall }) => !needsBeams && isSmall && exceedsBound(BEAMS_ANYWAY),
    },
    skippedWhenSpent: true,
  },
];

/** The last step of `auto`, on the plans of all functions. */
export const OTHER_POLICIES: SearchStep<{
  readonly isShortGraph: boolean;
  hasAvoidableUnverifiedOps(): boolean;
}> = {
  step: "other-policies",
  applies: {
    words:
      `auto: graphs of up to ${SIZE_CLASSES.shortGraph} ops in functions of up to ${SIZE_CLASSES.short}, ` +
      "and plans with more unverified ops than everything in DRAM",
    holds: (graph) => graph.isShortGraph || graph.hasAvoidableUnverifiedOps(),
  },
  budget: { words: "that of each policy" },
  adds: `plans of df-sharding-2, and of beam-cost and the other chain policies more than ${
    percent(CLOSE)
  } above the bound, with their op configs`,
  finds: "A plan of another policy",
};

/** The names of all steps, in the order of their first turn. */
export const SEARCH_STEP_NAMES: readonly SearchStepName[] = [
  ...new Set([...SEARCH_PLAN, OTHER_POLICIES].map(({ step }) => step)),
];

/** What is said of a step, over all of its turns. */
export function stepFacts(
  name: SearchStepName,
): { readonly appliesTo: string; readonly budget: string; readonly adds: string; readonly finds: string } {
  const turns = [...SEARCH_PLAN, OTHER_POLICIES].filter(({ step }) => step === name);
  const [first = OTHER_POLICIES] = turns;
  const appliesTo = [...new Set(turns.map(({ applies }) => applies.words))].join("; ");
  return { appliesTo, budget: first.budget.words, adds: first.adds, finds: first.finds };
}
