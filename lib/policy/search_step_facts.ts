// SPDX-License-Identifier: Apache-2.0
import {
  BEAMS_ANYWAY,
  FAR,
  FAR_ALLOWANCE,
  PLACED,
  REORDERED_ANYWAY,
  SHORT_GRAPH_OPS,
  SHORT_OPS,
  SMALL_OPS,
} from "./search_limits.ts";

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

/** Facts about a step of the search that do not need its code. */
export interface SearchStepFacts {
  /** Functions and states of the search that it applies to. */
  readonly appliesTo: string;
  /** Work that it may do. */
  readonly budget: string;
  /** Its contribution to the search. */
  readonly adds: string;
}

const WHILE_LEFT = `what is left beside the reserve of beams; while more than ${
  100 * FAR
} % above the bound, ${FAR_ALLOWANCE.perGraphUs / 1e6} s and ${
  FAR_ALLOWANCE.perOpUs / 1e3
} ms per op of the graph more`;

/**
 * The named steps of the search for one function, in the order of their first turn (`SEARCH_PLAN`). Each but `explore`
 * may be left out of a run to measure its benefit.
 */
export const SEARCH_STEP_FACTS: Readonly<Record<SearchStepName, SearchStepFacts>> = {
  explore: {
    appliesTo: "every function",
    budget: "half of what is left for all functions, at least 0.1 s",
    adds: "the candidates of every op; without all of them only beams follow",
  },
  eliminate: {
    appliesTo: "explored functions",
    budget: WHILE_LEFT,
    adds: "the exact assignment without L1 capacity, and the first lower bound",
  },
  dispatch: {
    appliesTo: "exact assignments, where the detailed cost model knows waits for the dispatcher",
    budget: WHILE_LEFT,
    adds: "assignments and orders that wait less for the dispatcher, and the dispatch bound",
  },
  addresses: {
    appliesTo: `exact assignments that are not close to the bound, above ${SMALL_OPS} ops those more than ${
      100 * FAR
    } % above it, of functions that were not explored narrowly`,
    budget: `${WHILE_LEFT}; nearer, until ${PLACED} solutions in a row gave nothing faster`,
    adds: "exact assignments that fit L1 by address",
  },
  interleaved: {
    appliesTo: "functions with an exact assignment that is known to fit",
    budget: "two runs of pass 2",
    adds: "everything in interleaved DRAM or L1",
  },
  beams: {
    appliesTo:
      `functions without an exact assignment that is known to fit; at the end also those of up to ${SMALL_OPS} ops more than ${
        100 * BEAMS_ANYWAY
      } % above the bound`,
    budget: "its reserve",
    adds: "what beam-cost finds",
  },
  "memory-order": {
    appliesTo: "assignments that lack L1 and could still win",
    budget: `${REORDERED_ANYWAY / 1e6} s anyway up to ${SMALL_OPS} ops, else ${WHILE_LEFT}`,
    adds: "their programs in an order that needs less L1",
  },
  "other-policies": {
    appliesTo:
      `auto: functions of up to ${SHORT_OPS} ops, up to ${SHORT_GRAPH_OPS} in all, and plans that do not fit`,
    budget: "none: it always runs",
    adds: "plans of beam-cost and of the chain policies, with their op configs",
  },
};

/** All steps, in the order of {@linkcode SEARCH_STEP_FACTS}. */
export const SEARCH_STEP_NAMES: readonly SearchStepName[] = Object.keys(SEARCH_STEP_FACTS).filter(
  isSearchStep,
);

function isSearchStep(name: string): name is SearchStepName {
  return Object.hasOwn(SEARCH_STEP_FACTS, name);
}
