// SPDX-License-Identifier: Apache-2.0
import type { FunctionContext } from "../function_context.ts";
import { FunctionSearch, runSearch } from "../function_search.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions, TIME_BUDGET } from "../options.ts";
import type { FinishedProgram } from "../pass_pipeline.ts";
import { planWithinBudget, type SearchBudget } from "../plan_within_budget.ts";
import type { Policy } from "../policy.ts";
import { obeyingFree } from "../obeying_free.ts";

/** The exact assignment without L1 capacity, made to fit; beams where none is known to fit or its gap is large. */
export const policy: Policy = obeyingFree({
  name: "optimal",
  summary:
    "Exact layouts ignoring L1, made to fit by address and by spills; beams where none fits or the gap exceeds 1 %",
  rank: 6,
  planKind: "hinted",
  ranksByTime: true,
  options: [TIME_BUDGET, BEAM_WIDTH, ...PASS_OPTIONS],
  tellsGap: true,
  free: ["layouts", "configs"],
  decide: (context) => planWithinBudget(context, policy, searchExactly),
});

/**
 * The fastest program of exact assignments and of beams, with a lower bound of the predicted time: the steps of `SEARCH_PLAN` one after the other.
 *
 * @param budget If it runs out before every op is explored, there is neither a bound nor an exact assignment.
 * When everything but the reserve of the beams is spent, the beams continue, and the best program so far is the
 * answer. A larger budget finds the same programs and more, but improves only the best and the most
 * promising ones, so its answer may in rare cases be slower than that of a smaller one
 */
export function searchExactly(
  fn: FunctionContext,
  options: PolicyOptions,
  budget: SearchBudget,
): FinishedProgram {
  return runSearch(new FunctionSearch(fn, options, budget));
}
